"""What stands before the first and behind the last sample while a filter runs."""

import numpy as np
from jaxtyping import Float64


def odd_extension(
    rows: Float64[np.ndarray, "row time"], n: int
) -> Float64[np.ndarray, "row extended"]:
    """Return rows with `n` more samples at each end, mirrored in time and about the end's value.

    `x[-j] = 2 x[0] - x[j]`, and the same behind the end: lines go on as lines, and nothing jumps.

    Args:
        rows: One signal a row, longer than `n`.
        n: Samples to add at each end.

    Example:
        >>> odd_extension(np.array([[1.0, 2.0, 4.0]]), 2).tolist()
        [[-2.0, 0.0, 1.0, 2.0, 4.0, 6.0, 7.0]]
    """
    length = rows.shape[1]
    out = np.empty((rows.shape[0], length + 2 * n))
    out[:, n : n + length] = rows
    if n:
        out[:, :n] = 2 * rows[:, :1] - rows[:, n:0:-1]
        out[:, n + length :] = 2 * rows[:, -1:] - rows[:, -2 : -n - 2 : -1]
    return out
