"""The targets of a part of a task that are of samples that exist."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from timegrain.data.task import Part


def is_per_sample(part: "Part", width: int = 1) -> bool:
    """Return whether a part has a target for every sample.

    Args:
        part: Of a task.
        width: Numbers in a target: the values to predict, 1 for classes.
    """
    shape, head = np.shape(part.y), tuple(part.x.shape[:2])
    return shape[:2] == head and int(np.prod(shape)) == head[0] * head[1] * width


def existing_targets(part: "Part", width: int = 1) -> np.ndarray[Any, Any]:
    """Return the targets of a part, one a row, without those behind the end of a sequence.

    Args:
        part: Of a task.
        width: As in `is_per_sample`.

    Returns:
        `(answers, width)`: one answer a sequence, or one a sample that exists.
    """
    y = np.asarray(part.y)
    if not is_per_sample(part, width):
        return y.reshape(-1, width)
    n, time = part.x.shape[:2]
    exists = np.arange(time) < np.asarray(part.lengths)[:, None]
    return np.asarray(y.reshape(n, time, width)[exists])
