"""A signal that rests and jumps: on average as rough as Brownian motion."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError
from timegrain.core.seeds import stream


def telegraph(
    batch: int, length: int, *, rate: float, seed: int = 0
) -> Float64[np.ndarray, "batch time"]:
    r"""Return signals of +1 and -1 that change sign at each step with a given probability.

    Args:
        batch: Number of independent series, >= 1.
        length: Samples of each, >= 1.
        rate: Probability of a change per step, in [0, 1].
        seed: Of the draw.

    Raises:
        ConfigError: If `rate` is outside its domain.

    Example:
        >>> sorted(set(telegraph(1, 1000, rate=0.01).ravel().tolist()))
        [-1.0, 1.0]
    """
    if not 0 <= rate <= 1:
        raise ConfigError("no such rate", got=rate, expected="0 <= rate <= 1")
    draw = stream(seed, "telegraph")
    changes = draw.random((batch, length)) < rate
    changes[:, 0] = draw.random(batch) < 0.5
    return 1.0 - 2.0 * (np.cumsum(changes, axis=1) % 2)
