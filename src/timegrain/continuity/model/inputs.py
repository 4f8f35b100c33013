"""The inputs of a ladder: one signal per pair on every level, and the bump of its twin."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.roughness import own_order
from timegrain.core.errors import GridError
from timegrain.core.grid import TimeGrid
from timegrain.data.signals import bump
from timegrain.stats.norms import trapezoid_weights

REFINEMENTS = ("exact", "interpolate", "recorded", "resimulate")
DECIMATORS = ("phase", "fir")
INTERPOLANT = "cubic"
MIN_LENGTH = 16  # with fewer samples the bump's window holds no sample inside it

Values = Float64[np.ndarray, "time channel"]


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Signals on the grids `dt, dt/2, .., dt/2^levels`.

    Args:
        grid: The grid of level 0, the working grid.
        levels: Halvings of the step.
        n_channels: Channels of the signal.
        n_signals: Signals that exist; None when a new one can be drawn for every pair.
        source: What the signal is, in words.
        refine: Where finer samples come from.
        draw: Maps `(signal, level)` to values `(time, channel)`.
        redraw: The same with another interpolant, where samples are made up.
        smoothness: How smooth the signal is, where that is known and bounds the order.
        order_limit: The highest order that outputs can show on it.
    """

    grid: TimeGrid
    levels: int
    n_channels: int
    n_signals: int | None
    source: str
    refine: str
    draw: Callable[[int, int], Values]
    redraw: Callable[[int, int], Values] | None = field(default=None)
    smoothness: str = ""
    order_limit: float = math.inf

    @property
    def window(self) -> float:
        """T: samples of the working grid times its step."""
        return self.grid.n * self.grid.dt

    @property
    def bump_end(self) -> float:
        """Time at which the twin's bump is over."""
        return self.grid.t0 + 3 * self.window / 8

    def values(self, pair: int, level: int) -> Values:
        """Return the signal of a pair; given signals are taken in turn."""
        values = self.draw(pair if self.n_signals is None else pair % self.n_signals, level)
        return values.astype(np.float64, copy=False)

    def other_values(self, pair: int, level: int) -> Values | None:
        """Return the signal of a pair with other made-up samples; None where none are made up."""
        if self.redraw is None:
            return None
        return self.redraw(pair if self.n_signals is None else pair % self.n_signals, level)

    def twin(self, pair: int, level: int) -> tuple[Values, Values]:
        """Return a signal and the bump that its twin adds, both `(time, channel)`.

        The bump has height 1 for drawn signals, and one standard deviation of each channel for
        given ones, whose unit is not known.
        """
        values = self.values(pair, level)
        added = np.zeros(values.shape)
        part, first = self.added(pair, level)
        added[first : first + len(part)] = part
        return values, added

    def added(self, pair: int, level: int) -> tuple[Values, int]:
        """Return what a twin's bump adds where it is not zero, and the first sample of that."""
        shape, first = self._bumps(level)
        height = np.ones(self.n_channels) if self.n_signals is None else self._spread(pair)
        return shape * height, first

    def times(self, level: int) -> Float64[np.ndarray, " time"]:
        """Return the instants of a level's grid."""
        return self._times(level)

    @cached_property
    def _times(self) -> Callable[[int], Float64[np.ndarray, " time"]]:
        return cache(lambda level: self.grid.refine(2**level).times)

    @cached_property
    def _bumps(self) -> Callable[[int], tuple[Values, int]]:
        """What maps a level to the samples of a bump of height 1, the same for all pairs."""
        start, stop = self.grid.t0 + self.window / 4, self.bump_end

        def at(level: int) -> tuple[Values, int]:
            times = self.times(level)
            first, last = (int(k) for k in np.searchsorted(times, (start, stop)))
            return bump(times[first:last], start=start, stop=stop)[:, None], first

        return cache(at)

    def own_order(self, pair: int) -> float | None:
        """Return at what order the signal of a pair converges to itself at its finest steps."""
        return own_order(self.values(pair, self.levels))

    def remark(self, order: int | None) -> str:
        """Return a sentence on what the signal's smoothness does to an order; empty if nothing.

        Args:
            order: Order that the model declares, if any.
        """
        if (order is not None and order < self.order_limit) or math.isinf(self.order_limit):
            return ""
        limit = int(self.order_limit)
        settles = "" if limit > 1 else ", and the order may not settle"
        return (
            f"The signal is {self.smoothness}: no model shows an order above {limit} on it"
            f"{settles}. A smoother one, such as signal='sines', or one whose jumps are on the "
            "working grid shows the model's own order."
        )

    def _spread(self, pair: int) -> Float64[np.ndarray, " channel"]:
        return spread(self.values(pair, 0))


def spread(values: Values) -> Float64[np.ndarray, " channel"]:
    """Return the standard deviation of each channel over time; 1 for one that does not vary."""
    weights = trapezoid_weights(values.shape[0])
    variance = weights @ (values - weights @ values) ** 2
    return np.where(variance > 0, np.sqrt(variance), 1.0)


def check_length(n: int) -> None:
    """Raise GridError unless so many samples make a working grid."""
    if n < MIN_LENGTH:
        raise GridError(
            "the working grid is too short", got=f"{n} samples", expected=f">= {MIN_LENGTH}"
        )
