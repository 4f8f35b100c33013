"""The compiled loop of the direct term: both of its gradients in one pass over memory."""

from numba import njit


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def direct(start, stop, rows, given, inputs, weight, to_inputs, to_weight):
    """Write `given * weight`, and sums of `given * inputs`, for the blocks `start` to `stop`.

    Args:
        start: The first block of rows.
        stop: The block after the last one.
        rows: Rows of a block; the last one may have fewer.
        given: Gradient of the outputs, `(n,d)`.
        inputs: `(n,d)`.
        weight: `(d,)`.
        to_inputs: `(n,d)`, written everywhere.
        to_weight: `(blocks,d)`, a sum over the rows of each block, written everywhere.
    """
    channels = given.shape[1]
    for block in range(start, stop):
        for c in range(channels):
            to_weight[block, c] = 0
        for k in range(block * rows, min(given.shape[0], (block + 1) * rows)):
            for c in range(channels):
                g = given[k, c]
                to_inputs[k, c] = g * weight[c]
                to_weight[block, c] += g * inputs[k, c]
