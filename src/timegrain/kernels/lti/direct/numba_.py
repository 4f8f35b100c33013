r"""Causal convolution as sums: a vector of channels at a time, eight outputs in registers.

For each input sample and eight outputs there are eight multiply-adds and nine loads; the last
seven samples reach only the outputs from their own on, so that NaN stays out of the past. All three
products of a convolution and its gradients have this form:

    y = K * u,    rev(gu) = K * rev(gy),    rev(gK) = u * rev(gy),

where `rev` reverses time; the gradient of K is added up over sequences.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma
from timegrain.kernels.vectors.memory import load, load_some, store, store_some

TILE = 8


@inner(forceinline=True)
def _gather(source, batch, first, count, target, reverse):
    """Write the channels `first..first+count` of one sequence as rows of lanes."""
    length = source.shape[1]
    for t in range(length):
        row = length - 1 - t if reverse else t
        store(target, (row, 0), load_some(source, (batch, t, first), count))


@inner(forceinline=True)
def _clear(target):
    for row in range(target.shape[0]):
        store(target, (row, 0), fill(target, 0.0))


@inner(forceinline=True)
def _convolve(x, taps, out, length, add):
    """Set, or with `add` increase, `out[t]` by `sum_j taps[t - j] x[j]` over `j <= t`.

    Rows from `length` on mean nothing.
    """
    zero = fill(x, 0.0)
    for t in range(0, length, 8):
        a0, a1, a2, a3, a4, a5, a6, a7 = zero, zero, zero, zero, zero, zero, zero, zero
        if add:
            a0, a1, a2, a3 = (
                load(out, (t, 0)), load(out, (t + 1, 0)),
                load(out, (t + 2, 0)), load(out, (t + 3, 0)),
            )  # fmt: skip
            a4, a5, a6, a7 = (
                load(out, (t + 4, 0)), load(out, (t + 5, 0)),
                load(out, (t + 6, 0)), load(out, (t + 7, 0)),
            )  # fmt: skip
        for j in range(t + 1):
            value = load(x, (j, 0))
            k = t - j
            a0 = fma(value, load(taps, (k, 0)), a0)
            a1 = fma(value, load(taps, (k + 1, 0)), a1)
            a2 = fma(value, load(taps, (k + 2, 0)), a2)
            a3 = fma(value, load(taps, (k + 3, 0)), a3)
            a4 = fma(value, load(taps, (k + 4, 0)), a4)
            a5 = fma(value, load(taps, (k + 5, 0)), a5)
            a6 = fma(value, load(taps, (k + 6, 0)), a6)
            a7 = fma(value, load(taps, (k + 7, 0)), a7)
        k0, k1, k2 = load(taps, (0, 0)), load(taps, (1, 0)), load(taps, (2, 0))
        k3, k4, k5, k6 = (
            load(taps, (3, 0)), load(taps, (4, 0)), load(taps, (5, 0)), load(taps, (6, 0))
        )  # fmt: skip
        value = load(x, (t + 1, 0))
        a1, a2, a3, a4 = (
            fma(value, k0, a1),
            fma(value, k1, a2),
            fma(value, k2, a3),
            fma(value, k3, a4),
        )
        a5, a6, a7 = fma(value, k4, a5), fma(value, k5, a6), fma(value, k6, a7)
        value = load(x, (t + 2, 0))
        a2, a3, a4 = fma(value, k0, a2), fma(value, k1, a3), fma(value, k2, a4)
        a5, a6, a7 = fma(value, k3, a5), fma(value, k4, a6), fma(value, k5, a7)
        value = load(x, (t + 3, 0))
        a3, a4, a5 = fma(value, k0, a3), fma(value, k1, a4), fma(value, k2, a5)
        a6, a7 = fma(value, k3, a6), fma(value, k4, a7)
        value = load(x, (t + 4, 0))
        a4, a5 = fma(value, k0, a4), fma(value, k1, a5)
        a6, a7 = fma(value, k2, a6), fma(value, k3, a7)
        value = load(x, (t + 5, 0))
        a5, a6, a7 = fma(value, k0, a5), fma(value, k1, a6), fma(value, k2, a7)
        value = load(x, (t + 6, 0))
        a6, a7 = fma(value, k0, a6), fma(value, k1, a7)
        a7 = fma(load(x, (t + 7, 0)), k0, a7)
        store(out, (t, 0), a0)
        store(out, (t + 1, 0), a1)
        store(out, (t + 2, 0), a2)
        store(out, (t + 3, 0), a3)
        store(out, (t + 4, 0), a4)
        store(out, (t + 5, 0), a5)
        store(out, (t + 6, 0), a6)
        store(out, (t + 7, 0), a7)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, scratch, u, K, y):
    """Convolve the (block of channels, sequence) pairs numbered `start` to `stop`.

    Args:
        start: The first pair; pairs are numbered block-major.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        scratch: Memory `(3, l rounded up to TILE, lanes)`.
        u: Input `(b, l, d)`.
        K: Kernel `(1, l, d)`.
        y: Output `(b, l, d)`, written everywhere.
    """
    batch, length, width = u.shape
    lanes = scratch.shape[2]
    x, taps, out = scratch[0], scratch[1], scratch[2]
    known = -1
    for pair in range(start, stop):
        block, b = pair // batch, pair % batch
        first = block * lanes
        count = min(lanes, width - first)
        if block != known:
            _gather(K, 0, first, count, taps, False)
            known = block
        _gather(u, b, first, count, x, False)
        _convolve(x, taps, out, length, False)
        for t in range(length):
            store_some(y, (b, t, first), load(out, (t, 0)), count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, scratch, inputs, gy, grads):
    """Gradients of the (block of channels, group of sequences) pairs numbered `start` to `stop`.

    Args:
        start: The first pair, block-major; the groups share the sequences evenly.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        scratch: Memory `(5, l rounded up to TILE, lanes)`.
        inputs: `u (b, l, d)` and `K (1, l, d)`.
        gy: Gradient of the output, `(b, l, d)`.
        grads: Of `u (b, l, d)` and of `K (groups, l, d)`, the latter still to be summed over
            groups; written everywhere.
    """
    u, K = inputs
    gu, gK = grads
    batch, length, width = u.shape
    groups, lanes = gK.shape[0], scratch.shape[2]
    x, taps, out = scratch[0], scratch[1], scratch[2]
    signal, total = scratch[3], scratch[4]
    for pair in range(start, stop):
        block, group = pair // groups, pair % groups
        first = block * lanes
        count = min(lanes, width - first)
        _gather(K, 0, first, count, taps, False)
        _clear(total)
        for b in range(batch * group // groups, batch * (group + 1) // groups):
            _gather(gy, b, first, count, x, True)
            _convolve(x, taps, out, length, False)
            for t in range(length):
                store_some(gu, (b, length - 1 - t, first), load(out, (t, 0)), count)
            _gather(u, b, first, count, signal, False)
            _convolve(x, signal, total, length, True)
        for t in range(length):
            store_some(gK, (group, length - 1 - t, first), load(total, (t, 0)), count)
