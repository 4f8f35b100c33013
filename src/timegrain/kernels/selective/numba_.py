r"""The compiled loops of the selective scan, forward and backward: a vector of channels at a time.

A block is one vector of channels. Its state, `(n, lanes)`, stays in the first-level cache while
time runs, and nothing of size `(b, l, d, n)` exists. The forward pass can leave the state behind
every `chunk` steps. The backward pass starts from those checkpoints, last chunk first, rebuilds the
states of one chunk in scratch memory, and runs the adjoint recursion over it:

    g_k        = C_k gy_k + exp(delta_{k+1} A) g_{k+1}
    dL/dB_k    = sum_d g_k w_k u_k
    dL/dC_k    = sum_d gy_k h_k
    dL/d(delta_k A) = g_k exp(delta_k A) h_{k-1}        (through the decay)

with the weight `w = delta` (Euler B) or `expm1(delta A)/A` (ZOH B), whose derivative with respect
to delta is `exp(delta A)`. Sums over channels are kept lane by lane over the blocks of a sequence
and added up once a chunk.

ZOH and Euler B are compiled apart: `zoh` is True or None, and numba removes a branch on None. Other
absent arguments are empty arrays, so that there are two versions a dtype and not sixteen.
"""

from numba import njit

from timegrain.kernels.exponential import exponential, exponential_and_weight, weight_slope
from timegrain.kernels.lanes import fill, fma, load, load_some, store, store_some, total

# Rows of a carry, `(n, rows, lanes)`: what a block keeps from step to step.
_A, _STATE, _GRAD_A, _INVERSE = 0, 1, 2, 3
# Rows of a tape, `(chunk + 1, n, rows, lanes)`: what a chunk remembers of each step. Neighbours in
# memory are used together; arrays of their own would sit 4096 bytes apart and stall the loads.
_BEFORE, _DECAY, _GRAD_B, _GRAD_C, _WEIGHT = 0, 1, 2, 3, 4


@njit(forceinline=True)
def _fill(carry, row, values, first, width):
    """Lay `values[first:first+width, :]` out as lanes, zero beyond `width`."""
    for n in range(carry.shape[0]):
        for j in range(carry.shape[2]):
            carry[n, row, j] = values[first + j, n] if j < width else 0.0


@njit(forceinline=True)
def _copy(carry, row, values, first, width):
    """Write lanes back to `values[first:first+width, :]`."""
    for n in range(carry.shape[0]):
        for j in range(width):
            values[first + j, n] = carry[n, row, j]


@njit(forceinline=True)
def _start(carry, A, state, first, width, zoh):
    """Set up a carry: A, the state, and 1/A for ZOH."""
    _fill(carry, _A, A, first, width)
    _fill(carry, _STATE, state, first, width)
    if zoh is not None:
        for n in range(carry.shape[0]):
            for j in range(carry.shape[2]):
                carry[n, _INVERSE, j] = 1.0 / carry[n, _A, j]


@njit(forceinline=True)
def _decay_and_push(n, step, x, drive, b, carry, zoh):
    """Return `exp(step A)`, the weight of the input, and what the input adds to the state."""
    z = step * load(carry, (n, _A, 0))
    if zoh is None:
        return exponential(z), step, drive * b
    decay, weight = exponential_and_weight(z, step, load(carry, (n, _INVERSE, 0)))
    return decay, weight, weight * (x * b)


