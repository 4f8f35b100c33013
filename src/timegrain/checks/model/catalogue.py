"""The checks by name, in the order they run."""

from collections.abc import Callable, Iterable, Iterator

from timegrain.checks.model.arguments import names_of
from timegrain.checks.model.contract.batch import check_batch
from timegrain.checks.model.contract.causal import check_causal
from timegrain.checks.model.contract.chunks import check_chunks
from timegrain.checks.model.contract.determinism import check_determinism
from timegrain.checks.model.contract.file import check_file
from timegrain.checks.model.contract.finite import check_finite
from timegrain.checks.model.contract.forward import check_forward
from timegrain.checks.model.contract.gradients import check_gradients
from timegrain.checks.model.contract.order import check_order
from timegrain.checks.model.contract.padding import check_padding
from timegrain.checks.model.contract.parameters import check_parameters
from timegrain.checks.model.contract.steps import check_steps
from timegrain.checks.model.contract.tau_forms import check_tau_forms
from timegrain.checks.model.contract.tau_reaches import check_tau_reaches
from timegrain.checks.model.row import CheckRow
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject
from timegrain.core.contract import what_is_asked
from timegrain.core.errors import ConfigError

Check = Callable[[Subject, Settings], Iterator[CheckRow]]

CHECKS: dict[str, Check] = {
    "tau-forms": check_tau_forms,
    "tau-reaches": check_tau_reaches,
    "parameters": check_parameters,
    "batch": check_batch,
    "padding": check_padding,
    "causal": check_causal,
    "forward": check_forward,
    "chunks": check_chunks,
    "steps": check_steps,
    "finite": check_finite,
    "gradients": check_gradients,
    "determinism": check_determinism,
    "file": check_file,
    "order": check_order,
}


def model_checks() -> dict[str, str]:
    """Return the names of the checks with what each one asks.

    Example:
        >>> model_checks()["batch"]
        'A sequence is answered for itself, whatever else is in its batch.'
    """
    return what_is_asked(CHECKS)


def chosen(only: Iterable[str], skip: Iterable[str]) -> dict[str, Check]:
    """Return the checks to run.

    Args:
        only: These; all if there are none.
        skip: Not these.

    Raises:
        ConfigError: If there is no such check, or none is left.
    """
    only, skip = (names_of(*given, list(CHECKS)) for given in (("only", only), ("skip", skip)))
    names = [name for name in CHECKS if (not only or name in only) and name not in skip]
    if not names:
        raise ConfigError("no check is left", got=f"only={only}, skip={skip}")
    return {name: CHECKS[name] for name in names}
