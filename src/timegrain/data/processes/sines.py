"""Sums of sines under white noise: motion with a sensor's noise."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream


def sines_with_noise(
    batch: int,
    length: int,
    *,
    frequencies: Sequence[float],
    noise_share: float,
    dt: float = 1.0,
    seed: int = 0,
) -> Float64[np.ndarray, "batch time"]:
    r"""Return unit sines of random phase plus white noise that makes up a share of the variance.

    The sines add up to a variance of `m / 2` for m frequencies; the noise has the variance
    `share / (1 - share) m / 2`, so that it is `noise_share` of the whole.

    Args:
        batch: Number of independent series, >= 1.
        length: Samples of each, >= 1.
        frequencies: In cycles per time unit, below `1 / (2 dt)`.
        noise_share: In [0, 1).
        dt: Step.
        seed: Of the draw.

    Raises:
        ConfigError: If an argument is outside its domain.

    Example:
        >>> sines_with_noise(1, 2000, frequencies=[1, 3], noise_share=0.06, dt=1e-3).shape
        (1, 2000)
    """
    if not 0 <= noise_share < 1:
        raise ConfigError("no such noise share", got=noise_share, expected="0 <= noise_share < 1")
    if not frequencies or not all(0 < f < 0.5 / dt for f in frequencies):
        raise ConfigError(
            "frequencies outside the band", got=list(frequencies), expected=f"0 < f < {0.5 / dt}"
        )
    draw = stream(seed, "sines")
    phase = draw.uniform(0, 2 * np.pi, (batch, 1, len(frequencies)))
    angle = 2 * np.pi * dt * np.arange(length)[:, None] * np.asarray(frequencies, dtype=np.float64)
    clean = np.sin(angle[None] + phase).sum(axis=2)
    variance = noise_share / (1 - noise_share) * len(frequencies) / 2
    return clean + np.sqrt(variance) * draw.standard_normal((batch, length))
