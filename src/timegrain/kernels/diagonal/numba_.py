r"""The compiled loops of the diagonal scan, forward and backward: a vector of channels at a time.

A block is one vector of channels. Its complex state, `(n, 2, lanes)`, stays in the first-level
cache while time runs, and nothing of size `(b, l, d, n)` exists. The factors of a step are computed
again only where the step differs from the one before it: with one step for all samples, or one a
sequence, that is once; padding costs one more.

The forward pass can leave the state behind every `chunk` steps. The backward pass starts from those
checkpoints, last chunk first, rebuilds the states of one chunk, and runs the adjoint over it. With
`E = exp(z s)`, `w = (E - 1) / z`, `x_k = E x_{k-1} + w u_k`, `y_k = 2 Re sum_n C x_k`:

    g_k         = 2 gy_k conj(C) + conj(E_{k+1}) g_{k+1}
    dL/du_k     = Re sum_n g_k conj(w)
    dL/dC       = sum_k 2 gy_k conj(x_k)
    dL/dz       = sum_k g_k conj(s E x_{k-1} + dw/dz u_k)
    dL/ds_k     = Re sum_n g_k conj(E (z x_{k-1} + u_k))

Complex numbers are pairs of vectors here, as in `vectors.held_step`.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma, total
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
_C, _STATE, _GRAD_Z, _GRAD_C = OWN, OWN + 2, OWN + 4, OWN + 6
CARRY_ROWS = OWN + 8


@inner(forceinline=True)
def _fill(carry, row, values, first, width):
    """Lay `values[first:first+width, :]` out as lanes, zero beyond `width`."""
    for n in range(carry.shape[0]):
        for j in range(carry.shape[2]):
            carry[n, row, j] = values[first + j, n].real if j < width else 0.0
            carry[n, row + 1, j] = values[first + j, n].imag if j < width else 0.0


@inner(forceinline=True)
def _copy(carry, row, values, first, width):
    """Write lanes back to `values[first:first+width, :]`."""
    for n in range(carry.shape[0]):
        for j in range(width):
            values[first + j, n] = complex(carry[n, row, j], carry[n, row + 1, j])


@inner(forceinline=True)
def _start(carry, system, state, first, width):
    """Set up a carry from `z`, its inverse (0 at 0), C and the state."""
    _fill(carry, Z, system[0], first, width)
    _fill(carry, INVERSE, system[1], first, width)
    _fill(carry, _C, system[2], first, width)
    _fill(carry, _STATE, state, first, width)
    mark_zeros(carry)
    for n in range(carry.shape[0]):
        for j in range(carry.shape[2]):
            # 2 Re(C x) is then a sum of products
            carry[n, _C, j] = 2.0 * carry[n, _C, j]
            carry[n, _C + 1, j] = -2.0 * carry[n, _C + 1, j]


@inner(forceinline=True)
def _forward_block(batch, block, count, carry, table, inputs, y, checkpoints, chunk):
    """Run one block of one sequence from the state in `carry`."""
    u, steps = inputs
    first, row = block * carry.shape[2], min(batch, steps.shape[0] - 1)
    for k in range(u.shape[1]):
        if checkpoints.shape[2] > 0 and k % chunk == 0:
            for n in range(carry.shape[0]):
                put(checkpoints, (batch, block, k // chunk, n), 0, get(carry, (n,), _STATE))
        if k == 0 or steps[row, k] != steps[row, k - 1]:
            discretise(carry, table, 0, steps[row, k], False)
        x, out = load_some(u, (batch, k, first), count), fill(u, 0.0)
        for n in range(carry.shape[0]):
            weight = get(table, (0, n), WEIGHT)
            push = weight[0] * x, weight[1] * x
            state = times(get(table, (0, n), DECAY), get(carry, (n,), _STATE), push)
            put(carry, (n,), _STATE, state)
            c = get(carry, (n,), _C)
            out = fma(c[0], state[0], fma(c[1], state[1], out))
        store_some(y, (batch, k, first), out, count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, carry, table, inputs, system, h0, outputs, checkpoints, chunk):
    """Scan the (sequence, block) pairs numbered `start` to `stop`.

    Args:
        start: The first pair; pairs are numbered sequence-major.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        carry: Scratch memory `(n, CARRY_ROWS, lanes)`.
        table: Scratch memory `(1, n, FACTOR_ROWS, lanes)`, as many rows as `held_step` says.
        inputs: u `(b,l,d)` and steps `(b,l)` or `(1,l)`.
        system: Complex `z, 1/z, C (d,n)`, contiguous; `1/z` is 0 where z is.
        h0: Complex `(b,d,n)`.
        outputs: `y (b,l,d)` and the last state `(b,d,n)`, written everywhere.
        checkpoints: `(b, blocks, chunks, n, 2, lanes)`, the state before each chunk, or no chunks.
        chunk: Steps between checkpoints.
    """
    width, lanes = inputs[0].shape[2], carry.shape[2]
    y, last = outputs
    blocks = (width + lanes - 1) // lanes
    for pair in range(start, stop):
        batch, block = pair // blocks, pair % blocks
        first = block * lanes
        count = min(lanes, width - first)
        _start(carry, system, h0[batch], first, count)
        _forward_block(batch, block, count, carry, table, inputs, y, checkpoints, chunk)
        _copy(carry, _STATE, last[batch], first, count)


@inner(forceinline=True)
def _rebuild(batch, first, count, span, carry, tape, table, slots, inputs):
    """Recompute the factors and states of one chunk from the state at the tape's beginning."""
    u, steps = inputs
    row, slot = min(batch, steps.shape[0] - 1), -1
    for i in range(span[1] - span[0]):
        k = span[0] + i
        if i == 0 or steps[row, k] != steps[row, k - 1]:
            slot += 1
            discretise(carry, table, slot, steps[row, k], True)
        slots[i] = slot
        x = load_some(u, (batch, k, first), count)
        for n in range(carry.shape[0]):
            weight = get(table, (slot, n), WEIGHT)
            push = weight[0] * x, weight[1] * x
            state = times(get(table, (slot, n), DECAY), get(tape, (i, n), 0), push)
            put(tape, (i + 1, n), 0, state)


