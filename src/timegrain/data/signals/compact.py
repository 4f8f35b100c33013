"""The bump by which twin inputs differ."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError


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
