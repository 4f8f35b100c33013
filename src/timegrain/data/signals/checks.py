"""What every draw of a signal is asked."""

import numpy as np

from timegrain.core.errors import ConfigError


def check_draw(duration: float, n_channels: int) -> None:
    """Raise unless a signal can be drawn.

    Args:
        duration: Length of its window.
        n_channels: Its channels.

    Raises:
        ConfigError: If `duration <= 0` or `n_channels < 1`.
    """
    if not (np.isfinite(duration) and duration > 0 and n_channels >= 1):
        raise ConfigError(
            "a signal needs a duration and channels",
            got=f"duration={duration}, n_channels={n_channels}",
            expected="duration > 0 and n_channels >= 1",
        )
