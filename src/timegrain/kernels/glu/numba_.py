"""The gated sum, compiled: each number is read and written once.

With `s = sigmoid(b)`, recomputed backwards, `out = h + a s` and `dL/da = g s`,
`dL/db = g a s (1 - s)`; the gradient of h is g itself.
"""

from numba import njit

from timegrain.kernels.vectors.arithmetic import fill, fma
from timegrain.kernels.vectors.memory import load_some, store_some
from timegrain.kernels.vectors.sigmoid import sigmoid


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, lanes, h, z, out):
    """Compute the rows numbered `start` to `stop`.

    Args:
        start: The first row.
        stop: The row after the last one.
        sources: Part of the cache's key, not read.
        lanes: Numbers in a vector.
        h: `(rows, d)`.
        z: `(rows, 2 d)`: a, then b.
        out: As h, written everywhere.
    """
    width = h.shape[1]
    for row in range(start, stop):
        for first in range(0, width, lanes):
            count = min(lanes, width - first)
            a, b = load_some(z, (row, first), count), load_some(z, (row, width + first), count)
            value = fma(a, sigmoid(b), load_some(h, (row, first), count))
            store_some(out, (row, first), value, count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, lanes, length, g, steps, z, grad):
    """Compute the gradient of the rows numbered `start` to `stop`.

    Args:
        start: The first row.
        stop: The row after the last one.
        sources: Part of the cache's key, not read.
        lanes: Numbers in a vector.
        length: Rows of a sequence.
        g: The memory of the gradient of the output.
        steps: Numbers in it from sequence to sequence and from row to row: 0 after a mean over
            time, whose gradient is one for all rows.
        z: As in `forward`.
        grad: Of z, written everywhere.
    """
    width = z.shape[1] // 2
    for row in range(start, stop):
        at = row // length * steps[0] + row % length * steps[1]
        for first in range(0, width, lanes):
            count = min(lanes, width - first)
            a, s = load_some(z, (row, first), count), load_some(z, (row, width + first), count)
            s = sigmoid(s)
            through = load_some(g, (at + first,), count) * s
            store_some(grad, (row, first), through, count)
            slope = through * (a * (fill(z, 1.0) - s))
            store_some(grad, (row, width + first), slope, count)