@njit(forceinline=True)
def _forward_block(batch, block, count, carry, inputs, D, y, checkpoints, chunk, zoh):
    """Run one block of one sequence from the state in `carry`."""
    u, delta, _, B, C = inputs
    first = block * carry.shape[2]
    direct = load_some(D, (first,), min(count, D.shape[0]))
    for k in range(u.shape[1]):
        if checkpoints.shape[2] > 0 and k % chunk == 0:
            for n in range(carry.shape[0]):
                state = load(carry, (n, _STATE, 0))
                store(checkpoints, (batch, block, k // chunk, n, 0), state)
        step = load_some(delta, (batch, k, first), count)
        x = load_some(u, (batch, k, first), count)
        drive = step * x
        out = fill(u, 0.0)
        if D.shape[0] > 0:
            out = x * direct
        for n in range(carry.shape[0]):
            b = fill(u, B[batch, k, n])
            decay, _, push = _decay_and_push(n, step, x, drive, b, carry, zoh)
            state = fma(decay, load(carry, (n, _STATE, 0)), push)
            store(carry, (n, _STATE, 0), state)
            out = fma(state, fill(u, C[batch, k, n]), out)
        store_some(y, (batch, k, first), out, count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, helpers, carry, inputs, D, h0, outputs, checkpoints, chunk, zoh):
    """Scan the (sequence, block) pairs numbered `start` to `stop`.

    Args:
        start: The first pair; pairs are numbered sequence-major.
        stop: The pair after the last one.
        helpers: Part of the cache's key, not read.
        carry: Scratch memory `(n, 4, lanes)`.
        inputs: `u, delta (b,l,d); A (d,n); B, C (b,l,n)`, contiguous, of one dtype.
        D: `(d,)` or empty.
        h0: `(b,d,n)`.
        outputs: `y (b,l,d)` and the last state `(b,d,n)`, written everywhere.
        checkpoints: `(b, blocks, chunks, n, lanes)`, the state before each chunk, or no chunks.
        chunk: Steps between checkpoints.
        zoh: True for ZOH B, None for Euler B.
    """
    A, width, lanes = inputs[2], inputs[2].shape[0], carry.shape[2]
    y, last = outputs
    blocks = (width + lanes - 1) // lanes
    for pair in range(start, stop):
        batch, block = pair // blocks, pair % blocks
        first = block * lanes
        count = min(lanes, width - first)
        _start(carry, A, h0[batch], first, count, zoh)
        _forward_block(batch, block, count, carry, inputs, D, y, checkpoints, chunk, zoh)
        _copy(carry, _STATE, last[batch], first, count)


@njit(forceinline=True)
def _rebuild(batch, first, count, span, start, carry, inputs, tape, zoh):
    """Recompute the states, decays and weights of one chunk from the state before it."""
    u, delta, _, B, _ = inputs
    for n in range(carry.shape[0]):
        store(tape, (0, n, _BEFORE, 0), load(start, (n, 0)))
    for i in range(span[1] - span[0]):
        k = span[0] + i
        step = load_some(delta, (batch, k, first), count)
        x = load_some(u, (batch, k, first), count)
        drive = step * x
        for n in range(carry.shape[0]):
            b = fill(u, B[batch, k, n])
            decay, weight, push = _decay_and_push(n, step, x, drive, b, carry, zoh)
            state = fma(decay, load(tape, (i, n, _BEFORE, 0)), push)
            store(tape, (i, n, _DECAY, 0), decay)
            if zoh is not None:
                store(tape, (i, n, _WEIGHT, 0), weight)
            store(tape, (i + 1, n, _BEFORE, 0), state)


@njit(forceinline=True)
def _adjoint_state(i, n, g_out, step, b, c, x, drive, through, carry, tape, zoh):
    """Take one state one step back; `through` collects the gradients to its input and to delta."""
    through_input, through_delta = through
    decay, a = load(tape, (i, n, _DECAY, 0)), load(carry, (n, _A, 0))
    g = fma(g_out, c, load(carry, (n, _STATE, 0)))
    grad_c = fma(g_out, load(tape, (i + 1, n, _BEFORE, 0)), load(tape, (i, n, _GRAD_C, 0)))
    store(tape, (i, n, _GRAD_C, 0), grad_c)
    carried = g * decay
    g_z = carried * load(tape, (i, n, _BEFORE, 0))
    grad_a = fma(g_z, step, load(carry, (n, _GRAD_A, 0)))
    grad_b = load(tape, (i, n, _GRAD_B, 0))
    through_delta = fma(g_z, a, through_delta)
    if zoh is None:
        through_input = fma(g, b, through_input)
        grad_b = fma(g, drive, grad_b)
    else:
        weight, push = load(tape, (i, n, _WEIGHT, 0)), g * (x * b)
        weighted = g * weight
        through_input = fma(weighted, b, through_input)
        grad_b = fma(weighted, x, grad_b)
        through_delta = fma(push, decay, through_delta)
        slope = weight_slope(step * a, step, load(carry, (n, _INVERSE, 0)), decay, weight)
        grad_a = fma(push, slope, grad_a)
    store(tape, (i, n, _GRAD_B, 0), grad_b)
    store(carry, (n, _GRAD_A, 0), grad_a)
    store(carry, (n, _STATE, 0), carried)
    return through_input, through_delta


@njit(forceinline=True)
def _adjoint(batch, first, count, span, carry, inputs, D, gy, grads, tape, zoh):
    """Run the adjoint over one rebuilt chunk, last step first."""
    u, delta, _, B, C = inputs
    direct = load_some(D, (first,), min(count, D.shape[0]))
    for i in range(span[1] - span[0] - 1, -1, -1):
        k = span[0] + i
        step = load_some(delta, (batch, k, first), count)
        x = load_some(u, (batch, k, first), count)
        g_out = load_some(gy, (batch, k, first), count)
        drive = step * x
        through = (fill(u, 0.0), fill(u, 0.0))
        for n in range(carry.shape[0]):
            b, c = fill(u, B[batch, k, n]), fill(u, C[batch, k, n])
            through = _adjoint_state(
                i, n, g_out, step, b, c, x, drive, through, carry, tape, zoh
            )  # fmt: skip
        g_u, g_delta = through
        if zoh is None:
            g_u, g_delta = through[0] * step, fma(through[0], x, through[1])
        if D.shape[0] > 0:
            g_u = fma(g_out, direct, g_u)
        store_some(grads[0], (batch, k, first), g_u, count)
        store_some(grads[1], (batch, k, first), g_delta, count)


@njit(forceinline=True)
def _clear(tape):
    for i in range(tape.shape[0]):
        for n in range(tape.shape[1]):
            store(tape, (i, n, _GRAD_B, 0), fill(tape, 0.0))
            store(tape, (i, n, _GRAD_C, 0), fill(tape, 0.0))


@njit(forceinline=True)
def _add_lanes(batch, group, span, tape, gB, gC):
    for i in range(span[1] - span[0]):
        for n in range(tape.shape[1]):
            gB[group, batch, span[0] + i, n] = total(load(tape, (i, n, _GRAD_B, 0)))
            gC[group, batch, span[0] + i, n] = total(load(tape, (i, n, _GRAD_C, 0)))


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(
    start, stop, helpers, carries, tape, inputs, D, checkpoints, upstream, grads, chunk, zoh
):
    """Gradients of the (sequence, group of blocks) pairs numbered `start` to `stop`.

    Args:
        start: The first pair, sequence-major; a group is `carries.shape[0]` blocks or the rest.
        stop: The pair after the last one.
        helpers: Part of the cache's key, not read.
        carries: Scratch memory `(blocks, n, 4, lanes)`.
        tape: Scratch memory `(chunk + 1, n, 5, lanes)`.
        inputs: As in `forward`.
        D: As in `forward`.
        checkpoints: As `forward` left them.
        upstream: Gradients of y `(b,l,d)` and of the last state `(b,d,n)`.
        grads: `u, delta (b,l,d); A (b,d,n); B, C (groups,b,l,n); h0 (b,d,n)`, written everywhere;
            those of A, B and C are still to be summed over their first axis.
        chunk: As in `forward`.
        zoh: As in `forward`.
    """
    gy, g_last = upstream
    gA, gB, gC, g0 = grads[2:]
    length, width, lanes = gy.shape[1], gy.shape[2], tape.shape[3]
    blocks, groups = (width + lanes - 1) // lanes, gB.shape[0]
    for pair in range(start, stop):
        batch, group = pair // groups, pair % groups
        begin = group * carries.shape[0]
        members = min(carries.shape[0], blocks - begin)
        for m in range(members):
            first = (begin + m) * lanes
            count = min(lanes, width - first)
            _start(carries[m], inputs[2], g_last[batch], first, count, zoh)
            carries[m, :, _GRAD_A] = 0.0
        for piece in range((length - 1) // chunk, -1, -1):
            span = (piece * chunk, min(length, (piece + 1) * chunk))
            _clear(tape)
            for m in range(members):
                first = (begin + m) * lanes
                count = min(lanes, width - first)
                state = checkpoints[batch, begin + m, piece]
                _rebuild(batch, first, count, span, state, carries[m], inputs, tape, zoh)
                _adjoint(batch, first, count, span, carries[m], inputs, D, gy, grads, tape, zoh)
            _add_lanes(batch, group, span, tape, gB, gC)
        for m in range(members):
            first = (begin + m) * lanes
            count = min(lanes, width - first)
            _copy(carries[m], _GRAD_A, gA[batch], first, count)
            _copy(carries[m], _STATE, g0[batch], first, count)
