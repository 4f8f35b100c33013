"""Cases from what is drawn one by one."""

from collections.abc import Iterable

import numpy as np
from jaxtyping import Int64

from timegrain.data.generated.cases import Cases

Drawn = tuple[Int64[np.ndarray, " time"], int | Int64[np.ndarray, " time"]]


def gather(drawn: Iterable[Drawn], *, longest: int) -> Cases:
    """Return cases of tokens, padded with 0 to one width whichever are asked for.

    Args:
        drawn: The tokens of each case, and its answer or its answers, one a token.
        longest: Tokens of the longest case there could be.

    Example:
        >>> made = gather([(np.array([3, 1]), 7), (np.array([2]), 0)], longest=3)
        >>> made.sequences.tolist(), made.labels.tolist(), made.lengths.tolist()
        ([[3, 1, 0], [2, 0, 0]], [7, 0], [2, 1])
    """
    found = list(drawn)
    tokens = np.zeros((len(found), longest), dtype=np.int64)
    lengths = np.zeros(len(found), dtype=np.int64)
    labels: list[int | np.ndarray] = []
    for row, (sequence, label) in enumerate(found):
        tokens[row, : len(sequence)] = sequence
        lengths[row] = len(sequence)
        labels.append(label)
    whole = bool((lengths == longest).all())
    return Cases(
        sequences=tokens,
        labels=np.array(labels, dtype=np.int64),
        lengths=None if whole else lengths,
    )
