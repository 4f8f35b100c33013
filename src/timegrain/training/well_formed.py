"""Whether the numbers of a task made by hand can be learnt from, before anything is trained."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.memory import release
from timegrain.data.rows import Rows
from timegrain.training.targets import existing_targets, is_per_sample

if TYPE_CHECKING:
    from timegrain.data.task import Part, Task

_BLOCK = 1 << 20


def check_parts(task: "Task", parts: Sequence[Literal["train", "test"]]) -> None:
    """Check the inputs and the targets of parts of a task.

    Args:
        task: Any task.
        parts: Which of them.

    Raises:
        DataError: If an input or a value to predict is not finite, or a class has no such number.
    """
    for name in parts:
        part = getattr(task, name)
        if len(part) == 0:
            continue
        _check_targets(task, part, name)
        _check_inputs(part, name)


def _check_targets(task: "Task", part: "Part", name: str) -> None:
    classes = task.target_kind == "class"
    width = 1 if classes else task.n_outputs
    many = is_per_sample(part, width)
    if not many and np.size(part.y) != len(part) * width:
        return  # what has no such shape is refused with the network that it does not fit
    y = existing_targets(part, width, values=not classes)
    if y.dtype.kind not in "iufb":
        return
    good = np.isfinite(y)
    if classes:
        good &= (y >= 0) & (y < task.d_output)
        good[good] &= y[good] == np.round(y[good])
    if good.all():
        return
    row = int(np.flatnonzero(~good.all(axis=1))[0])
    value = y[row][~good[row]][0]
    where = f"{'target' if many else 'sequence'} {row} of {name}"
    got = f"{value:g} for {where}" if np.isfinite(value) else f"{_word(value)} for {where}"
    if classes:
        raise DataError(
            "a target is no number of a class",
            got=got,
            expected=f"whole numbers in 0..{task.d_output - 1}",
            hint="np.unique(y, return_inverse=True)[1], which numbers classes from 0",
        )
    raise DataError(
        "a value to predict is not finite",
        got=got,
        expected="finite numbers",
        hint="leaving out what has no target",
    )


def _check_inputs(part: "Part", name: str) -> None:
    x: Any = part.x
    # what is scaled as it is read was looked at when the task was made
    if isinstance(x, Rows) or np.ndim(x) != 3:
        return
    lengths = np.asarray(part.lengths)
    step = max(_BLOCK // max(int(np.prod(x.shape[1:])), 1), 1)
    for at in range(0, len(x), step):
        block = np.asarray(x[at : at + step])
        if block.dtype.kind != "f":
            return
        wrong = ~np.isfinite(block)
        if wrong.any():
            wrong &= (np.arange(block.shape[1]) < lengths[at : at + step, None])[..., None]
            found = np.argwhere(wrong)
            if len(found):
                row, sample, channel = (int(i) for i in found[0])
                raise DataError(
                    "an input is not finite",
                    got=f"{_word(block[row, sample, channel])} in sequence {at + row} of {name}, "
                    f"sample {sample}, channel {channel}",
                    expected="finite numbers",
                    hint="0, the training mean, where a sample is missing, as load_task does",
                )
        release(x)


def _word(value: Any) -> str:
    return "NaN" if np.isnan(value) else "infinity"
