"""Sums of sines of any frequencies in a band."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.seeds import stream
from timegrain.core.signal import Function
from timegrain.data.signals.checks import check_draw

N_SINES = 5
LOWEST, HIGHEST = 0.5, 4.5
BLOCK = 256  # samples at a time: terms stay in the cache


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
    check_draw(duration, n_channels)
    rng = stream(seed, "signal", pair)
    shape = (N_SINES, n_channels)
    frequency = rng.uniform(LOWEST, HIGHEST, shape)
    height = rng.standard_normal(shape) / np.sqrt(N_SINES)
    phase = rng.uniform(0.0, 2 * np.pi, shape)

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        total = np.zeros((times.size, n_channels))
        for start in range(0, times.size, BLOCK):
            part = total[start : start + BLOCK]
            at, term = (times[start : start + BLOCK] / duration)[:, None], np.empty_like(part)
            for f, a, phi in zip(frequency, height, phase, strict=True):
                np.multiply(2 * np.pi * f, at, out=term)
                np.add(term, phi, out=term)
                np.multiply(a, np.sin(term, out=term), out=term)
                np.add(part, term, out=part)
        return total[None]

    return function
