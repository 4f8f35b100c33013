r"""The chain rule from the factors of a step with held inputs back to the parameters.

With `lambda = -exp(log_decay) + i frequency`, `dt = ratio exp(log_dt)` and `z = lambda dt`, the
factors are `e^z` and `psi B`, `psi = (e^z - 1) / lambda`, whose derivatives are `e^z` to dt and
`(dt e^z - psi) / lambda` to lambda. Everything is in float64, whatever the parameters are.
"""

import cmath
import math

from numba import njit

from timegrain.kernels.inner import inner

_RADIUS = 0.35  # within it the slope is a series; the first term left out is below 1e-17
_TERMS = tuple((k + 1) / math.factorial(k + 2) for k in range(14))
_LEAST = 1e-200  # below it the modulus of lambda counts as 0


@inner(inline="always")
def _excess(z):
    """Return `e^z - 1` without cancellation."""
    sine = math.sin(0.5 * z.imag)
    real = math.expm1(z.real) * math.cos(z.imag) - 2.0 * sine * sine
    return complex(real, math.exp(z.real) * math.sin(z.imag))


@inner(inline="always")
def _slope(z, pole, dt, decay, psi):
    """Return the derivative of psi to lambda."""
    if abs(z) >= _RADIUS:
        return (dt * decay - psi) / pole
    series = complex(_TERMS[13], 0.0)
    for k in range(12, -1, -1):
        series = series * z + _TERMS[k]
    return dt * dt * series


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(ratio, parameters, upstream, grads):
    """Write the gradients of the parameters.

    Args:
        ratio: Step over the step in training.
        parameters: `log_dt, log_decay, frequency (p,)` and complex `B (p,d)`.
        upstream: Gradients of the decay, complex `(p,)`, and of the input weights, `(p,d)`.
        grads: As the parameters, written everywhere.
    """
    log_dt, log_decay, frequency, B = parameters
    to_decay, to_into = upstream
    to_log_dt, to_log_decay, to_frequency, to_B = grads
    for p in range(B.shape[0]):
        dt = ratio * math.exp(1.0 * log_dt[p])
        pole = complex(-math.exp(1.0 * log_decay[p]), 1.0 * frequency[p])
        z = pole * dt
        decay = cmath.exp(z)
        psi = _excess(z) / pole if abs(pole) > _LEAST else complex(dt, 0.0)
        back, to_psi = psi.conjugate(), complex(0.0, 0.0)
        for c in range(B.shape[1]):
            g = 1.0 * to_into[p, c]
            to_B[p, c] = g * back
            to_psi += g * (1.0 * B[p, c]).conjugate()
        to_z = to_decay[p] * decay.conjugate()
        to_pole = dt * to_z + to_psi * _slope(z, pole, dt, decay, psi).conjugate()
        to_dt = (to_z * pole.conjugate()).real + (to_psi * decay.conjugate()).real
        to_log_dt[p] = to_dt * dt
        to_log_decay[p] = to_pole.real * pole.real
        to_frequency[p] = to_pole.imag
