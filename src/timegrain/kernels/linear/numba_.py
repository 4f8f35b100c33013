r"""The compiled loops of the linear recurrence, forward and backward: a vector of modes at a time.

Numbers are complex, as `vectors.complex_lanes` lays them out; a row of p of them is `w = 2 p` real
ones. Time is the outer loop, so that memory is read and written once and in order, and the vectors
of a row are independent chains that hide each other's latency.

The adjoint of `x_k = a_k x_{k-1} + b_k`, with `g` the gradient of x:

    h_k = g_k + conj(a_{k+1}) h_{k+1}
    dL/db_k = h_k,   dL/da_k = h_k conj(x_{k-1}),   dL/dx_{-1} = conj(a_0) h_0

A constant decay is an empty array of decays and compiled apart (`varying` is True or None, and
numba removes a branch on None).
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma
from timegrain.kernels.vectors.complex_lanes import collect, factor, swap, times, times_conjugate
from timegrain.kernels.vectors.memory import load, load_some, store, store_some

# Rows of a carry, `(vectors, rows, lanes)`: what a vector of modes keeps from step to step.
_STATE, _REAL, _IMAGINARY, _DIRECT, _CROSSED = 0, 1, 2, 3, 4


@inner(forceinline=True)
def _start(carry, decay, state, width):
    """Set up a carry from the state before a sequence and the constant decay, if there is one."""
    lanes = carry.shape[2]
    for j in range(carry.shape[0]):
        count = min(lanes, width - j * lanes)
        store(carry, (j, _STATE, 0), load_some(state, (j * lanes,), count))
        parts = factor(load_some(decay, (j * lanes,), min(count, decay.shape[0])))
        store(carry, (j, _REAL, 0), parts[0])
        store(carry, (j, _IMAGINARY, 0), parts[1])
        store(carry, (j, _DIRECT, 0), fill(carry, 0.0))
        store(carry, (j, _CROSSED, 0), fill(carry, 0.0))


@inner(forceinline=True)
def _parts(carry, j, decays, at, count, varying):
    if varying is None:
        return load(carry, (j, _REAL, 0)), load(carry, (j, _IMAGINARY, 0))
    return factor(load_some(decays, at, count))


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, carry, decay, decays, drive, before, states, varying):
    """Scan the sequences numbered `start` to `stop`.

    Args:
        start: The first sequence.
        stop: The sequence after the last one.
        sources: Part of the cache's key, not read.
        carry: Scratch memory `(vectors, 5, lanes)`.
        decay: `(w,)`, the same at every step, or empty.
        decays: `(b,l,w)`, one a step, or empty.
        drive: `(b,l,w)`.
        before: `(b,w)`, the state before the first step.
        states: `(b,l,w)`, written everywhere.
        varying: True where decays are given, None where the one decay is.
    """
    length, width = drive.shape[1], drive.shape[2]
    lanes = carry.shape[2]
    for b in range(start, stop):
        _start(carry, decay, before[b], width)
        for k in range(length):
            for j in range(carry.shape[0]):
                at, count = (b, k, j * lanes), min(lanes, width - j * lanes)
                parts = _parts(carry, j, decays, at, count, varying)
                push = load_some(drive, at, count)
                state = times(parts, load(carry, (j, _STATE, 0)), push)
                store(carry, (j, _STATE, 0), state)
                store_some(states, at, state, count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(
    start, stop, sources, carry, decay, decays, before, states, upstream, grads, wanted, varying
):
    """Gradients of the sequences numbered `start` to `stop`.

    Args:
        start: As in `forward`.
        stop: As in `forward`.
        sources: As in `forward`.
        carry: As in `forward`.
        decay: As in `forward`.
        decays: As in `forward`.
        before: As in `forward`.
        states: As `forward` left them.
        upstream: `(b,l,w)`, the gradient of the states.
        grads: Of the drive `(b,l,w)`, of the state before `(b,w)`, and of the decay: `(b,w)`, still
            to be summed over sequences, or `(b,l,w)`. Written everywhere but where not wanted.
        wanted: Whether the gradient of the decay is wanted.
        varying: As in `forward`.
    """
    to_drive, to_before, to_decay, to_decays = grads
    length, width = upstream.shape[1], upstream.shape[2]
    lanes, zero = carry.shape[2], fill(carry, 0.0)
    for b in range(start, stop):
        _start(carry, decay, before[b], width)
        for j in range(carry.shape[0]):
            store(carry, (j, _STATE, 0), zero)
        for k in range(length - 1, -1, -1):
            for j in range(carry.shape[0]):
                at, count = (b, k, j * lanes), min(lanes, width - j * lanes)
                g = load(carry, (j, _STATE, 0)) + load_some(upstream, at, count)
                store_some(to_drive, at, g, count)
                parts = _parts(carry, j, decays, at, count, varying)
                store(carry, (j, _STATE, 0), times_conjugate(parts, g, zero))
                if wanted:
                    if k > 0:
                        past = load_some(states, (b, k - 1, j * lanes), count)
                    else:
                        past = load_some(before, (b, j * lanes), count)
                    if varying is None:
                        direct = fma(g, past, load(carry, (j, _DIRECT, 0)))
                        crossed = fma(g, swap(past), load(carry, (j, _CROSSED, 0)))
                        store(carry, (j, _DIRECT, 0), direct)
                        store(carry, (j, _CROSSED, 0), crossed)
                    else:
                        store_some(to_decays, at, collect(g * past, g * swap(past)), count)
        for j in range(carry.shape[0]):
            at, count = (b, j * lanes), min(lanes, width - j * lanes)
            store_some(to_before, at, load(carry, (j, _STATE, 0)), count)
            if varying is None:
                total = collect(load(carry, (j, _DIRECT, 0)), load(carry, (j, _CROSSED, 0)))
                store_some(to_decay, at, total, count)
