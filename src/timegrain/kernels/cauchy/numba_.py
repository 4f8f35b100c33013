"""The sums as compiled loops: nodes side by side in vectors, modes one after another.

With `x = Re(g - z)` a pair of fractions has the denominator
`(g - z)(g - conj z) = x^2 - (Im g - Im z)(Im g + Im z) + 2i x Im g`, in which nothing cancels, and
the numerator `2 Re(w) (x + i Im g) - 2 Im(w) Im(z)`. A mode and a node cost ten operations and a
division, and each of the r sums four fused multiplications and additions; gradients cost about
three times that.
"""

from typing import Any

import numpy as np
from numba import njit

TILE = 256
"""Nodes at a time: what a tile needs stays in the first-level cache."""


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def sums(weights: Any, poles: Any, nodes: Any, out: Any, first: int, last: int) -> None:
    """Write the sums of channels `first..last` to `out`, `(d, r, m)`; all complex128."""
    count, modes, m = weights.shape[1], weights.shape[2], nodes.shape[0]
    tr, ti, sr, si = np.empty(TILE), np.empty(TILE), np.empty(TILE), np.empty(TILE)
    gr, gi = np.empty(TILE), np.empty(TILE)
    real, imag = np.empty((count, TILE)), np.empty((count, TILE))
    for d in range(first, last):
        for start in range(0, m, TILE):
            size = min(TILE, m - start)
            for j in range(size):
                gr[j] = nodes[start + j].real
                gi[j] = nodes[start + j].imag
            real[:] = 0.0
            imag[:] = 0.0
            for n in range(modes):
                a, b = poles[d, n].real, poles[d, n].imag
                for j in range(size):
                    x = gr[j] - a
                    p = x * x - (gi[j] - b) * (gi[j] + b)
                    q = 2 * x * gi[j]
                    inverse = 1 / (p * p + q * q)
                    tr[j] = p * inverse
                    ti[j] = -q * inverse
                    sr[j] = x * tr[j] - gi[j] * ti[j]
                    si[j] = x * ti[j] + gi[j] * tr[j]
                for r in range(count):
                    u = 2 * weights[d, r, n].real
                    v = -2 * weights[d, r, n].imag * b
                    for j in range(size):
                        real[r, j] += u * sr[j] + v * tr[j]
                        imag[r, j] += u * si[j] + v * ti[j]
            for r in range(count):
                for j in range(size):
                    out[d, r, start + j] = complex(real[r, j], imag[r, j])


@njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract", "reassoc", "nsz"})
def gradients(
    weights: Any,
    poles: Any,
    nodes: Any,
    grad: Any,
    to_weights: Any,
    to_poles: Any,
    first: int,
    last: int,
) -> None:
    """Add the gradients of channels `first..last` to `to_weights` and `to_poles`."""
    count, modes, m = weights.shape[1], weights.shape[2], nodes.shape[0]
    gr, gi = np.empty(TILE), np.empty(TILE)
    rr, ri, lr, li = np.empty(TILE), np.empty(TILE), np.empty(TILE), np.empty(TILE)
    fr, fi, hr, hi = np.empty(TILE), np.empty(TILE), np.empty(TILE), np.empty(TILE)
    real, imag = np.empty((count, TILE)), np.empty((count, TILE))
    for d in range(first, last):
        for start in range(0, m, TILE):
            size = min(TILE, m - start)
            for j in range(size):
                gr[j] = nodes[start + j].real
                gi[j] = nodes[start + j].imag
            for r in range(count):
                for j in range(size):
                    real[r, j] = grad[d, r, start + j].real
                    imag[r, j] = grad[d, r, start + j].imag
            for n in range(modes):
                a, b = poles[d, n].real, poles[d, n].imag
                # 1/(g - z) and 1/(g - conj z)
                for j in range(size):
                    x, y = gr[j] - a, gi[j] - b
                    inverse = 1 / (x * x + y * y)
                    rr[j] = x * inverse
                    ri[j] = -y * inverse
                for j in range(size):
                    x, y = gr[j] - a, gi[j] + b
                    inverse = 1 / (x * x + y * y)
                    lr[j] = x * inverse
                    li[j] = -y * inverse
                fr[:size] = 0.0
                fi[:size] = 0.0
                hr[:size] = 0.0
                hi[:size] = 0.0
                for r in range(count):
                    u, v = weights[d, r, n].real, weights[d, r, n].imag
                    du, dv = 0.0, 0.0
                    for j in range(size):
                        # sum and difference of the two fractions are what u and i v multiply
                        du += real[r, j] * (rr[j] + lr[j]) + imag[r, j] * (ri[j] + li[j])
                        dv += imag[r, j] * (rr[j] - lr[j]) - real[r, j] * (ri[j] - li[j])
                    to_weights[d, r, n] += complex(du, dv)
                    # short loops with few arrays: the compiler can show that they do not overlap
                    for j in range(size):
                        fr[j] += u * real[r, j] + v * imag[r, j]
                        fi[j] += u * imag[r, j] - v * real[r, j]
                    for j in range(size):
                        hr[j] += u * real[r, j] - v * imag[r, j]
                        hi[j] += u * imag[r, j] + v * real[r, j]
                da, db = 0.0, 0.0
                for j in range(size):
                    er, ei = rr[j] * rr[j] - ri[j] * ri[j], -2 * rr[j] * ri[j]
                    cr, ci = lr[j] * lr[j] - li[j] * li[j], -2 * lr[j] * li[j]
                    da += er * fr[j] - ei * fi[j] + cr * hr[j] - ci * hi[j]
                    db += er * fi[j] + ei * fr[j] - cr * hi[j] - ci * hr[j]
                to_poles[d, n] += complex(da, db)
