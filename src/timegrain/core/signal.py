"""Values on a grid, with the function of time they come from when it is known."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64

from timegrain.core.errors import GridError, LayoutError
from timegrain.core.grid import TimeGrid

Function = Callable[[Float64[np.ndarray, " time"]], Float[np.ndarray, "batch time channel"]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Signal:
    """A batch of signals sampled on one uniform grid.

    Args:
        values: Shape `(batch, time, channel)`, real and floating.
        grid: The grid of `values`; `grid.n` equals the number of times.
        function: Maps times, shape `(time,)`, to values of shape `(batch, time, channel)`; with it
            the signal can be sampled on any grid exactly.
        name: For errors and results.

    Raises:
        LayoutError: If `values` has not three axes or its times do not fit the grid.
    """

    values: Float[np.ndarray, "batch time channel"]
    grid: TimeGrid
    function: Function | None = None
    name: str = "signal"

    def __post_init__(self) -> None:
        if self.values.ndim != 3 or not np.issubdtype(self.values.dtype, np.floating):
            raise LayoutError(
                f"signal {self.name!r} needs floating values of shape (batch, time, channel)",
                got=f"{self.values.dtype} of shape {self.values.shape}",
            )
        if self.values.shape[1] != self.grid.n:
            raise LayoutError(
                f"signal {self.name!r} does not fit its grid",
                got=f"{self.values.shape[1]} times",
                expected=f"{self.grid.n}",
            )

    @classmethod
    def sample(cls, function: Function, grid: TimeGrid, *, name: str = "signal") -> "Signal":
        """Return `function` sampled on `grid`.

        Args:
            function: As in the class.
            grid: Where to sample.
            name: For errors and results.
        """
        values = np.asarray(function(grid.times))
        return cls(values=values, grid=grid, function=function, name=name)

    def resample(self, grid: TimeGrid) -> "Signal":
        """Return the signal sampled exactly on another grid.

        Raises:
            GridError: If the signal's function of time is not known.
        """
        if self.function is None:
            raise GridError(
                f"signal {self.name!r} is known only at its samples",
                expected="a function of time",
                hint="refine(signal, factor, interpolant=...) from timegrain.resample",
            )
        return Signal.sample(self.function, grid, name=self.name)
