r"""The compiled loops of the selective scan, forward and backward: a vector of channels at a time.

A block is one vector of channels. Its state, `(n, lanes)`, stays in the first-level cache while
time runs, and nothing of size `(b, l, d, n)` exists. The forward pass can leave the state behind
every `chunk` steps. The backward pass starts from those checkpoints, last chunk first, and takes a
few states at a time (`TOGETHER`, one group) through the chunk: forward to rebuild states and decays
in scratch memory, and back along the adjoint recursion, with everything that is carried from step
to step in registers:

    g_k        = C_k gy_k + exp(delta_{k+1} A) g_{k+1}
    dL/dB_k    = sum_d g_k w_k u_k
    dL/dC_k    = sum_d gy_k h_k
    dL/d(delta_k A) = g_k exp(delta_k A) h_{k-1}        (through the decay)

with the weight `w = delta` (Euler B) or `expm1(delta A)/A` (ZOH B), whose derivative with respect
to delta is `exp(delta A)`. Sums over channels are kept lane by lane over the blocks of a task and
added up once a chunk.

ZOH and Euler B are compiled apart: `zoh` is True or None, and numba removes a branch on None. Other
absent arguments are empty arrays, so that there are two versions a dtype and not sixteen.

**Vector instructions**, counted in the assembly for AVX-512 (float32, Euler B), for one vector of
16 state updates at 64 channels and 16 states; loads, stores and copies are not counted, they issue
elsewhere. The decay takes 10: the product with the pole, `r = y - round(y)`, `n = y - r`, six of
the polynomial, and the product with `2^n`.

    forward    13.1   the decay, delta u B, the state, the output; 2 of each step for 16 vectors
    rebuild    12.3   the same without the output
    adjoint     8.3   g, g before the step, the decay's gradient; sums for A, B, C, u and delta
    sums        2.1   over the lanes for B and C, 15 each for 4 vectors of 4 blocks; the end of u's
    backward   22.7

`benchmarks/run.py` divides them by the time and by the rate at which the machine issues fused
products and sums. What one step reads lies a row of all channels apart, which no prefetcher of the
hardware follows far enough: the loops ask for it ahead.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma
from timegrain.kernels.vectors.exponential import exponential_and_weight, weight_slope
from timegrain.kernels.vectors.lane_groups import (
    TOGETHER,
    dot,
    load_group,
    repeat,
    spread,
    store_group,
    store_totals,
)
from timegrain.kernels.vectors.memory import (
    load,
    load_some,
    prefetch,
    prefetch_to_write,
    store,
    store_some,
)
from timegrain.kernels.vectors.powers import LOG2_E, power_of_two

# Rows of a carry, `(groups of states, rows, TOGETHER * lanes)`: what a block keeps from step to
# step. For ZOH B the last row is 1/A, for Euler B it is A in units of log 2.
CARRY_ROWS = 4
_A, _STATE, _GRAD_A, _OTHER = 0, 1, 2, 3
# Rows of a tape, `(chunk + 1, rows, lanes)`: what a chunk remembers of each step, for one group.
# Neighbours in memory are used together; arrays of their own would sit multiples of 4096 bytes
# apart and stall the loads, and so would steps without the odd row at the end.
_BEFORE, _DECAY, _GRAD_B, _GRAD_C, _WEIGHT = (TOGETHER * row for row in range(5))
TAPE_ROWS = 5 * TOGETHER + 1
AHEAD = 8  # steps that the forward pass fetches before it needs them


@inner(forceinline=True)
def _fill(carry, row, values, first, width):
    """Lay `values[first:first+width, :]` out as lanes, zero beyond `width`."""
    lanes = carry.shape[2] // TOGETHER
    for n in range(values.shape[1]):
        for j in range(lanes):
            number = values[first + j, n] if j < width else 0.0
            carry[n // TOGETHER, row, n % TOGETHER * lanes + j] = number


@inner(forceinline=True)
def _copy(carry, row, values, first, width):
    """Write lanes back to `values[first:first+width, :]`."""
    lanes = carry.shape[2] // TOGETHER
    for n in range(values.shape[1]):
        for j in range(width):
            values[first + j, n] = carry[n // TOGETHER, row, n % TOGETHER * lanes + j]


@inner(forceinline=True)
def _start(carry, A, state, first, width, zoh):
    """Set up a carry: A, the state, no gradient yet, and what else the decays need of A."""
    _fill(carry, _A, A, first, width)
    _fill(carry, _STATE, state, first, width)
    one = carry.dtype.type(1.0)
    unit = carry.dtype.type(LOG2_E)
    for n in range(carry.shape[0]):
        for j in range(carry.shape[2]):
            carry[n, _GRAD_A, j] = 0.0
            carry[n, _OTHER, j] = carry[n, _A, j] * unit if zoh is None else one / carry[n, _A, j]


@inner(forceinline=True)
def _decay_and_weight(step, a, other, zoh):
    """Return `exp(step A)` and the weight of the input."""
    if zoh is None:
        return power_of_two(step * other), step
    return exponential_and_weight(step * a, step, other)


@inner(forceinline=True)
def _push(weight, x, drive, b, zoh):
    """Return what the input adds to the state."""
    return drive * b if zoh is None else weight * (x * b)


@inner(forceinline=True)
def _forward_block(batch, block, count, carry, inputs, D, y, checkpoints, chunk, zoh):
    """Run one block of one sequence from the state in `carry`."""
    u, delta, _, B, C = inputs
    first = block * (carry.shape[2] // TOGETHER)
    direct = load_some(D, (first,), min(count, D.shape[0]))
    for k in range(u.shape[1]):
        if checkpoints.shape[2] > 0 and k % chunk == 0:
            for n in range(carry.shape[0]):
                state = load_group(carry, (n, _STATE, 0))
                store_group(checkpoints, (batch, block, k // chunk, n, 0), state)
        ahead = (batch, min(k + AHEAD, u.shape[1] - 1), first)
        prefetch(delta, ahead)
        prefetch(u, ahead)
        prefetch_to_write(y, ahead)
        step = load_some(delta, (batch, k, first), count)
        x = load_some(u, (batch, k, first), count)
        out = fill(u, 0.0)
        if D.shape[0] > 0:
            out = x * direct
        steps, xs, drive = repeat(step), repeat(x), repeat(step * x)
        for n in range(carry.shape[0]):
            a, other = load_group(carry, (n, _A, 0)), load_group(carry, (n, _OTHER, 0))
            decay, weight = _decay_and_weight(steps, a, other, zoh)
            push = _push(weight, xs, drive, spread(B, (batch, k, n * TOGETHER)), zoh)
            state = fma(decay, load_group(carry, (n, _STATE, 0)), push)
            store_group(carry, (n, _STATE, 0), state)
            out = dot(state, spread(C, (batch, k, n * TOGETHER)), out)
        store_some(y, (batch, k, first), out, count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, carry, inputs, D, h0, outputs, checkpoints, chunk, zoh):
    """Scan the (sequence, block) pairs numbered `start` to `stop`.

    Args:
        start: The first pair; pairs are numbered sequence-major.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        carry: Scratch memory `(n / TOGETHER, CARRY_ROWS, TOGETHER * lanes)`.
        inputs: `u, delta (b,l,d); A (d,n); B, C (b,l,n)`, contiguous, of one dtype; n a multiple of
            `TOGETHER`.
        D: `(d,)` or empty.
        h0: `(b,d,n)`.
        outputs: `y (b,l,d)` and the last state `(b,d,n)`, written everywhere.
        checkpoints: `(b, blocks, chunks, n / TOGETHER, TOGETHER * lanes)`, the state before each
            chunk, or no chunks.
        chunk: Steps between checkpoints.
        zoh: True for ZOH B, None for Euler B.
    """
    A, width, lanes = inputs[2], inputs[2].shape[0], carry.shape[2] // TOGETHER
    y, last = outputs
    blocks = (width + lanes - 1) // lanes
    for pair in range(start, stop):
        batch, block = pair // blocks, pair % blocks
        first = block * lanes
        count = min(lanes, width - first)
        _start(carry, A, h0[batch], first, count, zoh)
        _forward_block(batch, block, count, carry, inputs, D, y, checkpoints, chunk, zoh)
        _copy(carry, _STATE, last[batch], first, count)


@inner(forceinline=True)
def _rebuild(batch, first, count, span, n, start, carry, inputs, gy, grads, tape, zoh):
    """Recompute one group's states, decays and weights of one chunk from the state before it.

    Meanwhile the next chunk is fetched, and what this one writes in the end.
    """
    u, delta, _, B, _ = inputs
    a, other = load_group(carry, (n, _A, 0)), load_group(carry, (n, _OTHER, 0))
    state = load_group(start, (n, 0))
    store_group(tape, (0, _BEFORE, 0), state)
    for i in range(span[1] - span[0]):
        k = span[0] + i
        step = load_some(delta, (batch, k, first), count)
        x = load_some(u, (batch, k, first), count)
        before = (batch, max(k - tape.shape[0] + 1, 0), first)
        prefetch(delta, before)
        prefetch(u, before)
        prefetch(gy, before)
        prefetch_to_write(grads[0], (batch, k, first))
        prefetch_to_write(grads[1], (batch, k, first))
        decay, weight = _decay_and_weight(repeat(step), a, other, zoh)
        b = spread(B, (batch, k, n * TOGETHER))
        state = fma(decay, state, _push(weight, repeat(x), repeat(step * x), b, zoh))
        store_group(tape, (i, _DECAY, 0), decay)
        if zoh is not None:
            store_group(tape, (i, _WEIGHT, 0), weight)
        store_group(tape, (i + 1, _BEFORE, 0), state)


@inner(forceinline=True)
def _through_weight(i, step, x, g, b, a, inverse, tape):
    """Return `g w`, and the gradients to delta and to A through ZOH B's weight `w`."""
    decay, weight = load_group(tape, (i, _DECAY, 0)), load_group(tape, (i, _WEIGHT, 0))
    push = g * (x * b)
    slope = weight_slope(step * a, step, inverse, decay, weight)
    return g * weight, push * decay, push * slope


