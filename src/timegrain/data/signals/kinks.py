"""Signals with a known number of continuous derivatives, and not one more."""

import numpy as np
from jaxtyping import Float64
from numpy.polynomial import Polynomial

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.core.signal import Function
from timegrain.data.signals.checks import check_draw
from timegrain.data.signals.sinusoids import HIGHEST, LOWEST, N_SINES

SMOOTHEST = 8  # further on a Bernoulli polynomial is a cosine but for 1 part in a thousand


def kinked(
    *, derivatives: int, duration: float, n_channels: int = 1, seed: int = 0, pair: int = 0
) -> Function:
    r"""Return a random signal of exactly `derivatives` continuous derivatives for each channel.

    Like `sines`, with a periodic Bernoulli polynomial in the place of the sine: it has as many
    continuous derivatives as asked for, and the next one jumps once a period, at times that are on
    no grid.

    Args:
        derivatives: k, from 0 (continuous, with kinks) to 8.
        duration: Length T of the window that the frequencies refer to, > 0.
        n_channels: Channels, drawn independently.
        seed: Seed of the family.
        pair: Number of the draw.

    Returns:
        A function from times, `(time,)`, to values, `(1, time, n_channels)`.

    Raises:
        ConfigError: If an argument is outside its domain.

    Math:
        `u(t) = sum_{i<=5} a_i b({f_i t / T + phi_i})`, `{x} = x - floor(x)`, `b` the Bernoulli
        polynomial `B_{k+2}` scaled to variance 1/2, `f_i ~ U(.5, 4.5)`, `a_i ~ N(0, 1) / sqrt 5`,
        `phi_i ~ U(0, 1)`.

    Source:
        NIST Digital Library of Mathematical Functions, sections 24.2(iii) (periodic Bernoulli
        functions) and 24.8(i) (their Fourier series, whose terms fall as `m^-(k+2)`).

    Example:
        >>> kinked(derivatives=2, duration=64.0)(np.arange(8.0)).shape
        (1, 8, 1)
    """
    check_draw(duration, n_channels)
    if derivatives not in range(SMOOTHEST + 1):
        raise ConfigError(
            "a signal of C^k has a whole number of derivatives",
            got=f"derivatives={derivatives}",
            expected=f"0..{SMOOTHEST}",
            hint="sines, which has all of them",
        )
    wave = _bernoulli(derivatives + 2)
    rng = stream(seed, "kinked", derivatives, pair)
    shape = (N_SINES, n_channels)
    frequency = rng.uniform(LOWEST, HIGHEST, shape)
    height = rng.standard_normal(shape) / np.sqrt(N_SINES)
    phase = rng.uniform(0.0, 1.0, shape)

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        total = np.zeros((times.size, n_channels))
        for f, a, phi in zip(frequency, height, phase, strict=True):
            total += a * wave((f * (times / duration)[:, None] + phi) % 1.0)
        return total[None]

    return function


def _bernoulli(n: int) -> Polynomial:
    """Return the Bernoulli polynomial `B_n` scaled to variance 1/2 on `[0, 1]`."""
    b = Polynomial([1.0])
    for m in range(1, n + 1):
        b = m * b.integ()  # B_m' = m B_{m-1}, and its mean is 0
        b = b - b.integ()(1.0)
    return b / np.sqrt(2.0 * (b * b).integ()(1.0))
