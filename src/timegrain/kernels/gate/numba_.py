"""The gate, compiled: each number is read and written once.

With `s = sigmoid(z)`, recomputed backwards, `out = y z s` and

    dL/dy = g z s,  dL/dz = g y s (1 + z (1 - s)).
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.memory import load, load_some, store, store_some
from timegrain.kernels.vectors.sigmoid import sigmoid, silu_slope


@inner(forceinline=True)
def _backward_at(g, y, z):
    s = sigmoid(z)
    return g * (z * s), g * y * silu_slope(z, s)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, lanes, y, row, steps, out):
    """Gate the samples numbered `start` to `stop`, sequence-major.

    Args:
        start: The first sample.
        stop: The one after the last.
        sources: Part of the cache's key, not read.
        lanes: Numbers of a vector.
        y: `(b, l, d)`.
        row: The memory of z.
        steps: Numbers in it from sequence to sequence and from sample to sample.
        out: `(b, l, d)`, written everywhere.
    """
    length, channels = out.shape[1], out.shape[2]
    whole = channels - channels % lanes
    for sample in range(start, stop):
        batch, k = sample // length, sample % length
        at = batch * steps[0] + k * steps[1]
        for c in range(0, whole, lanes):
            z = load(row, (at + c,))
            store(out, (batch, k, c), load(y, (batch, k, c)) * (z * sigmoid(z)))
        if whole < channels:
            count = channels - whole
            z = load_some(row, (at + whole,), count)
            value = load_some(y, (batch, k, whole), count) * (z * sigmoid(z))
            store_some(out, (batch, k, whole), value, count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, lanes, y, row, steps, g, grads):
    """Gradients of the samples numbered `start` to `stop`.

    Args:
        start: As in `forward`.
        stop: As in `forward`.
        sources: As in `forward`.
        lanes: As in `forward`.
        y: As in `forward`.
        row: As in `forward`.
        steps: As in `forward`.
        g: Gradient of the output, `(b, l, d)`.
        grads: Of y and of z, each `(b, l, d)`, written everywhere.
    """
    g_y, g_z = grads
    length, channels = g.shape[1], g.shape[2]
    whole = channels - channels % lanes
    for sample in range(start, stop):
        batch, k = sample // length, sample % length
        at = batch * steps[0] + k * steps[1]
        for c in range(0, whole, lanes):
            found = _backward_at(
                load(g, (batch, k, c)), load(y, (batch, k, c)), load(row, (at + c,))
            )
            store(g_y, (batch, k, c), found[0])
            store(g_z, (batch, k, c), found[1])
        if whole < channels:
            count = channels - whole
            found = _backward_at(
                load_some(g, (batch, k, whole), count),
                load_some(y, (batch, k, whole), count),
                load_some(row, (at + whole,), count),
            )
            store_some(g_y, (batch, k, whole), found[0], count)
            store_some(g_z, (batch, k, whole), found[1], count)
