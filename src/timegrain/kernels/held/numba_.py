r"""The compiled loops of the held scan, forward and backward: a vector of modes at a time.

In memory a row of p complex numbers is `w = 2 p` real ones, the parts of each side by side; in
registers the parts are apart, so that a group of modes is two vectors. The factors of a step are
computed again only where the step differs from its neighbour's.

With `E = exp(z s)`, `w = (E - 1) / z` and `x_k = E x_{k-1} + w v_k`, and `r` the gradient of x:

    g_k         = r_k + conj(E_{k+1}) g_{k+1}
    dL/dv_k     = conj(w) g_k
    dL/dz       = sum_k g_k conj(s E x_{k-1} + dw/dz v_k)
    dL/ds_k     = Re sum_p g_k conj(E (z x_{k-1} + v_k))
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma, total
from timegrain.kernels.vectors.complex_lanes import first_half, imaginaries, reals, second_half
from timegrain.kernels.vectors.held_step import (
    DECAY,
    INVERSE,
    OWN,
    SLOPE,
    WEIGHT,
    Z,
    discretise,
    get,
    mark_zeros,
    put,
    scaled,
    times,
    times_conjugate,
)
from timegrain.kernels.vectors.memory import load_some, store_some

# Rows of a carry after those of the step, two for a complex number.
_STATE, _GRAD_Z = OWN, OWN + 2
CARRY_ROWS = OWN + 4


@inner(forceinline=True)
def _read(row, group, carry):
    """Return the parts of a group of modes of a row of complex numbers."""
    lanes, width = carry.shape[2], row.shape[0]
    at = 2 * group * lanes
    a = load_some(row, (at,), min(lanes, width - at))
    b = load_some(row, (at + lanes,), min(lanes, max(0, width - at - lanes)))
    return reals(a, b), imaginaries(a, b)


@inner(forceinline=True)
def _write(row, group, carry, value):
    lanes, width = carry.shape[2], row.shape[0]
    at = 2 * group * lanes
    store_some(row, (at,), first_half(value[0], value[1]), min(lanes, width - at))
    rest = min(lanes, max(0, width - at - lanes))
    store_some(row, (at + lanes,), second_half(value[0], value[1]), rest)


@inner(forceinline=True)
def _start(carry, system):
    """Set up a carry from z and its inverse."""
    zero = fill(carry, 0.0), fill(carry, 0.0)
    for n in range(carry.shape[0]):
        put(carry, (n,), Z, _read(system[0], n, carry))
        put(carry, (n,), INVERSE, _read(system[1], n, carry))
        put(carry, (n,), _GRAD_Z, zero)
    mark_zeros(carry)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, carry, table, drive, steps, system, before, states):
    """Scan the sequences numbered `start` to `stop`.

    Args:
        start: The first sequence.
        stop: The sequence after the last one.
        sources: Part of the cache's key, not read.
        carry: Scratch memory `(groups, CARRY_ROWS, lanes)`.
        table: Scratch memory `(1, groups, rows, lanes)`, as many rows as `held_step` says.
        drive: `(b,l,w)`.
        steps: `(b,l)` or `(1,l)`.
        system: z and its inverse, 0 where z is, `(w,)`.
        before: `(b,w)`, the state before the first step.
        states: `(b,l,w)`, written everywhere.
    """
    _start(carry, system)
    for b in range(start, stop):
        row = min(b, steps.shape[0] - 1)
        for n in range(carry.shape[0]):
            put(carry, (n,), _STATE, _read(before[b], n, carry))
        for k in range(drive.shape[1]):
            if k == 0 or steps[row, k] != steps[row, k - 1]:
                discretise(carry, table, 0, steps[row, k], False)
            for n in range(carry.shape[0]):
                weight, none = get(table, (0, n), WEIGHT), (fill(carry, 0.0), fill(carry, 0.0))
                push = times(weight, _read(drive[b, k], n, carry), none)
                state = times(get(table, (0, n), DECAY), get(carry, (n,), _STATE), push)
                put(carry, (n,), _STATE, state)
                _write(states[b, k], n, carry, state)


@inner(forceinline=True)
def _adjoint(n, step, v, past, given, through, carry, table):
    """Take a group of modes one step back; return the gradient of its drive and of the step."""
    none = fill(carry, 0.0), fill(carry, 0.0)
    state, decay = get(carry, (n,), _STATE), get(table, (0, n), DECAY)
    g = state[0] + given[0], state[1] + given[1]
    left = times(decay, past, none)
    moved = scaled(step, left, times(get(table, (0, n), SLOPE), v, none))
    put(carry, (n,), _GRAD_Z, times_conjugate(g, moved, get(carry, (n,), _GRAD_Z)))
    rate = times(get(carry, (n,), Z), left, times(decay, v, none))
    put(carry, (n,), _STATE, times_conjugate(g, decay, none))
    to_step = fma(g[0], rate[0], fma(g[1], rate[1], through))
    return times_conjugate(g, get(table, (0, n), WEIGHT), none), to_step


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(
    start, stop, sources, carry, table, drive, steps, system, before, states, given, grads
):
    """Gradients of the sequences numbered `start` to `stop`.

    Args:
        start: As in `forward`.
        stop: As in `forward`.
        sources: As in `forward`.
        carry: As in `forward`.
        table: As in `forward`.
        drive: As in `forward`.
        steps: As in `forward`.
        system: As in `forward`.
        before: As in `forward`.
        states: As `forward` left them.
        given: `(b,l,w)`, the gradient of the states.
        grads: Of the drive `(b,l,w)`, of the steps `(b,l)`, of z `(b,w)`, still to be summed over
            sequences, and of the state before `(b,w)`. Written everywhere.
    """
    to_drive, to_steps, to_z, to_before = grads
    none = fill(carry, 0.0), fill(carry, 0.0)
    length = drive.shape[1]
    for b in range(start, stop):
        _start(carry, system)
        row = min(b, steps.shape[0] - 1)
        for n in range(carry.shape[0]):
            put(carry, (n,), _STATE, none)
        for k in range(length - 1, -1, -1):
            if k == length - 1 or steps[row, k] != steps[row, k + 1]:
                discretise(carry, table, 0, steps[row, k], True)
            step, through = fill(carry, steps[row, k]), fill(carry, 0.0)
            for n in range(carry.shape[0]):
                v, r = _read(drive[b, k], n, carry), _read(given[b, k], n, carry)
                past = _read(states[b, k - 1], n, carry) if k > 0 else _read(before[b], n, carry)
                to_v, through = _adjoint(n, step, v, past, r, through, carry, table)
                _write(to_drive[b, k], n, carry, to_v)
            to_steps[b, k] = total(through)
        for n in range(carry.shape[0]):
            _write(to_before[b], n, carry, get(carry, (n,), _STATE))
            _write(to_z[b], n, carry, get(carry, (n,), _GRAD_Z))
