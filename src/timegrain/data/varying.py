"""Targets and channels that do not vary: of the ones there is no score, of the others no use."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Bool, Int64

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.scale import channel_name

_LISTED = 5


def check_varying(
    data: Dataset,
    values: np.ndarray,
    *,
    train: Int64[np.ndarray, " train"],
    test: Int64[np.ndarray, " test"],
    name: str | None = None,
) -> None:
    """Check that values to predict vary in the test part, without which they have no score.

    Args:
        data: What they are of.
        values: One a sequence, `(batch,)`, or several, `(batch, output)`; as the data are.
        train: Which sequences are to be learnt from.
        test: Which are to be scored.
        name: What the target is called.

    Raises:
        DataError: If none of them varies.
    """
    known = values[test]
    if (known != known[:1]).any():
        return
    what = "its target" if name is None else f"its target {name!r}"
    everywhere = not (values != known[0]).any()
    said = " and ".join(f"{v:g}" for v in np.atleast_1d(known[0])[:_LISTED])
    cases = "the one case" if len(test) == 1 else f"all {len(test):,} cases"
    more = f" and all {len(train):,} to train on" if everywhere else ""
    raise DataError(
        f"{data.name!r} cannot be learnt: the targets of the test part do not vary, {what} is a "
        "constant",
        got=f"{said} in {cases} to test on{more}",
        expected="values that vary",
        hint="target= with another column" if everywhere else "another seed of the split",
    )


def constant_note(data: Dataset, varies: Bool[np.ndarray, " channel"]) -> tuple[str, ...]:
    """Return a sentence on channels that do not vary, if there are any.

    Args:
        data: What they are of.
        varies: Whether each does, in the training part.
    """
    names = [channel_name(data, int(i)) for i in np.flatnonzero(~varies)]
    if not names:
        return ()
    return (f"constant in the training part: {_several(names)}; nothing is learnt from that",)


def _several(names: Sequence[str]) -> str:
    more = f" and {len(names) - _LISTED:,} more" if len(names) > _LISTED else ""
    noun = "channel" if len(names) == 1 else "channels"
    return f"{noun} {', '.join(names[:_LISTED])}{more}"
