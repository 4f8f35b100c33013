r"""The compiled loops of the matrix scan, forward and backward, one head of one sequence at a time.

Columns of the state never meet: column j is written by `v_j` and gives `y_j`. Forward, a vector is
some columns of one row, and as many columns as a vector has lanes go through time together, so that
their state, `(i, lanes)`, stays in the first-level cache and `y = S' q` sums over rows, not lanes.
`TOGETHER` rows are one group.

Backward, a vector is some rows of one column, because sums over columns are what is wanted most:

    g_t     = D_{t+1} (g_{t+1} + k_{t+1} p_{t+1}') + q_t y_t'
    dL/dq_t = S_t y_t
    dL/du_t = g_t' k_t                                  (= dL/dv_t without beta)
    dL/dk_t = g_t u_t + D_t S_{t-1} p_t
    dL/d(log D_t) = sum over j of (g_t + k_t p_t') D_t S_{t-1}

where `g_t`, `y_t` are the gradients of the state and of y, and p that of what k reads, `-beta
dL/du` with the delta rule and 0 without. The forward pass leaves the state behind every `chunk`
steps, from which the backward pass, last chunk first, rebuilds those of one chunk in a tape. What
the delta rule writes it does not compute again: its errors `v - (D S)' k` are kept, of the size of
v. The gradients of q and k are written for every head; groups are added up outside.

The heads of a sequence take turns, a chunk each: their rows lie side by side, and to go through all
samples of one head would fetch those of the others with them, from beyond the caches, for nothing.

Sizes i and j are multiples of `TOGETHER`; lanes beyond i and j are 0.
"""

from numba import njit

from timegrain.kernels.vectors.arithmetic import fill, fma, total
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
    store,
    store_some,
    transpose,
)

AHEAD = (
    8  # steps whose rows, which lie those of all heads apart, are fetched before they are needed
)


@njit(forceinline=True)
def _sum(group, like):
    """Add up the vectors of a group."""
    return dot(group, repeat(fill(like, 1.0)), fill(like, 0.0))


@njit(forceinline=True)
def _gate(gate, at, first, count):
    """Return the gates of some rows, which one for all rows stands for."""
    if gate.shape[3] == 1:
        return fill(gate, gate[at[0], at[1], at[2], 0])
    return load_some(gate, (at[0], at[1], at[2], first), count)


@njit(forceinline=True)
def _lay_out(gate, at, row, lanes):
    """Write the gates of one sample to a row."""
    for n in range(0, row.shape[0], lanes):
        store(row, (n,), _gate(gate, at, n, min(lanes, gate.shape[3] - n)))


@njit(forceinline=True)
def _read_by_key(carry, s, row, k, at, like):
    """Return what the key of a sample reads of the state after its gate."""
    found = repeat(fill(like, 0.0))
    for n in range(carry.shape[1]):
        keys = spread(k, (at[0], at[1], at[2], n * TOGETHER)) * spread(row, (n * TOGETHER,))
        found = fma(keys, load_group(carry, (s, n, 0)), found)
    return _sum(found, like)


@njit(forceinline=True)
def _forward_columns(pair, span, s, carry, row, inputs, outputs):
    """Take the columns of one vector through the samples of a span."""
    q, k, v, gate, beta = inputs
    y, errors = outputs
    lanes = carry.shape[2] // TOGETHER
    batch, head = pair
    shared, first = head // (v.shape[2] // q.shape[2]), s * lanes
    count = min(lanes, v.shape[3] - first)
    for t in range(span[0], span[1]):
        _lay_out(gate, (batch, t, head), row, lanes)
        x = load_some(v, (batch, t, head, first), count)
        if beta.shape[0] > 0:
            x = x - _read_by_key(carry, s, row, k, (batch, t, shared), v)
            if errors.shape[0] > 0:
                store_some(errors, (batch, t, head, first), x, count)
            x = x * fill(v, beta[batch, t, head])
        written, out = repeat(x), repeat(fill(v, 0.0))
        for n in range(carry.shape[1]):
            push = spread(k, (batch, t, shared, n * TOGETHER)) * written
            state = fma(spread(row, (n * TOGETHER,)), load_group(carry, (s, n, 0)), push)
            store_group(carry, (s, n, 0), state)
            out = fma(spread(q, (batch, t, shared, n * TOGETHER)), state, out)
        store_some(y, (batch, t, head, first), _sum(out, v), count)


