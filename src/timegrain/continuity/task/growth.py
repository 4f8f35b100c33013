r"""How the interpolation residual of a signal of given smoothness grows with the stride.

A signal whose increments have the variance `E (x(t+h) - x(t))^2 = c h^q` misses the line between
two kept samples by `E e^2 = c |(1-w) a^q + w b^q - w (1-w) (a+b)^q|`, `a` and `b` the times to
the kept samples. The form continues past `q = 2`, where `q = 4` is that of a signal with two
derivatives.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float64, Int64
from numpy.polynomial import chebyshev

from timegrain.kernels.discontinuity.dispatch import growth_sums
from timegrain.kernels.discontinuity.pieces import Pieces

Q_LOW, Q_HIGH = 0.2, 4.0

Growth = Callable[[Float64[np.ndarray, " exponent"]], Float64[np.ndarray, "exponent stride"]]

_NODES = 24  # with these the interpolated logarithm is exact to 1e-10 up to stride 4,096


def uniform_growth(strides: Int64[np.ndarray, " stride"]) -> Growth:
    r"""Return the function `q -> g_q(k) / g_q(2)` on a uniform grid.

    `g_q(k) = mean_j h_q / mean_j (1 + (1-w)^2 + w^2)` over `j = 1..k-1`, `w = j / k`,
    `h_q = |(1-w) j^q + w (k-j)^q - w (1-w) k^q|`; at `q = 2` the limit of `h_q / |q - 2|`.

    Args:
        strides: Whole numbers >= 2.

    Example:
        >>> import numpy as np
        >>> growth = uniform_growth(np.array([2, 4, 8]))
        >>> growth(np.array([4.0])).round(2).tolist()  # h_4 = 3 j^2 (k-j)^2, towards k^4
        [[1.0, 10.74, 144.0]]
    """
    q = _exponents()
    return _interpolated(_uniform(2, q), [_uniform(int(k), q) for k in strides])


def irregular_growth(strides: Int64[np.ndarray, " stride"], pieces: Pieces) -> Growth:
    """Return the function `q -> g_q(k) / g_q(2)` averaged over the triples of irregular times.

    Args:
        strides: Whole numbers >= 2, each with at least one interval in the pieces.
        pieces: Pieces with `times`.
    """
    q = _exponents()
    return _interpolated(
        growth_sums(pieces, 2, q), [growth_sums(pieces, int(k), q) for k in strides]
    )


def _exponents() -> Float64[np.ndarray, " exponent"]:
    return (Q_LOW + Q_HIGH) / 2 + (Q_HIGH - Q_LOW) / 2 * chebyshev.chebpts1(_NODES)


def _interpolated(
    base: Float64[np.ndarray, " exponent"], columns: list[Float64[np.ndarray, " exponent"]]
) -> Growth:
    """Interpolate `log(column / base)`, which is analytic in q, between Chebyshev points."""
    table = np.log(np.stack(columns, axis=1) / base[:, None])
    series = chebyshev.chebfit(chebyshev.chebpts1(_NODES), table, _NODES - 1)

    def growth(q: Float64[np.ndarray, " exponent"]) -> Float64[np.ndarray, "exponent stride"]:
        x = (q - (Q_LOW + Q_HIGH) / 2) / ((Q_HIGH - Q_LOW) / 2)
        return np.exp(chebyshev.chebval(x, series)).T

    return growth


def _uniform(k: int, q: Float64[np.ndarray, " exponent"]) -> Float64[np.ndarray, " exponent"]:
    j = np.arange(1, k, dtype=np.float64)
    w = j / k
    weight = (1 + (1 - w) ** 2 + w**2).mean()
    h = (1 - w) * _bent(w, q) + w * _bent(1 - w, q)
    return float(k) ** q * h.mean(axis=1) / weight


def _bent(
    w: Float64[np.ndarray, " sample"], q: Float64[np.ndarray, " exponent"]
) -> Float64[np.ndarray, "exponent sample"]:
    """`|w^q - w^2| / |q - 2|`, 0 < w < 1: `h_q` is `k^q` times two of these, so nothing cancels."""
    bend = np.abs(q - 2.0)[:, None]
    log = np.log(w)[None, :]
    small = bend < 1e-12
    rise = np.where(small, -log, -np.expm1(bend * log) / np.where(small, 1.0, bend))
    return w[None, :] ** np.minimum(q, 2.0)[:, None] * rise
