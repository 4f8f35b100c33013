"""The short convolution, compiled: rows of channels in time order, so that memory is streamed.

With `a_k = bias + sum_j w_j u_{k-K+1+j}` and `y = a sigmoid(a)` (or `y = a`), backwards in time

    g_k     = dL/dy_k (s + a s (1 - s)),  s = sigmoid(a_k), recomputed
    dL/du_k = sum_j w_{K-1-j} g_{k+j}
    dL/dw_j = sum_k g_k u_{k-K+1+j},  dL/dbias = sum_k g_k

of which K rows of g are kept in a ring. A sequence is cut into pieces of time that are worked on
apart: each reads K - 1 rows of its neighbour again. K is the length of a tuple, so that there is a
version for each and the loops over it are unrolled. Whole vectors away from the start take the
short way; what is left is masked.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma
from timegrain.kernels.vectors.memory import load, load_some, store, store_some
from timegrain.kernels.vectors.sigmoid import sigmoid, silu_slope


@inner(forceinline=True)
def _inside(read, taps, batch, k, c):
    """Return `a_k` of a whole vector of channels, whose samples all lie in the sequence."""
    flat, steps, weight, bias, _ = read
    out = load(bias, (c,))
    at = batch * steps[0] + (k - len(taps) + 1) * steps[1] + c
    for j in range(len(taps)):
        out = fma(load(flat, (at + j * steps[1],)), load(weight, (j, c)), out)
    return out


@inner(forceinline=True)
def _sample(read, batch, k, c, count):
    """Return some channels of sample k, which lies before the first one where k < 0."""
    flat, steps, _, _, before = read
    if k >= 0:
        return load_some(flat, (batch * steps[0] + k * steps[1] + c,), count)
    if before.shape[0] > 0:
        return load_some(before, (batch, before.shape[1] + k, c), count)
    return fill(flat, 0.0)


@inner(forceinline=True)
def _anywhere(read, taps, batch, k, c, count):
    """Return `a_k` of some channels."""
    out = load(read[3], (c,))
    for j in range(len(taps)):
        x = _sample(read, batch, k - len(taps) + 1 + j, c, count)
        out = fma(x, load(read[2], (j, c)), out)
    return out


@inner(forceinline=True)
def _activated(a, silu):
    if silu:
        a = a * sigmoid(a)
    return a


@inner(forceinline=True)
def _before_activation(g, a, silu):
    """Return the gradient of a from that of what was made of it."""
    if silu:
        s = sigmoid(a)
        g = g * silu_slope(a, s)
    return g


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, taps, sizes, read, y, silu):
    """Filter the (sequence, piece) pairs numbered `start` to `stop`.

    Args:
        start: The first pair, sequence-major.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        taps: A tuple of k numbers, of which only the length is used.
        sizes: Samples of a piece, and lanes of a vector.
        read: The memory of u, whose channels lie side by side; the numbers in it from sequence to
            sequence and from sample to sample; the weights `(k, D)` and the bias `(D,)`, zero from
            d up to D, whole vectors; the samples before, `(b, k - 1, d)`, or no numbers for zeros.
        y: `(b, l, d)`, written everywhere.
        silu: Whether y is `a sigmoid(a)`.
    """
    piece, lanes = sizes
    length, channels = y.shape[1], y.shape[2]
    pieces = (length + piece - 1) // piece
    for pair in range(start, stop):
        batch, first = pair // pieces, pair % pieces * piece
        for k in range(first, min(length, first + piece)):
            whole = channels - channels % lanes if k >= len(taps) - 1 else 0
            for c in range(0, whole, lanes):
                store(y, (batch, k, c), _activated(_inside(read, taps, batch, k, c), silu))
            for c in range(whole, channels, lanes):
                count = min(lanes, channels - c)
                a = _anywhere(read, taps, batch, k, c, count)
                store_some(y, (batch, k, c), _activated(a, silu), count)


@inner(forceinline=True)
def _spread(ring, weight, taps, k, c):
    """Return the gradient of sample k from the rows of g from k on."""
    out = fill(ring, 0.0)
    for j in range(len(taps)):
        row = load(ring, ((k + j) % len(taps), c))
        out = fma(row, load(weight, (len(taps) - 1 - j, c)), out)
    return out


@inner(forceinline=True)
def _add_inside(sums, read, taps, pair, g, batch, k, c):
    """Add what sample k brings to the gradients of the weights and the bias."""
    flat, steps = read[:2]
    at = batch * steps[0] + (k - len(taps) + 1) * steps[1] + c
    for j in range(len(taps)):
        x = load(flat, (at + j * steps[1],))
        store(sums, (pair, j, c), fma(g, x, load(sums, (pair, j, c))))
    store(sums, (pair, len(taps), c), g + load(sums, (pair, len(taps), c)))


@inner(forceinline=True)
def _add_anywhere(sums, read, taps, pair, g, batch, k, c, count):
    for j in range(len(taps)):
        x = _sample(read, batch, k - len(taps) + 1 + j, c, count)
        store(sums, (pair, j, c), fma(g, x, load(sums, (pair, j, c))))
    store(sums, (pair, len(taps), c), g + load(sums, (pair, len(taps), c)))


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, taps, sizes, read, ring, gy, grads, silu):
    """Gradients of the (sequence, piece) pairs numbered `start` to `stop`.

    Args:
        start: As in `forward`.
        stop: As in `forward`.
        sources: As in `forward`.
        taps: As in `forward`.
        sizes: As in `forward`.
        read: As in `forward`.
        ring: Scratch memory `(k, D)`.
        gy: Gradient of y, `(b, l, d)`.
        grads: Of u `(b, l, d)`; of the weights and, last, the bias `(pairs, k + 1, D)`, to be
            summed over the pairs; of the samples before `(b, k - 1, d)`. Written everywhere.
        silu: As in `forward`.
    """
    piece, lanes = sizes
    length, channels = gy.shape[1], gy.shape[2]
    g_u, sums, g_before = grads
    pieces = (length + piece - 1) // piece
    for pair in range(start, stop):
        batch, first = pair // pieces, pair % pieces * piece
        last = min(length, first + piece)
        ring[:] = 0.0
        sums[pair] = 0.0
        for k in range(min(length, last + len(taps) - 1) - 1, first - 1, -1):
            whole = channels - channels % lanes if len(taps) - 1 <= k < last else 0
            for c in range(0, whole, lanes):
                a = _inside(read, taps, batch, k, c)
                g = _before_activation(load(gy, (batch, k, c)), a, silu)
                store(ring, (k % len(taps), c), g)
                store(g_u, (batch, k, c), _spread(ring, read[2], taps, k, c))
                _add_inside(sums, read, taps, pair, g, batch, k, c)
            for c in range(whole, channels, lanes):
                count = min(lanes, channels - c)
                a = _anywhere(read, taps, batch, k, c, count)
                g = _before_activation(load_some(gy, (batch, k, c), count), a, silu)
                store(ring, (k % len(taps), c), g)
                if k < last:
                    store_some(g_u, (batch, k, c), _spread(ring, read[2], taps, k, c), count)
                    _add_anywhere(sums, read, taps, pair, g, batch, k, c, count)
        for k in range(-1, -len(taps) if first == 0 else -1, -1):
            for c in range(0, channels, lanes):
                store(ring, (k % len(taps), c), fill(ring, 0.0))
                total = _spread(ring, read[2], taps, k, c)
                count = min(lanes, channels - c)
                store_some(g_before, (batch, len(taps) - 1 + k, c), total, count)
