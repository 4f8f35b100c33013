"""Which samples of padded sequences exist, before and after dropping samples."""

import numpy as np
from jaxtyping import Bool, Int

from timegrain.core.errors import GridError, LayoutError


def coarse_lengths(
    lengths: Int[np.ndarray, " batch"], stride: int, *, offset: int = 0
) -> Int[np.ndarray, " batch"]:
    """Return how many samples of each sequence remain when every `stride`-th is kept.

    Args:
        lengths: Samples that exist, `(batch,)`, each >= 0.
        stride: Whole number >= 1.
        offset: Sample that comes first, >= 0.

    Returns:
        `ceil((length - offset) / stride)`, at least 0.

    Raises:
        GridError: If `stride < 1` or `offset < 0`.
        LayoutError: If a length is negative or no whole number.

    Example:
        >>> coarse_lengths(np.array([7, 8, 9]), 4).tolist()
        [2, 2, 3]
    """
    if stride < 1 or offset < 0:
        raise GridError(
            "samples cannot be dropped like this",
            got=f"stride={stride}, offset={offset}",
            expected="stride >= 1 and offset >= 0",
        )
    _check(lengths)
    signed = lengths.astype(np.int64)  # unsigned numbers have no minus
    return np.maximum(-(-(signed - offset) // stride), 0)


def valid_samples(lengths: Int[np.ndarray, " batch"], n: int) -> Bool[np.ndarray, "batch time"]:
    """Return True where a sample exists.

    Args:
        lengths: Samples that exist, `(batch,)`, each in `0..n`.
        n: Samples of the padded array.

    Raises:
        LayoutError: If a length is outside `0..n` or no whole number.

    Example:
        >>> valid_samples(np.array([1, 2]), 2).tolist()
        [[True, False], [True, True]]
    """
    _check(lengths)
    if lengths.size and int(lengths.max()) > n:
        raise LayoutError(
            "lengths points outside the array", got=int(lengths.max()), expected=f"0..{n}"
        )
    return np.arange(n) < lengths[:, None]


def _check(lengths: np.ndarray) -> None:
    if lengths.ndim != 1 or not np.issubdtype(lengths.dtype, np.integer):
        raise LayoutError(
            "lengths counts samples, one number a sequence",
            got=f"{lengths.dtype} of shape {lengths.shape}",
            expected="integers of shape (batch,)",
        )
    if lengths.size and int(lengths.min()) < 0:
        raise LayoutError("lengths counts samples", got=int(lengths.min()), expected=">= 0")
