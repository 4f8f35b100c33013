"""Signals of several rates on one grid."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Float64

from timegrain.core.errors import GridError, LayoutError
from timegrain.core.grid import TimeGrid
from timegrain.resample.rational import fir_resample, ratio


def to_common_grid(
    signals: Sequence[Float[np.ndarray, "time channel"]],
    grids: Sequence[TimeGrid],
    *,
    dt: float,
) -> tuple[Float64[np.ndarray, "new all_channels"], TimeGrid]:
    """Return signals of several rates side by side on one grid of step `dt`.

    Each is low-passed and resampled as `fir_resample` does; one that has the step already stays as
    it is. The grid starts at the latest of the first samples and ends with the earliest of the last
    ones: times at which a signal was not recorded are not made up.

    Args:
        signals: One array a rate, `(time, channel)`.
        grids: The grid of each; starts must differ by whole new steps.
        dt: The new step, in the unit of the grids.

    Returns:
        The channels of all signals in their order, and their grid.

    Raises:
        LayoutError: If signals and grids do not fit.
        GridError: If units differ, the signals do not overlap, one is too short for its filter, or
            its samples never fall on the new grid.
        ConfigError: If two steps are in no ratio of small whole numbers.
        DataError: If a value is missing or infinite where a signal is filtered.

    Example:
        >>> fast, slow = np.zeros((1000, 1)), np.ones((500, 2))
        >>> grids = [TimeGrid(dt=0.01, n=1000, unit="s"), TimeGrid(dt=0.02, n=500, unit="s")]
        >>> values, grid = to_common_grid([fast, slow], grids, dt=0.02)
        >>> values.shape, grid.dt, grid.unit
        ((500, 3), 0.02, 's')
    """
    _check(signals, grids)
    start = max(g.t0 for g in grids)
    end = min(g.t0 + g.duration for g in grids)
    n = int((end - start) / dt + 1e-6) + 1
    if end < start or n < 2:
        raise GridError(
            "the signals have no two samples of the common grid together",
            got=f"{start:g} to {end:g} {grids[0].unit} at a step of {dt:g}",
        )
    columns = [_moved(x, grid, start, dt)[:n] for x, grid in zip(signals, grids, strict=True)]
    values = np.concatenate(columns, axis=1)
    return values, TimeGrid(dt=dt, n=n, t0=start, unit=grids[0].unit)


def _moved(x: np.ndarray, grid: TimeGrid, start: float, dt: float) -> np.ndarray:
    up, down = ratio(grid.dt, dt)
    lead = (start - grid.t0) / dt
    whole = round(lead)
    if abs(lead - whole) > 1e-6:
        raise GridError(
            "the signals start at times that are no whole steps apart",
            got=f"{start - grid.t0:g} {grid.unit} at a step of {dt:g}",
            hint="cutting them to one first time",
        )
    out = np.asarray(x, dtype=np.float64)
    return (out if up == down else fir_resample(out, up, down, axis=0))[whole:]


def _check(signals: Sequence[np.ndarray], grids: Sequence[TimeGrid]) -> None:
    if not signals or len(signals) != len(grids):
        raise LayoutError("one grid a signal", got=f"{len(signals)} signals and {len(grids)} grids")
    for x, grid in zip(signals, grids, strict=True):
        if x.ndim != 2 or len(x) != grid.n:
            raise LayoutError(
                "a signal does not fit its grid",
                got=f"shape {x.shape}",
                expected=f"({grid.n}, channels)",
            )
    units = sorted({g.unit for g in grids})
    if len(units) > 1:
        raise GridError("the signals count time in different units", got=", ".join(units))
