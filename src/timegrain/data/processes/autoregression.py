"""First-order autoregression and what its discontinuity is in closed form."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream


def autoregressive(
    batch: int, length: int, *, rho: float, seed: int = 0
) -> Float64[np.ndarray, "batch time"]:
    r"""Return stationary paths of `x_k = rho x_{k-1} + sqrt(1 - rho^2) noise`, of variance 1.

    Args:
        batch: Number of independent paths, >= 1.
        length: Samples of each, >= 1.
        rho: Correlation of neighbours, in (-1, 1).
        seed: Of the draw.

    Raises:
        ConfigError: If an argument is outside its domain.

    Source:
        Box and Jenkins, Time Series Analysis (1970), section 3.2.3.

    Example:
        >>> autoregressive(2, 50, rho=0.9).shape
        (2, 50)
    """
    _check(rho, length)
    noise = stream(seed, "autoregressive").standard_normal((batch, length))
    path = np.empty_like(noise)
    path[:, 0] = noise[:, 0]
    scale = np.sqrt(1 - rho**2)
    for k in range(1, length):
        path[:, k] = rho * path[:, k - 1] + scale * noise[:, k]
    return path


def autoregressive_discontinuity(rho: float, length: int) -> float:
    r"""Return `E num / E den` of D(2) for first-order autoregression of a given length.

    `(1.5 - 2 rho + .5 rho^2) / (1.5 beta)`, where the unbiased variance of L samples falls short
    by `beta = 1 - 2 / (L (L-1)) sum_{1 <= h < L} (L-h) rho^h`. For long series it tends to
    `(1 - rho) (3 - rho) / 3`.

    Args:
        rho: Correlation of neighbours, in (-1, 1).
        length: `L >= 2`.

    Example:
        >>> round(autoregressive_discontinuity(0.5, 10_000), 3), (1 - 0.5) * (3 - 0.5) / 3
        (0.417, 0.4166666666666667)
    """
    _check(rho, length)
    lag = np.arange(1, length, dtype=np.float64)
    beta = 1 - 2 / (length * (length - 1)) * float(((length - lag) * rho**lag).sum())
    return (1.5 - 2 * rho + 0.5 * rho**2) / (1.5 * beta)


def _check(rho: float, length: int) -> None:
    if not -1 < rho < 1 or length < 1:
        raise ConfigError(
            "no such autoregression", got=(rho, length), expected="-1 < rho < 1, length >= 1"
        )
