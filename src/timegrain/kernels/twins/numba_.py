"""The compiled loops of twins: each number is read once, and no difference is written."""

from numba import njit

_SIMD = {"reassoc", "contract"}  # sums in lanes; NaN and infinity keep their meaning


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def write_twins(start, stop, rows, step, added, first, scales, batch):
    """Write the samples `start` to `stop` of all sequences.

    Args:
        start: The first sample.
        stop: The sample after the last one.
        rows: Rows of which every `step`-th is a sample, `(n,d)`.
        step: From 1.
        added: What twins have more, `(k,d)`.
        first: The first sample of it.
        scales: Amplitudes, `(a,)`.
        batch: `(2a,l,d)`, written there.
    """
    count, width = scales.shape[0], rows.shape[1]
    for i in range(count):
        scale = scales[i]
        for k in range(start, stop):
            more = k - first
            for c in range(width):
                value = scale * rows[k * step, c]
                batch[i, k, c] = value
                batch[count + i, k, c] = value
            if 0 <= more < added.shape[0]:
                for c in range(width):
                    batch[count + i, k, c] = scale * (rows[k * step, c] + added[more, c])


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False, fastmath=_SIMD)
def write_gaps(start, stop, one, other, squares):
    """Write the squared distances of the rows `start` to `stop`, counted over all sequences.

    Args:
        start: The first row.
        stop: The row after the last one.
        one: `(b,l,d)`.
        other: `(b,l,d)`.
        squares: `(b,l)`, written there.
    """
    length = one.shape[1]
    for row in range(start, stop):
        i, k = row // length, row % length
        total = 0.0
        for c in range(one.shape[2]):
            gap = other[i, k, c] - one[i, k, c]
            total += gap * gap
        squares[i, k] = total
