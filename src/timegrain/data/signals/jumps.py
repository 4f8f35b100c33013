"""Signals that are constant between jumps."""

import numpy as np
from jaxtyping import Float64

from timegrain.core.seeds import stream
from timegrain.core.signal import Function
from timegrain.data.signals.checks import check_draw

N_JUMPS = 5


def steps(*, duration: float, n_channels: int = 1, seed: int = 0, pair: int = 0) -> Function:
    r"""Return a random step function for each channel, whose jumps are on no grid.

    No grid knows where between two samples a jump is. What a model makes of it is therefore off by
    a share of the step that has no law from one grid to the next: of first order at best, and it
    may not settle.

    Args:
        duration: Length T of the window that holds the jumps, > 0.
        n_channels: Channels, drawn independently.
        seed: Seed of the family.
        pair: Number of the draw.

    Returns:
        A function from times, `(time,)`, to values, `(1, time, n_channels)`, continuous from the
        right.

    Raises:
        ConfigError: If `duration <= 0` or `n_channels < 1`.

    Math:
        `u(t) = a_i` from jump i to the next, five jumps `~ U(0, T)`, `a_i ~ N(0, 1) / sqrt 2`.

    Example:
        >>> np.unique(steps(duration=64.0)(np.linspace(0.0, 64.0, 999))).size
        6
    """
    check_draw(duration, n_channels)
    rng = stream(seed, "steps", pair)
    at = np.sort(rng.uniform(0.0, duration, (N_JUMPS, n_channels)), axis=0)
    values = rng.standard_normal((N_JUMPS + 1, n_channels)) / np.sqrt(2.0)

    def function(
        times: Float64[np.ndarray, " time"],
    ) -> Float64[np.ndarray, "1 time channel"]:
        piece = (times[:, None, None] >= at).sum(axis=1)
        return np.take_along_axis(values, piece, axis=0)[None]

    return function
