"""The compiled loop of squared distances: no difference is written to memory."""

from numba import njit

_SIMD = {"reassoc", "contract"}  # sums in lanes; NaN and infinity keep their meaning


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False, fastmath=_SIMD)
def write_squares(start, stop, one, other, squares):
    """Write the squared distance of the rows `start` to `stop`.

    Args:
        start: The first row.
        stop: The row after the last one.
        one: `(n,d)`.
        other: `(n,d)`.
        squares: `(n,)`, written there.
    """
    for k in range(start, stop):
        total = 0.0
        for c in range(one.shape[1]):
            gap = other[k, c] - one[k, c]
            total += gap * gap
        squares[k] = total