@inner(forceinline=True)
def _adjoint(batch, first, count, span, n, carry, inputs, gy, tape, through, zoh):
    """Take one group back over one rebuilt chunk.

    The first rows of `through`, `(chunk + 1, 2, lanes)`, collect over the groups of a block the
    gradients to the input and to delta.
    """
    u, delta, _, B, C = inputs
    a, other = load_group(carry, (n, _A, 0)), load_group(carry, (n, _OTHER, 0))
    carried, grad_a = load_group(carry, (n, _STATE, 0)), load_group(carry, (n, _GRAD_A, 0))
    state = load_group(tape, (span[1] - span[0], _BEFORE, 0))
    for i in range(span[1] - span[0] - 1, -1, -1):
        k = span[0] + i
        step = load_some(delta, (batch, k, first), count)
        x = load_some(u, (batch, k, first), count)
        g_out = repeat(load_some(gy, (batch, k, first), count))
        b, c = spread(B, (batch, k, n * TOGETHER)), spread(C, (batch, k, n * TOGETHER))
        g = fma(g_out, c, carried)
        grad_c = fma(g_out, state, load_group(tape, (i, _GRAD_C, 0)))
        store_group(tape, (i, _GRAD_C, 0), grad_c)
        carried = g * load_group(tape, (i, _DECAY, 0))
        state = load_group(tape, (i, _BEFORE, 0))
        g_z = carried * state
        grad_a = fma(g_z, repeat(step), grad_a)
        g_delta = dot(g_z, a, load(through, (i, 1, 0)))
        grad_b = load_group(tape, (i, _GRAD_B, 0))
        if zoh is None:
            grad_b = fma(g, repeat(step * x), grad_b)
            weighted = g
        else:
            weighted, by_step, by_a = _through_weight(
                i, repeat(step), repeat(x), g, b, a, other, tape
            )
            grad_b = fma(weighted, repeat(x), grad_b)
            g_delta = dot(by_step, fill(by_step, 1.0), g_delta)
            grad_a = grad_a + by_a
        store_group(tape, (i, _GRAD_B, 0), grad_b)
        store(through, (i, 0, 0), dot(weighted, b, load(through, (i, 0, 0))))
        store(through, (i, 1, 0), g_delta)
    store_group(carry, (n, _STATE, 0), carried)
    store_group(carry, (n, _GRAD_A, 0), grad_a)


