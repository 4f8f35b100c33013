"""An upper bound of the integral of `|K|`, K a sum of decaying exponentials."""

import numpy as np
from jaxtyping import Complex128, Float64

EXCESS = 0.01
"""What the bound may exceed the trapezoidal sum by, relative to it, where panels are not too
many."""
MOST_PANELS = 2**18
LEFT_OUT = 1e-6
"""Of the coarsest bound: as small a tail is bounded by its envelope instead of panels."""
CHUNK = 2**14

Kernels = Complex128[np.ndarray, "kernel mode"]
Modes = Complex128[np.ndarray, " mode"]
Norms = Float64[np.ndarray, " kernel"]


def absolute_integral(poles: Modes, weights: Kernels, window: float) -> Norms:
    r"""Return an upper bound of `integral_0^window |K(r)| dr`, `K(r) = 2 Re sum w exp(p r)`.

    It is no quadrature, which could come out too small. On a panel `[a, a + eta]`, K differs from
    the line through its ends by at most `(r - a)(a + eta - r)/2 max|K''|`, and the absolute value
    of a line is at most the line through the absolute values:

    `integral |K| <= eta (|K(a)| + |K(a + eta)|)/2 + eta^3/12 * 2 sum |w| |p|^2 exp(Re p a)`.

    The last sum, taken over all panels, is geometric. A rounding term and the envelope of the tail
    are added; the envelope `2 sum |w| (1 - exp(Re p window)) / |Re p|` is returned where it alone
    is smaller.

    Args:
        poles: With negative real parts.
        weights: One row a kernel.
        window: Length, > 0.

    Example:
        >>> bound = absolute_integral(np.array([-1.0 + 0j]), np.array([[0.5 + 0j]]), 3.0)
        >>> bool(0 <= bound[0] - (1 - np.exp(-3.0)) < 1e-12)
        True
    """
    eps = float(np.finfo(np.float64).eps)
    decay, size = poles.real, 2 * np.abs(weights)
    envelope = size @ (-np.expm1(decay * window) / -decay)
    reach = min(window, np.log(1 / LEFT_OUT) / float(-decay.max()))
    tail = size @ (np.exp(decay * reach) * -np.expm1(decay * (window - reach)) / -decay)
    bends = size * np.abs(poles) ** 2
    best = envelope * (1 + 8 * eps * len(poles))
    panels = 64
    while panels <= MOST_PANELS:
        eta = reach / panels
        left = -np.expm1(decay * reach) / -np.expm1(decay * eta)  # sum over panels of exp(decay a)
        excess = eta**3 / 12 * (bends @ left)
        # before K is known, the coarsest bound says which panels cannot do
        if (excess > EXCESS * envelope).any() and 2 * panels <= MOST_PANELS:
            panels *= 2
            continue
        turned = len(poles) + np.abs(poles) * reach
        rounding = 16 * eps * (size @ ((eta * left + eta) * turned))
        trapezoid = _trapezoid(poles, weights, reach, panels)
        best = np.minimum(best, trapezoid + excess + tail + rounding)
        if (excess <= EXCESS * trapezoid).all():
            break
        panels *= 2
    return best


def _trapezoid(poles: Modes, weights: Kernels, reach: float, panels: int) -> Norms:
    """Return the trapezoidal sum of `|K|`."""
    eta, total = reach / panels, np.zeros(len(weights))
    for start in range(0, panels + 1, CHUNK):
        r = eta * np.arange(start, min(start + CHUNK, panels + 1))
        values = np.abs(2 * (np.exp(r[:, None] * poles) @ weights.T).real)
        total += values.sum(0)
        for end in (0, panels):
            if start <= end < start + CHUNK:
                total -= values[end - start] / 2
    return eta * total
