"""Answers at every sample of a sequence, side by side."""

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset

UNASKED = -1  # in the place of a class, where no answer is asked


def sample_answers(data: Dataset) -> np.ndarray:
    """Return the target of every sample, `(batch, time)`, 0 behind the end of a sequence.

    Args:
        data: With a target a sample; of classes -1 where no answer is asked.

    Raises:
        DataError: If there is none, or one is unknown.

    Example:
        >>> x = (np.zeros((3, 1)), np.zeros((2, 1)))
        >>> y = (np.array([1, 2, 3.0]), np.array([4, 5.0]))
        >>> sample_answers(Dataset(name="x", sequences=x, targets=y)).tolist()
        [[1.0, 2.0, 3.0], [4.0, 5.0, 0.0]]
    """
    if data.targets is None:
        raise DataError(f"{data.name!r} has no target a sample")
    if any(np.isnan(y).any() for y in data.targets):
        raise DataError(
            f"{data.name!r} cannot be learnt at every sample: targets are unknown",
            expected="a number at every sample",
        )
    answers = np.zeros((len(data), int(data.lengths.max())), dtype=data.targets[0].dtype)
    for row, y in zip(answers, data.targets, strict=True):
        row[: len(y)] = y
    return answers


def existing_answers(answers: np.ndarray, lengths: Int64[np.ndarray, " batch"]) -> np.ndarray:
    """Return the answers that are asked, of samples that exist, `(answer,)`.

    Args:
        answers: `(batch, time)`; of classes -1 where none is asked.
        lengths: Samples that exist in each sequence.

    Example:
        >>> existing_answers(np.array([[2, -1, 0], [-1, 1, 0]]), np.array([3, 2])).tolist()
        [2, 0, 1]
    """
    return asked_answers(answers[np.arange(answers.shape[1]) < lengths[:, None]])


def asked_answers(answers: np.ndarray) -> np.ndarray:
    """Return answers without those of classes that are not asked.

    Args:
        answers: `(answer,)` or `(answer, 1)`: integers, -1 where none is asked; or values.
    """
    if answers.dtype.kind != "i":
        return answers
    there = answers.reshape(-1) != UNASKED
    return answers if there.all() else answers[there]
