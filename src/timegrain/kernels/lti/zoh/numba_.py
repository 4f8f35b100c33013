r"""Exponents and weights of modes with held inputs, and the chain rule back to the parameters.

With `lambda = -exp(log_decay) + i frequency`, `dt = ratio exp(log_dt)` and `z = lambda dt`, the
weight is `w = C psi`, `psi = (e^z - 1) / lambda`, whose derivatives are `e^z` to dt and
`(dt e^z - psi) / lambda` to lambda. Everything is in float64, whatever the parameters are, for
eight modes at a time.
"""

import math

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma, lesser, total, where_zero
from timegrain.kernels.vectors.complex_parts import product, quotient
from timegrain.kernels.vectors.exponential import exponential, exponential_and_weight
from timegrain.kernels.vectors.memory import load, store
from timegrain.kernels.vectors.sine import sine_and_cosine

_RADIUS = 0.35  # within it the slope is a series; the first term left out is below 1e-17
_TERMS = tuple((k + 1) / math.factorial(k + 2) for k in range(14))
# Rows of the scratch memory, each of so many numbers as there are modes.
_DECAY, _FREQUENCY, _C_RE, _C_IM = 0, 1, 2, 3


@inner(forceinline=True)
def _lay_out(d, log_decay, frequency, C, rows):
    """Write the parameters of a channel to rows of float64, zeros behind the last mode."""
    modes = log_decay.shape[1]
    for n in range(rows.shape[1]):
        there = n < modes
        rows[_DECAY, n] = log_decay[d, n] if there else 0.0
        rows[_FREQUENCY, n] = frequency[d, n] if there else 0.0
        rows[_C_RE, n] = C[d, n, 0] if there else 0.0
        rows[_C_IM, n] = C[d, n, 1] if there else 0.0


@inner(forceinline=True)
def _mode(rows, n, dt):
    """Return lambda, z, `e^z - 1` without cancellation, and psi, of eight modes."""
    one, half = fill(rows, 1.0), fill(rows, 0.5)
    re, im = fill(rows, 0.0) - exponential(load(rows, (_DECAY, n))), load(rows, (_FREQUENCY, n))
    zr, zi = re * dt, im * dt
    sine, cosine = sine_and_cosine(half * zi)
    _, weight = exponential_and_weight(zr, one, one / zr)
    growth, fall = zr * weight, (sine + sine) * sine
    # e^x cos y - 1 = expm1(x) cos y - 2 sin(y/2)^2
    er = growth * (one - fall) - fall
    ei = (one + growth) * ((sine + sine) * cosine)
    pr, pi = quotient(er, ei, re, im)
    size = fma(re, re, im * im)
    return re, im, zr, zi, er, ei, where_zero(size, dt, pr), where_zero(size, im, pi)


@inner(forceinline=True)
def _slope(re, im, zr, zi, er, ei, pr, pi, dt):
    """Return the derivative of psi to lambda."""
    sr, si = fill(re, _TERMS[13]), fill(re, 0.0)
    for k in range(12, -1, -1):
        sr, si = product(sr, si, zr, zi)
        sr = sr + fill(re, _TERMS[k])
    ar, ai = quotient(dt * (fill(re, 1.0) + er) - pr, dt * ei - pi, re, im)
    edge = fill(re, _RADIUS * _RADIUS)
    far = edge - lesser(edge, fma(zr, zr, zi * zi))  # zero where z is beyond the radius
    square = dt * dt
    return where_zero(far, ar, square * sr), where_zero(far, ai, square * si)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(sources, rows, ratio, parameters, z, w):
    """Write exponents and weights.

    Args:
        sources: Part of the cache's key, not read.
        rows: Scratch memory `(4, N)`, float64.
        ratio: Step over the step in training.
        parameters: `log_dt (d,); log_decay, frequency (d, n); C (d, n, 2)`.
        z: Exponents, real and imaginary part, `(d, 2, N)`, float64, N a multiple of 8 and >= n;
            written everywhere.
        w: Weights, as z; those of modes that are none are 0.
    """
    log_dt, log_decay, frequency, C = parameters
    for d in range(z.shape[0]):
        _lay_out(d, log_decay, frequency, C, rows)
        dt = fill(rows, ratio * math.exp(log_dt[d] * 1.0))
        for n in range(0, z.shape[2], 8):
            _, _, zr, zi, _, _, pr, pi = _mode(rows, n, dt)
            store(z, (d, 0, n), zr)
            store(z, (d, 1, n), zi)
            wr, wi = product(load(rows, (_C_RE, n)), load(rows, (_C_IM, n)), pr, pi)
            store(w, (d, 0, n), wr)
            store(w, (d, 1, n), wi)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(sources, rows, ratio, parameters, gz, gw, grads):
    """Write the gradients of the parameters.

    Args:
        sources: Part of the cache's key, not read.
        rows: As in `forward`.
        ratio: As in `forward`.
        parameters: As in `forward`.
        gz: Gradient of the exponents, as z; 0 for modes that are none.
        gw: Of the weights.
        grads: As the parameters.
    """
    log_dt, log_decay, frequency, C = parameters
    zero, one = fill(rows, 0.0), fill(rows, 1.0)
    for d in range(gz.shape[0]):
        _lay_out(d, log_decay, frequency, C, rows)
        step = ratio * math.exp(log_dt[d] * 1.0)
        dt, g_dt = fill(rows, step), fill(rows, 0.0)
        for n in range(0, gz.shape[2], 8):
            re, im, zr, zi, er, ei, pr, pi = _mode(rows, n, dt)
            sr, si = _slope(re, im, zr, zi, er, ei, pr, pi, dt)
            ur, ui = load(gw, (d, 0, n)), load(gw, (d, 1, n))
            vr, vi = load(gz, (d, 0, n)), load(gz, (d, 1, n))
            cr, ci = load(rows, (_C_RE, n)), load(rows, (_C_IM, n))
            tr, ti = product(ur, ui, pr, zero - pi)
            store(rows, (_C_RE, n), tr)
            store(rows, (_C_IM, n), ti)
            ur, ui = product(ur, ui, cr, zero - ci)  # the gradient of psi
            tr, ti = product(ur, ui, sr, zero - si)
            store(rows, (_DECAY, n), fma(dt, vr, tr) * re)
            store(rows, (_FREQUENCY, n), fma(dt, vi, ti))
            g_dt = g_dt + fma(ur, one + er, ui * ei) + fma(vr, re, vi * im)
        _handquotient(d, rows, total(g_dt) * step, grads)


@inner(forceinline=True)
def _handquotient(d, rows, g_log_dt, grads):
    grads[0][d] = g_log_dt
    for n in range(grads[1].shape[1]):
        grads[1][d, n], grads[2][d, n] = rows[_DECAY, n], rows[_FREQUENCY, n]
        grads[3][d, n, 0], grads[3][d, n, 1] = rows[_C_RE, n], rows[_C_IM, n]
