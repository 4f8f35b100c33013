"""The checks by name, in the order they run."""

from collections.abc import Callable, Iterable, Iterator

from timegrain.core.contract import what_is_asked
from timegrain.core.errors import ConfigError, UnknownNameError
from timegrain.core.registry import suggest
from timegrain.data.source_check.contract.determinism import check_determinism
from timegrain.data.source_check.contract.finite import check_finite_values
from timegrain.data.source_check.contract.grid import check_grid
from timegrain.data.source_check.contract.labels import check_labels
from timegrain.data.source_check.contract.lazily import check_lazily
from timegrain.data.source_check.contract.lengths import check_lengths
from timegrain.data.source_check.contract.metric import check_metric
from timegrain.data.source_check.contract.recordings import check_recordings
from timegrain.data.source_check.contract.shapes import check_shapes
from timegrain.data.source_check.contract.splits import check_splits
from timegrain.data.source_check.row import SourceRow
from timegrain.data.source_check.subject import Subject

Check = Callable[[Subject], Iterator[SourceRow]]

CHECKS: dict[str, Check] = {
    "shapes": check_shapes,
    "finite": check_finite_values,
    "lengths": check_lengths,
    "grid": check_grid,
    "determinism": check_determinism,
    "labels": check_labels,
    "splits": check_splits,
    "recordings": check_recordings,
    "metric": check_metric,
    "lazily": check_lazily,
}


def source_checks() -> dict[str, str]:
    """Return the names of the checks with what each one asks.

    Example:
        >>> source_checks()["finite"]
        'Every sample is a number, and what is missing is counted.'
    """
    return what_is_asked(CHECKS)


def chosen(only: Iterable[str], skip: Iterable[str]) -> dict[str, Check]:
    """Return the checks to run.

    Args:
        only: These; all if there are none.
        skip: Not these.

    Raises:
        UnknownNameError: If there is no such check.
        ConfigError: If none is left.
    """
    only, skip = ((w,) if isinstance(w, str) else tuple(w) for w in (only, skip))
    for name in (*only, *skip):
        if name not in CHECKS:
            raise UnknownNameError(
                f"there is no check called {name!r}",
                expected=f"one of {', '.join(CHECKS)}",
                hint=suggest(str(name), list(CHECKS), count=1),
            )
    names = [name for name in CHECKS if (not only or name in only) and name not in skip]
    if not names:
        raise ConfigError("no check is left", got=f"only={only}, skip={skip}")
    return {name: CHECKS[name] for name in names}
