"""Sines whose frequency rises."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.seeds import stream
from timegrain.core.signal import Function
from timegrain.data.signals.checks import check_draw

FIRST, LAST = (0.5, 1.5), (4.0, 8.0)


def chirp(*, duration: float, n_channels: int = 1, seed: int = 0, pair: int = 0) -> Function:
    r"""Return for each channel a sine whose frequency rises evenly in time.

    Args:
        duration: Length T of the window in which it rises, > 0.
        n_channels: Channels, drawn independently.
        seed: Seed of the family.
        pair: Number of the draw.

    Returns:
        A function from times, `(time,)`, to values, `(1, time, n_channels)`.

    Raises:
        ConfigError: If `duration <= 0` or `n_channels < 1`.

    Math:
        `u(t) = sin(2 pi (f s + (g - f) s^2 / 2) + phi)`, `s = t / T`: `f ~ U(.5, 1.5)` cycles a
        window at its start, `g ~ U(4, 8)` at its end, `phi ~ U(0, 2 pi)`.

    Example:
        >>> float(np.abs(chirp(duration=64.0)(np.arange(64.0))).max()) <= 1.0
        True
    """
    check_draw(duration, n_channels)
    rng = stream(seed, "chirp", pair)
    first, last = rng.uniform(*FIRST, n_channels), rng.uniform(*LAST, n_channels)
    phase = rng.uniform(0.0, 2 * np.pi, n_channels)

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        s = (times / duration)[:, None]
        return np.sin(2 * np.pi * (first + (last - first) * s / 2) * s + phase)[None]

    return function
