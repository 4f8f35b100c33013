"""The targets of a part of a task at which an answer is asked: of samples that exist."""

from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.data.per_sample import UNASKED, asked_answers

if TYPE_CHECKING:
    from torch import Tensor

    from timegrain.data.task import Part
    from timegrain.training.batch import Batch
    from timegrain.training.truncated.long_batch import LongBatch


def is_per_sample(part: "Part", width: int = 1) -> bool:
    """Return whether a part has a target for every sample.

    Args:
        part: Of a task.
        width: Numbers in a target: the values to predict, 1 for classes.
    """
    shape, head = np.shape(part.y), tuple(part.x.shape[:2])
    return shape[:2] == head and int(np.prod(shape)) == head[0] * head[1] * width


def existing_targets(part: "Part", width: int = 1, *, values: bool = False) -> np.ndarray[Any, Any]:
    """Return the targets of a part, one a row, without those that nobody asks for.

    Those behind the end of a sequence are left out, and of classes a sample those of -1.

    Args:
        part: Of a task.
        width: As in `is_per_sample`.
        values: Whether they are values, of which every one is asked.

    Returns:
        `(answers, width)`: one answer a sequence, or one a sample where it is asked.
    """
    y = np.asarray(part.y)
    if not is_per_sample(part, width):
        return y.reshape(-1, width)
    n, time = part.x.shape[:2]
    exists = np.arange(time) < np.asarray(part.lengths)[:, None]
    found = np.asarray(y.reshape(n, time, width)[exists])
    return found if values or width > 1 else asked_answers(found)


def asked(batch: "Batch") -> "Tensor":
    """Return where a batch with a target a sample asks for an answer, `(batch, time)` bool.

    Args:
        batch: With `per_step`; its targets are int64 numbers of classes, -1 where none is asked,
            or values, which are asked at every sample that exists.
    """
    if batch.y.is_floating_point():
        return batch.valid
    return batch.valid & (batch.y != UNASKED)


def asked_after(
    batch: "Batch | LongBatch", stride: int, offset: int, decimator: str = "phase"
) -> int | None:
    """Return how many answers are asked of what a stage leaves; None where every sample asks.

    Args:
        batch: All samples.
        stride: One sample is kept in so many.
        offset: The phase.
        decimator: As for `decimate`.
    """
    from timegrain.training.batch import Batch, decimate

    if not batch.per_step:
        return None
    y = batch.y if isinstance(batch, Batch) else batch.targets()
    if y.is_floating_point() or not bool((y == UNASKED).any()):
        return None
    # a filter leaves targets where they are
    way = "mean" if decimator == "mean" else "phase"
    blank = y.new_zeros((*y.shape[:2], 1)).float()
    beside = Batch(x=blank, y=y, lengths=batch.lengths, per_step=True)
    return int(asked(decimate(beside, stride, offset=offset, decimator=way)).sum())