@inner(forceinline=True)
def _adjoint_mode(i, slot, n, step, x, gy, through, carry, tape, table, stepped):
    """Take one mode one step back; `through` collects the gradients of the input and the step."""
    decay, weight = get(table, (slot, n), DECAY), get(table, (slot, n), WEIGHT)
    slope, nothing = get(table, (slot, n), SLOPE), (fill(carry, 0.0), fill(carry, 0.0))
    g = scaled(gy, get(carry, (n,), _C), get(carry, (n,), _STATE))
    after = scaled(gy, get(tape, (i + 1, n), 0), get(carry, (n,), _GRAD_C))
    put(carry, (n,), _GRAD_C, after)
    to_input = fma(g[0], weight[0], fma(g[1], weight[1], through[0]))
    before = get(tape, (i, n), 0)
    left = times(decay, before, nothing)
    moved = scaled(step, left, (slope[0] * x, slope[1] * x))
    put(carry, (n,), _GRAD_Z, times_conjugate(g, moved, get(carry, (n,), _GRAD_Z)))
    to_step = through[1]
    if stepped:
        rate = times(get(carry, (n,), Z), left, (decay[0] * x, decay[1] * x))
        to_step = fma(g[0], rate[0], fma(g[1], rate[1], to_step))
    put(carry, (n,), _STATE, times_conjugate(g, decay, nothing))
    return to_input, to_step


@inner(forceinline=True)
def _adjoint(batch, block, count, span, carry, tape, table, slots, inputs, gy, grads):
    """Run the adjoint over one rebuilt chunk, last step first."""
    u, steps = inputs
    to_u, to_steps = grads
    first, row = block * carry.shape[2], min(batch, steps.shape[0] - 1)
    stepped = to_steps.shape[0] > 0
    for i in range(span[1] - span[0] - 1, -1, -1):
        k = span[0] + i
        x = load_some(u, (batch, k, first), count)
        g_out = load_some(gy, (batch, k, first), count)
        step, slot = fill(u, steps[row, k]), slots[i]
        through = (fill(u, 0.0), fill(u, 0.0))
        for n in range(carry.shape[0]):
            through = _adjoint_mode(
                i, slot, n, step, x, g_out, through, carry, tape, table, stepped
            )  # fmt: skip
        store_some(to_u, (batch, k, first), through[0], count)
        if stepped:
            to_steps[block, batch, k] = total(through[1])


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, scratch, inputs, system, checkpoints, upstream, grads, chunk):
    """Gradients of the (sequence, block) pairs numbered `start` to `stop`.

    Args:
        start: As in `forward`.
        stop: As in `forward`.
        sources: As in `forward`.
        scratch: A carry and a table as in `forward`, the table with `chunk` slots, a tape
            `(chunk + 1, n, 2, lanes)` and the slot of each step, `(chunk,)`.
        inputs: As in `forward`.
        system: As in `forward`.
        checkpoints: As `forward` left them.
        upstream: Gradients of y `(b,l,d)` and of the last state `(b,d,n)`.
        grads: Of u `(b,l,d)`, of the steps `(blocks,b,l)`, still to be summed over blocks, or
            empty, of z and C `(b,d,n)`, still to be summed over sequences (that of C is to be
            doubled and conjugated), and of the state `(b,d,n)`. Written everywhere.
        chunk: As in `forward`.
    """
    carry, table, tape, slots = scratch
    gy, g_last = upstream
    length, width, lanes = gy.shape[1], gy.shape[2], carry.shape[2]
    blocks = (width + lanes - 1) // lanes
    for pair in range(start, stop):
        batch, block = pair // blocks, pair % blocks
        first = block * lanes
        count = min(lanes, width - first)
        _start(carry, system, g_last[batch], first, count)
        carry[:, _GRAD_Z:] = 0.0
        for piece in range((length - 1) // chunk, -1, -1):
            span = (piece * chunk, min(length, (piece + 1) * chunk))
            for n in range(carry.shape[0]):
                put(tape, (0, n), 0, get(checkpoints, (batch, block, piece, n), 0))
            _rebuild(batch, first, count, span, carry, tape, table, slots, inputs)
            _adjoint(
                batch, block, count, span, carry, tape, table, slots, inputs, gy, grads[:2]
            )  # fmt: skip
        _copy(carry, _GRAD_Z, grads[2][batch], first, count)
        _copy(carry, _GRAD_C, grads[3][batch], first, count)
        _copy(carry, _STATE, grads[4][batch], first, count)
