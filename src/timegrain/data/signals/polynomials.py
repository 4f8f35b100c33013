"""Random Chebyshev series."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream
from timegrain.core.signal import Function
from timegrain.data.signals.checks import check_draw


def chebyshev(
    *,
    duration: float = 1.0,
    n_channels: int = 1,
    degree: int = 20,
    seed: int = 0,
    pair: int = 0,
) -> Function:
    r"""Return a random Chebyshev series for each channel.

    Args:
        duration: The series lives on `[0, duration]`, > 0.
        n_channels: Channels, drawn independently.
        degree: Highest degree, >= 1.
        seed: Seed of the family.
        pair: Number of the draw.

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
    check_draw(duration, n_channels)
    if degree < 1:
        raise ConfigError("a series needs terms", got=f"degree={degree}", expected="degree >= 1")
    keys = ("chebyshev", pair) if pair else ("chebyshev",)  # draw 0 is that of the seed alone
    c = stream(seed, *keys).standard_normal((degree + 1, n_channels))
    c[0] *= 0.25
    c[1:] *= 0.35 / np.arange(1, degree + 1)[:, None]

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        return 4.0 * np.polynomial.chebyshev.chebval(2.0 * times / duration - 1.0, c).T[None]

    return function