@inner(forceinline=True)
def _finish(batch, first, count, span, inputs, D, gy, grads, through, zoh):
    """Write the gradients to the input and to delta of one block, and clear their sums.

    The last row of `through` collects the gradient to D.
    """
    u, delta, _, _, _ = inputs
    direct = load_some(D, (first,), min(count, D.shape[0]))
    end = through.shape[0] - 1
    grad_d = load(through, (end, 0, 0))
    for i in range(span[1] - span[0]):
        k = span[0] + i
        x = load_some(u, (batch, k, first), count)
        g_u, g_delta = load(through, (i, 0, 0)), load(through, (i, 1, 0))
        if zoh is None:
            g_delta = fma(g_u, x, g_delta)
            g_u = g_u * load_some(delta, (batch, k, first), count)
        if D.shape[0] > 0:
            g_out = load_some(gy, (batch, k, first), count)
            g_u = fma(g_out, direct, g_u)
            grad_d = fma(g_out, x, grad_d)
        store_some(grads[0], (batch, k, first), g_u, count)
        store_some(grads[1], (batch, k, first), g_delta, count)
        store(through, (i, 0, 0), fill(u, 0.0))
        store(through, (i, 1, 0), fill(u, 0.0))
    store(through, (end, 0, 0), grad_d)


