r"""The compiled loops of the diagonal plus low rank scan: the modes of a channel in vectors.

All is in double precision: there is one version to compile, and what a step makes of the state and
what a convolution does agree to the last digit of single precision.

One step, with `h = delta s / 2`, `D = 1/(1 - h Lambda)` and sums over one of each pair:

    v = D (x + h B u),  a = 2 Re sum conj(P) v,  t = 1 + 2 h sum |P|^2 Re D,
    kappa = h a / t,    x' = 2 (v - kappa D P) - x,   y = 2 Re sum C x'

Going back, gradients of complex numbers are `dL/dRe + i dL/dIm`. States are computed again from
those kept at the start of every chunk.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma, total
from timegrain.kernels.vectors.memory import load, store

# Rows of what is known of a channel, and of its gradient: real and imaginary part of each.
_LAMBDA, _P, _B, _C = 0, 2, 4, 6


@inner(forceinline=True)
def _resolvent(known, d, j, h):
    """Return `1/(1 - h Lambda)`."""
    one = fill(known, 1.0)
    real = fma(fill(known, -h), load(known, (d, _LAMBDA, j)), one)
    imag = fill(known, h) * load(known, (d, _LAMBDA + 1, j))
    inverse = one / fma(real, real, imag * imag)
    return real * inverse, imag * inverse


@inner(forceinline=True)
def _moved(known, d, j, states, k, h, u):
    """Return D and `x + h B u`."""
    dr, di = _resolvent(known, d, j, h)
    push = fill(known, h * u)
    wr = fma(push, load(known, (d, _B, j)), load(states, (k, 0, j)))
    wi = fma(push, load(known, (d, _B + 1, j)), load(states, (k, 1, j)))
    return dr, di, wr, wi


@inner(error_model="numpy", boundscheck=False)
def _coupling(known, d, states, k, h, u):
    """Return `a` and `2 sum |P|^2 Re D` of the step from the state in row k."""
    zero, lanes = fill(known, 0.0), 64 // known.itemsize
    across, own = zero, zero
    for j in range(0, known.shape[2], lanes):
        dr, di, wr, wi = _moved(known, d, j, states, k, h, u)
        pr, pi = load(known, (d, _P, j)), load(known, (d, _P + 1, j))
        vr, vi = fma(dr, wr, (zero - di) * wi), fma(dr, wi, di * wr)
        across = fma(pr, vr, fma(pi, vi, across))
        own = fma(fma(pr, pr, pi * pi), dr, own)
    return 2 * total(across), 2 * total(own)


@inner(error_model="numpy", boundscheck=False)
def _step(known, d, states, k, after, h, u):
    """Write the state after the step from row k to row `after`, and return the output."""
    zero, lanes = fill(known, 0.0), 64 // known.itemsize
    across, own = _coupling(known, d, states, k, h, u)
    kappa, two, y = fill(known, h * across / (1 + h * own)), fill(known, 2.0), zero
    for j in range(0, known.shape[2], lanes):
        dr, di, wr, wi = _moved(known, d, j, states, k, h, u)
        wr = wr - kappa * load(known, (d, _P, j))
        wi = wi - kappa * load(known, (d, _P + 1, j))
        xr = two * fma(dr, wr, (zero - di) * wi) - load(states, (k, 0, j))
        xi = two * fma(dr, wi, di * wr) - load(states, (k, 1, j))
        store(states, (after, 0, j), xr)
        store(states, (after, 1, j), xi)
        y = fma(load(known, (d, _C, j)), xr, fma(zero - load(known, (d, _C + 1, j)), xi, y))
    return 2 * total(y)


@inner
def _copy(source, target):
    """Write one state over another: a slice's check of shapes takes seconds to compile."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, chunk, known, delta, steps, u, states, kept, last, y):
    """Scan the channels of sequences numbered `start` to `stop`, all channels of the first first.

    Args:
        start: The first channel of a sequence.
        stop: The one after the last one.
        sources: Part of the cache's key, not read.
        chunk: Steps between states kept.
        known: `(d, 8, n)`: Lambda, P, B and C; n a multiple of a vector's lanes, zeros behind.
        delta: `(d,)`.
        steps: `(b, l)`, or `(1, l)` for all sequences.
        u: `(b, l, d)`.
        states: Scratch memory, `(2, 2, n)`.
        kept: `(b d, chunks, 2, n)`, written: the state before each chunk.
        last: `(b d, 2, n)`: the state before, overwritten by the state after.
        y: `(b, l, d)`, written everywhere.
    """
    channels = delta.shape[0]
    for item in range(start, stop):
        b, d = item // channels, item % channels
        row = b % steps.shape[0]
        _copy(last[item], states[0])
        for k in range(u.shape[1]):
            here = k % 2
            if k % chunk == 0:
                _copy(states[here], kept[item, k // chunk])
            h = delta[d] * steps[row, k] / 2
            y[b, k, d] = _step(known, d, states, here, 1 - here, h, u[b, k, d])
        _copy(states[u.shape[1] % 2], last[item])


@inner(forceinline=True)
def _gather(found, row, j, real, imag):
    store(found, (row, j), load(found, (row, j)) + real)
    store(found, (row + 1, j), load(found, (row + 1, j)) + imag)


@inner(error_model="numpy", boundscheck=False)
def _read_back(known, d, states, k, carry, found, h, u, gy):
    """Add the gradient of y to that of the state it is read from, and to C's.

    Returns `-sum Re(conj(D P) g)`, the gradient of kappa over 2.
    """
    zero, lanes = fill(known, 0.0), 64 // known.itemsize
    twice, inner = fill(known, 2 * gy), zero
    for j in range(0, known.shape[2], lanes):
        xr, xi = load(states, (k + 1, 0, j)), load(states, (k + 1, 1, j))
        _gather(found, _C, j, twice * xr, zero - twice * xi)
        gr = fma(twice, load(known, (d, _C, j)), load(carry, (0, j)))
        gi = fma(zero - twice, load(known, (d, _C + 1, j)), load(carry, (1, j)))
        store(carry, (0, j), gr)
        store(carry, (1, j), gi)
        dr, di = _resolvent(known, d, j, h)
        pr, pi = load(known, (d, _P, j)), load(known, (d, _P + 1, j))
        er, ei = fma(dr, pr, (zero - di) * pi), fma(dr, pi, di * pr)
        inner = inner - fma(er, gr, ei * gi)
    return total(inner)


@inner(error_model="numpy", boundscheck=False)
def _step_back(known, d, states, k, carry, found, h, u, gy):
    """Take the gradient back over one step; return those of u and h."""
    zero, lanes = fill(known, 0.0), 64 // known.itemsize
    across, own = _coupling(known, d, states, k, h, u)
    t = 1 + h * own
    to_kappa = 2 * _read_back(known, d, states, k, carry, found, h, u, gy)
    kappa = h * across / t
    to_t = -to_kappa * kappa / t
    to_h = to_kappa * across / t + to_t * own
    to_a, to_own = fill(known, 2 * to_kappa * h / t), fill(known, 2 * to_t * h)
    kap, half, push, two = (
        fill(known, kappa), fill(known, h), fill(known, h * u), fill(known, 2.0)
    )  # fmt: skip
    from_b, from_l = zero, zero
    for j in range(0, known.shape[2], lanes):
        dr, di, wr, wi = _moved(known, d, j, states, k, h, u)
        pr, pi = load(known, (d, _P, j)), load(known, (d, _P + 1, j))
        lr, li = load(known, (d, _LAMBDA, j)), load(known, (d, _LAMBDA + 1, j))
        vr, vi = fma(dr, wr, (zero - di) * wi), fma(dr, wi, di * wr)
        gr, gi = load(carry, (0, j)), load(carry, (1, j))
        mr, mi = two * gr, two * gi
        hr, hi = fma(to_a, pr, mr), fma(to_a, pi, mi)  # of v
        er, ei = zero - kap * mr, zero - kap * mi  # of D P
        # of D: from |P|^2 Re D, from D P, from v
        qr = fma(to_own, fma(pr, pr, pi * pi), fma(er, pr, ei * pi))
        qr = fma(hr, wr, fma(hi, wi, qr))
        qi = fma(ei, pr, (zero - er) * pi)
        qi = fma(hi, wr, fma(zero - hr, wi, qi))
        more = two * to_own * dr
        _gather(
            found,
            _P,
            j,
            fma(to_a, vr, fma(more, pr, fma(er, dr, ei * di))),
            fma(to_a, vi, fma(more, pi, fma(ei, dr, (zero - er) * di))),
        )
        br, bi = fma(hr, dr, hi * di), fma(hi, dr, (zero - hr) * di)  # of x + h B u
        _gather(found, _B, j, push * br, push * bi)
        from_b = fma(load(known, (d, _B, j)), br, fma(load(known, (d, _B + 1, j)), bi, from_b))
        store(carry, (0, j), br - gr)
        store(carry, (1, j), bi - gi)
        sr, si = fma(dr, dr, (zero - di) * di), (dr + dr) * di  # D^2
        zr, zi = fma(qr, sr, qi * si), fma(qi, sr, (zero - qr) * si)
        _gather(found, _LAMBDA, j, half * zr, half * zi)
        from_l = fma(lr, zr, fma(li, zi, from_l))
    pushed = total(from_b)
    return h * pushed, to_h + u * pushed + total(from_l)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, chunk, grads, known, delta, steps, u, states, kept, gy):
    """Gradients of the channels of sequences numbered `start` to `stop`.

    Args:
        start: As in `forward`.
        stop: As in `forward`.
        sources: As in `forward`.
        chunk: As in `forward`.
        grads: Of the state after, overwritten by that of the state before, `(b d, 2, n)`; of
            `known`, still to be summed, added to, `(b d, 8, n)`; of u and of `delta s / 2`, written
            everywhere, `(b, l, d)`.
        known: As in `forward`.
        delta: As in `forward`.
        steps: As in `forward`.
        u: As in `forward`.
        states: Scratch memory, `(chunk + 1, 2, n)`.
        kept: As `forward` left it.
        gy: `(b, l, d)`, gradient of y.
    """
    carries, found, to_u, to_h = grads
    channels, length = delta.shape[0], u.shape[1]
    for item in range(start, stop):
        b, d = item // channels, item % channels
        row = b % steps.shape[0]
        for first in range((length - 1) // chunk * chunk, -1, -chunk):
            _copy(kept[item, first // chunk], states[0])
            end = min(first + chunk, length)
            for k in range(first, end):
                h = delta[d] * steps[row, k] / 2
                _step(known, d, states, k - first, k - first + 1, h, u[b, k, d])
            for k in range(end - 1, first - 1, -1):
                h = delta[d] * steps[row, k] / 2
                at = (b, k, d)
                to_u[at], to_h[at] = _step_back(
                    known, d, states, k - first, carries[item], found[item], h, u[at], gy[at]
                )
