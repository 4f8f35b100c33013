r"""The sums as compiled loops: a vector of nodes at a time, in double precision.

With `x = Re(g - z)` a pair of fractions has the denominator
`(g - z)(g - conj z) = x^2 - (Im g - Im z)(Im g + Im z) + 2i x Im g`, in which nothing cancels, and
the numerator `2 Re(w) (x + i Im g) - 2 Im(w) Im(z)`. A mode and a vector of nodes cost a division
and 12 other operations, and 4 fused ones for each of the sums, which stay in registers.

With `R = 1/(g - z)`, `L = 1/(g - conj z)` and `G` the gradient of a sum, its weight `u + iv` gets

    du = Re G Re(R + L) + Im G Im(R + L),   dv = Im G Re(R - L) - Re G Im(R - L)

and its pole `Re(conj(R)^2 F + conj(L)^2 H) + i Im(conj(R)^2 F - conj(L)^2 H)`, `F = conj(w) G`,
`H = w G`, all summed over nodes: 2 divisions and 26 operations, and 8 fused ones for each sum.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma, total
from timegrain.kernels.vectors.memory import load, store

SUMS = 4
"""Sums worked on at once."""
_TILE = 512


@inner(forceinline=True)
def _number(array, d, n, r, part):
    return fill(array, array[d, n, r, part])


@inner(forceinline=True)
def _add(array, d, n, r, part, value):
    array[d, n, r, part] += total(value)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def sums(start, stop, sources, weights, poles, nodes, out):
    """Sum the fractions of channels `start` to `stop`.

    Args:
        start: The first channel.
        stop: The channel after the last one.
        sources: Part of the cache's key, not read.
        weights: `(d, n, r, 2)`: `2 Re w` and `-2 Im w Im z`, r a multiple of `SUMS`.
        poles: `(d, n, 2)`.
        nodes: `(2, m)`, m a multiple of a vector's lanes.
        out: `(d, r, 2, m)`, written everywhere.
    """
    lanes, zero, one = 8, fill(nodes, 0.0), fill(nodes, 1.0)
    for d in range(start, stop):
        for r in range(0, weights.shape[2], SUMS):
            for m in range(0, nodes.shape[1], lanes):
                gr, gi = load(nodes, (0, m)), load(nodes, (1, m))
                r0, r1, r2, r3 = zero, zero, zero, zero
                i0, i1, i2, i3 = zero, zero, zero, zero
                for n in range(poles.shape[1]):
                    b = fill(nodes, poles[d, n, 1])
                    x = gr - fill(nodes, poles[d, n, 0])
                    p = fma(x, x, (b - gi) * (b + gi))
                    q = (x + x) * gi
                    inverse = one / fma(p, p, q * q)
                    tr, ti = p * inverse, (zero - q) * inverse
                    sr, si = fma(x, tr, (zero - gi) * ti), fma(x, ti, gi * tr)
                    u, v = _number(weights, d, n, r, 0), _number(weights, d, n, r, 1)
                    r0, i0 = fma(u, sr, fma(v, tr, r0)), fma(u, si, fma(v, ti, i0))
                    u, v = _number(weights, d, n, r + 1, 0), _number(weights, d, n, r + 1, 1)
                    r1, i1 = fma(u, sr, fma(v, tr, r1)), fma(u, si, fma(v, ti, i1))
                    u, v = _number(weights, d, n, r + 2, 0), _number(weights, d, n, r + 2, 1)
                    r2, i2 = fma(u, sr, fma(v, tr, r2)), fma(u, si, fma(v, ti, i2))
                    u, v = _number(weights, d, n, r + 3, 0), _number(weights, d, n, r + 3, 1)
                    r3, i3 = fma(u, sr, fma(v, tr, r3)), fma(u, si, fma(v, ti, i3))
                store(out, (d, r, 0, m), r0)
                store(out, (d, r, 1, m), i0)
                store(out, (d, r + 1, 0, m), r1)
                store(out, (d, r + 1, 1, m), i1)
                store(out, (d, r + 2, 0, m), r2)
                store(out, (d, r + 2, 1, m), i2)
                store(out, (d, r + 3, 0, m), r3)
                store(out, (d, r + 3, 1, m), i3)


@inner(forceinline=True)
def _share(grad, d, r, m, u, v, sums, found, across):
    """Add what one sum gives to its weight's gradient and to F and H."""
    g, h = load(grad, (d, r, 0, m)), load(grad, (d, r, 1, m))
    add_r, add_i, sub_r, sub_i = across
    du = fma(g, add_r, fma(h, add_i, found[0]))
    dv = fma(h, sub_r, fma(g, sub_i, found[1]))
    sums = fma(u, g, sums[0]), fma(v, h, sums[1]), fma(u, h, sums[2]), fma(v, g, sums[3])
    return sums, (du, dv)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def gradients(start, stop, sources, weights, poles, nodes, grad, to_weights, to_poles):
    """Add the gradients of channels `start` to `stop`.

    Args:
        start: As in `sums`.
        stop: As in `sums`.
        sources: As in `sums`.
        weights: `(d, n, r, 2)`: real and imaginary part.
        poles: As in `sums`.
        nodes: As in `sums`.
        grad: `(d, r, 2, m)`, zero where there is no node.
        to_weights: `(d, n, r, 2)`, added to.
        to_poles: `(d, n, 1, 2)`, added to.
    """
    lanes, zero, one = 8, fill(nodes, 0.0), fill(nodes, 1.0)
    count = nodes.shape[1]
    for d in range(start, stop):
        for tile in range(0, count, _TILE):
            for n in range(poles.shape[1]):
                a, b = fill(nodes, poles[d, n, 0]), fill(nodes, poles[d, n, 1])
                for r in range(0, weights.shape[2], SUMS):
                    u0, v0 = _number(weights, d, n, r, 0), _number(weights, d, n, r, 1)
                    u1, v1 = _number(weights, d, n, r + 1, 0), _number(weights, d, n, r + 1, 1)
                    u2, v2 = _number(weights, d, n, r + 2, 0), _number(weights, d, n, r + 2, 1)
                    u3, v3 = _number(weights, d, n, r + 3, 0), _number(weights, d, n, r + 3, 1)
                    w0, w1, w2, w3 = (zero, zero), (zero, zero), (zero, zero), (zero, zero)
                    da, db = zero, zero
                    for m in range(tile, min(tile + _TILE, count), lanes):
                        x = load(nodes, (0, m)) - a
                        y, z = load(nodes, (1, m)) - b, load(nodes, (1, m)) + b
                        near, far = one / fma(x, x, y * y), one / fma(x, x, z * z)
                        rr, ri, lr, li = x * near, (zero - y) * near, x * far, (zero - z) * far
                        across = rr + lr, ri + li, rr - lr, li - ri
                        s = zero, zero, zero, zero
                        s, w0 = _share(grad, d, r, m, u0, v0, s, w0, across)
                        s, w1 = _share(grad, d, r + 1, m, u1, v1, s, w1, across)
                        s, w2 = _share(grad, d, r + 2, m, u2, v2, s, w2, across)
                        s, w3 = _share(grad, d, r + 3, m, u3, v3, s, w3, across)
                        fr, fi, hr, hi = s[0] + s[1], s[2] - s[3], s[0] - s[1], s[2] + s[3]
                        # squares of the conjugates of R and of L
                        er, ei = fma(rr, rr, (zero - ri) * ri), (zero - rr - rr) * ri
                        cr, ci = fma(lr, lr, (zero - li) * li), (zero - lr - lr) * li
                        da = fma(er, fr, fma(zero - ei, fi, fma(cr, hr, fma(zero - ci, hi, da))))
                        db = fma(er, fi, fma(ei, fr, fma(zero - cr, hi, fma(zero - ci, hr, db))))
                    _add(to_weights, d, n, r, 0, w0[0])
                    _add(to_weights, d, n, r, 1, w0[1])
                    _add(to_weights, d, n, r + 1, 0, w1[0])
                    _add(to_weights, d, n, r + 1, 1, w1[1])
                    _add(to_weights, d, n, r + 2, 0, w2[0])
                    _add(to_weights, d, n, r + 2, 1, w2[1])
                    _add(to_weights, d, n, r + 3, 0, w3[0])
                    _add(to_weights, d, n, r + 3, 1, w3[1])
                    _add(to_poles, d, n, 0, 0, da)
                    _add(to_poles, d, n, 0, 1, db)
