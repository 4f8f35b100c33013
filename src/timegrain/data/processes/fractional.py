"""Fractional Brownian motion, sampled exactly."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream


def fractional_brownian(
    batch: int, length: int, *, hurst: float, seed: int = 0
) -> Float64[np.ndarray, "batch time"]:
    r"""Return paths of fractional Brownian motion with `E (x(t+h) - x(t))^2 = h^{2H}`.

    The increments, a stationary Gaussian sequence, are drawn by embedding their covariance
    `(|k+1|^{2H} - 2|k|^{2H} + |k-1|^{2H}) / 2` in a circulant matrix, which the Fourier transform
    turns diagonal; the draw is exact for every `H`.

    Args:
        batch: Number of independent paths, >= 1.
        length: Samples of each, >= 2; the step is 1 and the first value 0.
        hurst: `H` in (0, 1); 1/2 is Brownian motion.
        seed: Of the draw.

    Raises:
        ConfigError: If an argument is outside its domain.

    Source:
        Davies and Harte, Tests for Hurst effect, Biometrika 74 (1987), appendix.

    Example:
        >>> fractional_brownian(2, 100, hurst=0.7).shape
        (2, 100)
    """
    if not 0 < hurst < 1:
        raise ConfigError("no such fractional Brownian motion", got=hurst, expected="0 < hurst < 1")
    if batch < 1 or length < 2:
        raise ConfigError(
            "too few paths or samples", got=(batch, length), expected="batch >= 1, length >= 2"
        )
    n = length - 1
    lag = np.arange(n + 1, dtype=np.float64)
    power = 2 * hurst
    covariance = ((lag + 1) ** power - 2 * lag**power + np.abs(lag - 1) ** power) / 2
    circle = np.concatenate([covariance, covariance[-2:0:-1]])
    # non-negative for this covariance; rounding may leave -1e-16
    spectrum = np.maximum(np.fft.fft(circle).real, 0.0)
    draw = stream(seed, "fractional-brownian").standard_normal((2, batch, len(circle)))
    waves = np.sqrt(spectrum / len(circle)) * (draw[0] + 1j * draw[1])
    increments = np.fft.fft(waves, axis=1).real[:, :n]
    start = np.zeros((batch, 1))
    return np.concatenate([start, np.cumsum(increments, axis=1)], axis=1)