@njit
def _fill(carry, state):
    """Lay a state out as vectors of columns."""
    lanes = carry.shape[2] // TOGETHER
    for s in range(carry.shape[0]):
        count = min(lanes, state.shape[1] - s * lanes)
        for n in range(state.shape[0]):
            place = s, n // TOGETHER, n % TOGETHER * lanes
            store(carry, place, load_some(state, (n, s * lanes), count))


@njit
def _copy(carry, state):
    """Write vectors of columns back."""
    lanes = carry.shape[2] // TOGETHER
    for s in range(carry.shape[0]):
        count = min(lanes, state.shape[1] - s * lanes)
        for n in range(state.shape[0]):
            value = load(carry, (s, n // TOGETHER, n % TOGETHER * lanes))
            store_some(state, (n, s * lanes), value, count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, scratch, inputs, h0, outputs, last, checkpoints, chunk):
    """Scan the (sequence, head) pairs numbered `start` to `stop`.

    Args:
        start: The first pair; pairs are numbered sequence-major.
        stop: The pair after the last one.
        sources: Part of the cache's key, not read.
        scratch: Carries of as many heads as there may be, `(j in vectors, i / TOGETHER, TOGETHER *
            lanes)` each, and i numbers rounded up to whole vectors.
        inputs: `q, k (b,l,g,i); v (b,l,h,j)`; gates, not their logarithms, `(b,l,h,1 or i)`; beta
            `(b,l,h)` or empty; contiguous, of one dtype.
        h0: `(b,h,i,j)`.
        outputs: y `(b,l,h,j)`, and errors of that shape, or empty. Written everywhere.
        last: The last state, `(b,h,i,j)`, written everywhere.
        checkpoints: `(b, h, chunks, j in vectors, i / TOGETHER, TOGETHER * lanes)`, the state
            before each chunk, or no chunks.
        chunk: Steps between checkpoints.
    """
    carries, row = scratch
    heads, length = h0.shape[1], outputs[0].shape[1]
    while start < stop:
        batch, head = start // heads, start % heads
        count = min(heads - head, stop - start)
        start += count
        for n in range(count):
            _fill(carries[n], h0[batch, head + n])
        for begin in range(0, length, chunk):
            span = begin, min(length, begin + chunk)
            for n in range(count):
                pair = batch, head + n
                if checkpoints.shape[2] > 0:
                    checkpoints[batch, head + n, begin // chunk] = carries[n]
                for s in range(carries.shape[1]):
                    _forward_columns(pair, span, s, carries[n], row, inputs, outputs)
        for n in range(count):
            _copy(carries[n], last[batch, head + n])


@njit(forceinline=True)
def _turn(states, target, rows):
    """Lay `states (vectors of j, i / TOGETHER, TOGETHER * lanes)` out as `(vectors of i, ...)`."""
    lanes, columns = states.shape[2] // TOGETHER, target.shape[1] * TOGETHER
    for s in range(target.shape[0]):
        for b in range(states.shape[0]):
            if (s + 1) * lanes <= rows and (b + 1) * lanes <= columns:
                at, row = (b * rows + s * lanes) * lanes, s * columns + b * lanes
                transpose(states, at, lanes, target, row)
            else:
                _turn_some(states, target, rows, s, b)


@njit
def _turn_some(states, target, rows, s, b):
    """Turn a block that is not as wide or as high as a vector."""
    lanes, columns = states.shape[2] // TOGETHER, target.shape[1] * TOGETHER
    for i in range(min(lanes, columns - b * lanes)):
        j = b * lanes + i
        for lane in range(lanes):
            n = s * lanes + lane
            number = target.dtype.type(0.0)
            if n < rows:
                number = states[b, n // TOGETHER, n % TOGETHER * lanes + i]
            target[s, j // TOGETHER, j % TOGETHER * lanes + lane] = number


@njit(forceinline=True)
def _strength(beta, pair, t, like):
    """Return beta in every lane, 1 where there is none."""
    if beta.shape[0] > 0:
        return repeat(fill(like, beta[pair[0], t, pair[1]]))
    return repeat(fill(like, 1.0))


@njit(forceinline=True)
def _rebuild(pair, span, tape, inputs, wrote):
    """Recompute the states of one chunk from the one at the tape's beginning."""
    _, k, v, gate, beta = inputs
    batch, head = pair
    shared, lanes = head // (v.shape[2] // k.shape[2]), tape.shape[3] // TOGETHER
    for i in range(span[1] - span[0]):
        t = span[0] + i
        strength = _strength(beta, pair, t, v)
        for s in range(tape.shape[1]):
            first = s * lanes
            count = min(lanes, k.shape[3] - first)
            keys = repeat(load_some(k, (batch, t, shared, first), count)) * strength
            decay = repeat(_gate(gate, (batch, t, head), first, count))
            for m in range(tape.shape[2]):
                push = keys * spread(wrote, (batch, t, head, m * TOGETHER))
                state = fma(decay, load_group(tape, (i, s, m, 0)), push)
                store_group(tape, (i + 1, s, m, 0), state)


@njit(forceinline=True)
def _gather(pair, t, carry, inputs, gy, part, through):
    """Add what y gives to the state's gradient, and write that of `u` to `through[0]`."""
    q, k, v, _, _ = inputs
    batch, head = pair
    shared, lanes = head // (v.shape[2] // q.shape[2]), carry.shape[2] // TOGETHER
    for s in range(carry.shape[0]):
        first = s * lanes
        count = min(lanes, q.shape[3] - first)
        queries = repeat(load_some(q, (batch, t, shared, first), count))
        keys = repeat(load_some(k, (batch, t, shared, first), count))
        for m in range(carry.shape[1]):
            upstream = spread(gy, (batch, t, head, m * TOGETHER))
            g = fma(queries, upstream, load_group(carry, (s, m, 0)))
            store_group(carry, (s, m, 0), g)
            g = g * keys if s == 0 else fma(g, keys, load_group(part, (m, 0)))
            if s == carry.shape[0] - 1:
                store_totals(through, (0, m * TOGETHER), g)
            else:
                store_group(part, (m, 0), g)


@njit(forceinline=True)
def _write(pair, t, beta, wrote, through, grads, lanes):
    """Write the gradients of v and beta, and `through[0]` with its other sign to `through[1]`."""
    to_v, to_beta = grads[2], grads[4]
    batch, head = pair
    summed = fill(wrote, 0.0)
    for first in range(0, wrote.shape[3], lanes):
        count = min(lanes, wrote.shape[3] - first)
        g = load_some(through, (0, first), count)
        if beta.shape[0] > 0:
            summed = fma(g, load_some(wrote, (batch, t, head, first), count), summed)
            store_some(through, (1, first), fill(wrote, 0.0) - g, count)
            g = g * fill(wrote, beta[batch, t, head])
        store_some(to_v, (batch, t, head, first), g, count)
    if beta.shape[0] > 0:
        to_beta[batch, t, head] = total(summed)


@njit(forceinline=True)
def _pass_on(pair, t, i, carry, tape, inputs, gy, wrote, through, grads):
    """Write the gradients of q, k and the gate, and take the state's one step back."""
    _, k, v, gate, beta = inputs
    to_q, to_k, _, to_gate, _, _ = grads
    batch, head = pair
    shared, lanes = head // (v.shape[2] // k.shape[2]), carry.shape[2] // TOGETHER
    strength, of_all, delta = _strength(beta, pair, t, v), fill(v, 0.0), beta.shape[0] > 0
    for s in range(carry.shape[0]):
        first = s * lanes
        count = min(lanes, k.shape[3] - first)
        keys = repeat(load_some(k, (batch, t, shared, first), count))
        keys = keys * strength
        decay = repeat(_gate(gate, (batch, t, head), first, count))
        of_q = of_k = of_gate = repeat(fill(v, 0.0))
        for m in range(carry.shape[1]):
            place = (batch, t, head, m * TOGETHER)
            g, decayed = load_group(carry, (s, m, 0)), decay * load_group(tape, (i, s, m, 0))
            of_q = fma(spread(gy, place), load_group(tape, (i + 1, s, m, 0)), of_q)
            of_k = fma(spread(wrote, place), g, of_k)
            if delta:
                lessened = spread(through, (1, m * TOGETHER))
                of_k = fma(lessened, decayed, of_k)
                g = fma(keys, lessened, g)
            of_gate = fma(g, decayed, of_gate)
            store_group(carry, (s, m, 0), decay * g)
        place = (batch, t, head, first)
        store_some(to_q, place, _sum(of_q, v), count)
        store_some(to_k, place, _sum(of_k * strength, v), count)
        if to_gate.shape[3] > 1:
            store_some(to_gate, place, _sum(of_gate, v), count)
        of_all = of_all + _sum(of_gate, v)
    if to_gate.shape[3] == 1:
        to_gate[batch, t, head, 0] = total(of_all)


@njit(forceinline=True)
def _adjoint(pair, span, carry, tape, part, inputs, gy, wrote, through, grads):
    """Take one head back through a rebuilt chunk, last step first."""
    lanes = carry.shape[2] // TOGETHER
    for t in range(span[1] - 1, span[0] - 1, -1):
        i = t - span[0]
        _gather(pair, t, carry, inputs, gy, part, through)
        _write(pair, t, inputs[4], wrote, through, grads, lanes)
        _pass_on(pair, t, i, carry, tape, inputs, gy, wrote, through, grads)


@njit
def _fill_turned(carry, state):
    """Lay a state out as vectors of rows, 0 beyond them."""
    lanes = carry.shape[2] // TOGETHER
    for n in range(carry.shape[0] * lanes):
        for j in range(state.shape[1]):
            place = n // lanes, j // TOGETHER, j % TOGETHER * lanes + n % lanes
            carry[place] = state[n, j] if n < state.shape[0] else 0.0


@njit
def _copy_turned(carry, state):
    """Write vectors of rows back."""
    lanes = carry.shape[2] // TOGETHER
    for n in range(state.shape[0]):
        for j in range(state.shape[1]):
            place = n // lanes, j // TOGETHER, j % TOGETHER * lanes + n % lanes
            state[n, j] = carry[place]


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, scratch, inputs, wrote, checkpoints, upstream, grads, chunk):
    """Gradients of the (sequence, head) pairs numbered `start` to `stop`.

    Args:
        start: As in `forward`.
        stop: As in `forward`.
        sources: As in `forward`.
        scratch: Carries of as many heads as there may be, `(i in vectors, j / TOGETHER, TOGETHER *
            lanes)` each, a tape of `chunk + 1` of these, a part `(j / TOGETHER, TOGETHER * lanes)`,
            and two rows of j numbers.
        inputs: As in `forward`.
        wrote: The errors of the delta rule, or v, `(b,l,h,j)`.
        checkpoints: As `forward` left them.
        upstream: Gradients of y `(b,l,h,j)` and of the last state `(b,h,i,j)`.
        grads: Of q and k for each head, `(b,l,h,i)`; of v; of the gates' logarithms, `(b,l,h,i)`,
            `(b,l,h,1)` or `(0,0,0,0)`; of beta; of the state before. Written everywhere.
        chunk: As in `forward`.
    """
    carries, tape, part, through = scratch
    gy, g_last = upstream
    heads, length = gy.shape[2], gy.shape[1]
    while start < stop:
        batch, head = start // heads, start % heads
        count = min(heads - head, stop - start)
        start += count
        for n in range(count):
            _fill_turned(carries[n], g_last[batch, head + n])
        for piece in range((length - 1) // chunk, -1, -1):
            span = piece * chunk, min(length, (piece + 1) * chunk)
            for n in range(count):
                pair = batch, head + n
                _turn(checkpoints[batch, head + n, piece], tape[0], g_last.shape[2])
                _rebuild(pair, span, tape, inputs, wrote)
                _adjoint(
                    pair, span, carries[n], tape, part, inputs, gy, wrote, through, grads
                )  # fmt: skip
        for n in range(count):
            _copy_turned(carries[n], grads[5][batch, head + n])