@inner(forceinline=True)
def _clear(tape):
    zeros = repeat(fill(tape, 0.0))
    for i in range(tape.shape[0]):
        store_group(tape, (i, _GRAD_B, 0), zeros)
        store_group(tape, (i, _GRAD_C, 0), zeros)


@inner(forceinline=True)
def _add_lanes(batch, group, span, n, tape, gB, gC):
    for i in range(span[1] - span[0]):
        place = (group, batch, span[0] + i, n * TOGETHER)
        store_totals(gB, place, load_group(tape, (i, _GRAD_B, 0)))
        store_totals(gC, place, load_group(tape, (i, _GRAD_C, 0)))


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(
    start,
    stop,
    sources,
    carries,
    tape,
    through,
    inputs,
    D,
    checkpoints,
    upstream,
    grads,
    chunk,
    zoh,
):
    """Gradients of the (sequence, group of blocks) pairs numbered `start` to `stop`.

    Args:
        start: The first pair, sequence-major; a group is `carries.shape[0]` blocks or the rest.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        carries: Scratch memory `(blocks, n / TOGETHER, CARRY_ROWS, TOGETHER * lanes)`.
        tape: Scratch memory `(chunk + 1, TAPE_ROWS, lanes)`.
        through: Scratch memory `(blocks, chunk + 1, 2, lanes)`.
        inputs: As in `forward`.
        D: As in `forward`.
        checkpoints: As `forward` left them.
        upstream: Gradients of y `(b,l,d)` and of the last state `(b,d,n)`.
        grads: `u, delta (b,l,d); A (b,d,n); B, C (groups,b,l,n); D (b,d) or empty; h0 (b,d,n)`,
            written everywhere; those of A to D are still to be summed over their first axis.
        chunk: As in `forward`.
        zoh: As in `forward`.
    """
    gy, g_last = upstream
    gA, gB, gC, gD, g0 = grads[2:]
    length, width, lanes = gy.shape[1], gy.shape[2], tape.shape[2]
    blocks, groups = (width + lanes - 1) // lanes, gB.shape[0]
    for pair in range(start, stop):
        through[:] = 0.0
        batch, group = pair // groups, pair % groups
        begin = group * carries.shape[0]
        members = min(carries.shape[0], blocks - begin)
        for m in range(members):
            first = (begin + m) * lanes
            _start(carries[m], inputs[2], g_last[batch], first, min(lanes, width - first), zoh)
        for piece in range((length - 1) // chunk, -1, -1):
            span = (piece * chunk, min(length, (piece + 1) * chunk))
            for n in range(carries.shape[1]):
                _clear(tape)
                for m in range(members):
                    first = (begin + m) * lanes
                    count = min(lanes, width - first)
                    starts = checkpoints[batch, begin + m]
                    for part in range(TOGETHER):
                        prefetch(starts, (max(piece - 1, 0), n, part * lanes))
                    _rebuild(
                        batch, first, count, span, n, starts[piece],
                        carries[m], inputs, gy, grads, tape, zoh,
                    )  # fmt: skip
                    _adjoint(
                        batch, first, count, span, n, carries[m], inputs, gy, tape, through[m], zoh
                    )  # fmt: skip
                _add_lanes(batch, group, span, n, tape, gB, gC)
            for m in range(members):
                first = (begin + m) * lanes
                count = min(lanes, width - first)
                _finish(batch, first, count, span, inputs, D, gy, grads, through[m], zoh)
        for m in range(members):
            first = (begin + m) * lanes
            count = min(lanes, width - first)
            _copy(carries[m], _GRAD_A, gA[batch], first, count)
            _copy(carries[m], _STATE, g0[batch], first, count)
            if D.shape[0] > 0:
                grad_d = load(through, (m, through.shape[1] - 1, 0, 0))
                store_some(gD, (batch, first), grad_d, count)
