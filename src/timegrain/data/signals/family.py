"""A family of random signals with what is known about their smoothness."""

from collections.abc import Callable
from dataclasses import dataclass

from timegrain.core.errors import ConfigError
from timegrain.core.signal import Function


@dataclass(frozen=True, kw_only=True)
class SignalFamily:
    """Random functions of time, drawn by number.

    Args:
        name: What people type.
        title: What a draw is, in a clause.
        smoothness: How smooth a draw is, in a clause.
        derivatives: How many continuous derivatives it has: infinity, a whole number, or -1 if it
            jumps.
        order_limit: The highest order of convergence that outputs of any solver can show on it;
            infinity if there is none. With a jump in the derivative k + 1 at times on no grid an
            integral is off by `h^(k+2)` in the step that holds the jump, whatever the rule.
        make: Returns the function of a draw from `duration`, `n_channels`, `seed` and `pair`, and
            from `dt` if `on_grids`.
        on_grids: Whether the function is known on the grid of step `dt` and its halves only.

    Raises:
        ConfigError: If `order_limit <= 0`.

    Example:
        >>> import math
        >>> import numpy as np
        >>> def ramp(*, duration, n_channels, seed, pair):
        ...     return lambda times: np.tile(times[:, None] / duration, n_channels)[None]
        >>> ramps = SignalFamily(
        ...     name="ramp",
        ...     title="the line from 0 to 1",
        ...     smoothness="analytic",
        ...     derivatives=math.inf,
        ...     order_limit=math.inf,
        ...     make=ramp,
        ... )
        >>> ramps.draw(dt=1.0, length=4)(np.arange(4.0)).ravel().tolist()
        [0.0, 0.25, 0.5, 0.75]
    """

    name: str
    title: str
    smoothness: str
    derivatives: float
    order_limit: float
    make: Callable[..., Function]
    on_grids: bool = False

    def __post_init__(self) -> None:
        if not self.order_limit > 0:
            raise ConfigError("an order is positive", got=f"order_limit={self.order_limit}")

    def draw(
        self, *, dt: float, length: int, n_channels: int = 1, seed: int = 0, pair: int = 0
    ) -> Function:
        """Return the function of one draw.

        Args:
            dt: Step of the coarsest grid that it will be read on.
            length: Samples of that grid; the window is `T = length dt`.
            n_channels: Channels, drawn independently.
            seed: Seed of the family.
            pair: Number of the draw; draws with other numbers are independent.

        Returns:
            A function from times `(time,)` in `[0, T]` to values `(1, time, n_channels)`.

        Raises:
            ConfigError: If an argument is outside its domain.
        """
        grid = {"dt": dt} if self.on_grids else {}
        return self.make(duration=length * dt, n_channels=n_channels, seed=seed, pair=pair, **grid)
