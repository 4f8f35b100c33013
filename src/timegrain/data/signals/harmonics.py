"""Fourier series that end: periodic signals with no frequency above a bound."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.core.signal import Function
from timegrain.data.signals.checks import check_draw

N_HARMONICS = 8


def fourier(
    *,
    duration: float,
    n_channels: int = 1,
    harmonics: int = N_HARMONICS,
    seed: int = 0,
    pair: int = 0,
) -> Function:
    r"""Return a random Fourier series for each channel.

    Args:
        duration: Its period T, > 0.
        n_channels: Channels, drawn independently.
        harmonics: K; no frequency is above `K / T`.
        seed: Seed of the family.
        pair: Number of the draw.

    Returns:
        A function from times, `(time,)`, to values, `(1, time, n_channels)`.

    Raises:
        ConfigError: If an argument is outside its domain.

    Math:
        `u(t) = sum_{1<=k<=K} a_k cos(2 pi k t / T) + b_k sin(2 pi k t / T)`,
        `a_k, b_k ~ N(0, 1) / sqrt(2 K)`: variance 1/2 on average.

    Example:
        >>> u = fourier(duration=8.0, harmonics=3)
        >>> bool(np.allclose(u(np.arange(4.0)), u(8.0 + np.arange(4.0))))
        True
    """
    check_draw(duration, n_channels)
    if harmonics < 1:
        raise ConfigError("a series needs terms", got=f"harmonics={harmonics}", expected=">= 1")
    a, b = stream(seed, "fourier", pair).standard_normal((2, harmonics, n_channels))

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        angle = 2 * np.pi * np.arange(1, harmonics + 1) * (times / duration)[:, None]
        return ((np.cos(angle) @ a + np.sin(angle) @ b) / np.sqrt(2 * harmonics))[None]

    return function
