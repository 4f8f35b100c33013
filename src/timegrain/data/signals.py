"""Families of smooth signals, known at every time."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.core.signal import Function

N_SINES = 5
LOWEST, HIGHEST = 0.5, 4.5


def sines(*, duration: float, n_channels: int = 1, seed: int = 0, pair: int = 0) -> Function:
    r"""Return a random sum of five sines for each channel.

    Args:
        duration: Length T of the window that the frequencies refer to, > 0.
        n_channels: Channels, drawn independently.
        seed: Seed of the family.
        pair: Number of the draw; draws with other numbers are independent.

    Returns:
        A function from times, `(time,)`, to values, `(1, time, n_channels)`.

    Raises:
        ConfigError: If `duration <= 0` or `n_channels < 1`.

    Math:
        `u(t) = sum_{i<=5} a_i sin(2 pi f_i t / T + phi_i)`, `f_i ~ U(.5, 4.5)`,
        `a_i ~ N(0, 1) / sqrt 5`, `phi_i ~ U(0, 2 pi)`: variance 1/2 on average.

    Example:
        >>> sines(duration=64.0, n_channels=3)(np.arange(8.0)).shape
        (1, 8, 3)
    """
    _check(duration, n_channels)
    rng = stream(seed, "signal", pair)
    shape = (N_SINES, n_channels)
    frequency = rng.uniform(LOWEST, HIGHEST, shape)
    height = rng.standard_normal(shape) / np.sqrt(N_SINES)
    phase = rng.uniform(0.0, 2 * np.pi, shape)

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        total = np.zeros((times.size, n_channels))
        for f, a, phi in zip(frequency, height, phase, strict=True):
            total += a * np.sin(2 * np.pi * f * (times / duration)[:, None] + phi)
        return total[None]

    return function


def chebyshev(
    *, duration: float = 1.0, n_channels: int = 1, degree: int = 20, seed: int = 0
) -> Function:
    r"""Return a random Chebyshev series for each channel.

    Args:
        duration: The series lives on `[0, duration]`, > 0.
        n_channels: Channels, drawn independently.
        degree: Highest degree, >= 1.
        seed: Seed of the draw.

    Returns:
        A function from times in `[0, duration]`, `(time,)`, to values `(1, time, n_channels)`.

    Raises:
        ConfigError: If an argument is outside its domain.

    Math:
        `u(t) = 4 (c_0 + sum_{1<=k<=degree} c_k T_k(2 t / duration - 1))`, `c_0 ~ .25 N(0, 1)`,
        `c_k ~ .35 N(0, 1) / k`.

    Example:
        >>> chebyshev(n_channels=2)(np.linspace(0.0, 1.0, 5)).shape
        (1, 5, 2)
    """
    _check(duration, n_channels)
    if degree < 1:
        raise ConfigError("a series needs terms", got=f"degree={degree}", expected="degree >= 1")
    c = stream(seed, "chebyshev").standard_normal((degree + 1, n_channels))
    c[0] *= 0.25
    c[1:] *= 0.35 / np.arange(1, degree + 1)[:, None]

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        return 4.0 * np.polynomial.chebyshev.chebval(2.0 * times / duration - 1.0, c).T[None]

    return function


def bump(
    times: Float64[np.ndarray, " time"], *, start: float, stop: float
) -> Float64[np.ndarray, " time"]:
    """Return a bump of height 1 that is zero outside `(start, stop)`, with all its derivatives.

    Args:
        times: Instants, `(time,)`.
        start: Where it begins.
        stop: Where it has ended; after `start`.

    Raises:
        ConfigError: If `stop <= start`.

    Math:
        `exp(1 - 1 / (1 - z^2))` with `z` running from -1 at `start` to 1 at `stop`.

    Example:
        >>> bump(np.array([0.0, 1.0, 2.0]), start=0.0, stop=2.0).tolist()
        [0.0, 1.0, 0.0]
    """
    if not stop > start:
        raise ConfigError("a bump needs a window", got=f"{start}..{stop}", expected="stop > start")
    z = (2.0 * times - start - stop) / (stop - start)
    inside = np.abs(z) < 1.0
    gap = np.where(inside, 1.0 - z * z, 1.0)
    return np.where(inside, np.exp(1.0 - 1.0 / gap), 0.0)


def _check(duration: float, n_channels: int) -> None:
    if not (np.isfinite(duration) and duration > 0 and n_channels >= 1):
        raise ConfigError(
            "a signal needs a duration and channels",
            got=f"duration={duration}, n_channels={n_channels}",
            expected="duration > 0 and n_channels >= 1",
        )
