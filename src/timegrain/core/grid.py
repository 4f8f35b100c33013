"""The uniform time grid, the one owner of steps and step ratios."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import GridError


@dataclass(frozen=True, kw_only=True)
class TimeGrid:
    """A left-aligned uniform grid `t_k = t0 + k * dt` for `k = 0..n-1`.

    Args:
        dt: Step, in `unit`; positive.
        n: Number of samples; at least 1.
        t0: Time of the first sample, in `unit`.
        unit: Name of the time unit; `"sample"` when the step is unknown.

    Raises:
        GridError: If `dt` is not positive and finite or `n < 1`.

    Example:
        >>> TimeGrid(dt=0.01, n=101, unit="s").refine(2)
        TimeGrid(dt=0.005, n=201, t0=0.0, unit='s')
    """

    dt: float
    n: int
    t0: float = 0.0
    unit: str = "sample"

    def __post_init__(self) -> None:
        if not (np.isfinite(self.dt) and self.dt > 0):
            raise GridError("a grid needs a step", got=f"dt={self.dt}", expected="dt > 0")
        if self.n < 1:
            raise GridError("a grid needs samples", got=f"n={self.n}", expected="n >= 1")

    @property
    def times(self) -> Float64[np.ndarray, " time"]:
        """The instants, shape `(time,)`.

        Raises:
            MemoryError: If there are more than any array holds.
        """
        if self.n > np.iinfo(np.intp).max // 8:
            raise MemoryError(f"{self.n} instants")
        return self.t0 + self.dt * np.arange(self.n, dtype=np.float64)

    @property
    def duration(self) -> float:
        """Time from the first to the last sample, in `unit`."""
        return self.dt * (self.n - 1)

    def refine(self, factor: int) -> "TimeGrid":
        """Return the grid with `factor` steps in the place of one.

        Raises:
            GridError: If `factor < 1`.
        """
        _positive(factor, "factor")
        n = factor * (self.n - 1) + 1
        return TimeGrid(dt=self.dt / factor, n=n, t0=self.t0, unit=self.unit)

    def coarsen(self, stride: int, *, offset: int = 0) -> "TimeGrid":
        """Return the grid of every `stride`-th sample, from sample `offset` on.

        Raises:
            GridError: If `stride < 1` or `offset` is not in `0..n-1`.
        """
        _positive(stride, "stride")
        if not 0 <= offset < self.n:
            raise GridError("no sample at offset", got=offset, expected=f"0..{self.n - 1}")
        n = -(-(self.n - offset) // stride)
        t0 = self.t0 + offset * self.dt
        return TimeGrid(dt=self.dt * stride, n=n, t0=t0, unit=self.unit)

    def tau(self, dt_trained: float) -> float:
        """Return the step ratio `dt / dt_trained`; below 1 on a finer grid.

        Raises:
            GridError: If `dt_trained` is not positive.
        """
        if not dt_trained > 0:
            raise GridError("tau needs the trained step", got=dt_trained, expected="dt_trained > 0")
        return self.dt / dt_trained


def _positive(value: int, name: str) -> None:
    if not (isinstance(value, int | np.integer) and value >= 1):
        raise GridError(f"{name} must be a whole number", got=value, expected=f"{name} >= 1")
