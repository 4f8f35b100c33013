"""The same signal on a finer grid."""

from timegrain.core.signal import Signal
from timegrain.resample.interpolants import interpolate


def refine(signal: Signal, factor: int, *, interpolant: str = "exact") -> Signal:
    """Return the same signal on a grid `factor` times finer.

    Sample `k` stays at its instant: `out.values[:, k * factor] == signal.values[:, k]`.

    Args:
        signal: Values of shape `(batch, time, channel)` on a uniform grid.
        factor: Whole number >= 1; 2 halves the step.
        interpolant: Where the values between samples come from: `"exact"` evaluates the signal's
            function of time; `"linear"` and `"cubic"` make them up.

    Returns:
        A signal with `factor * (n - 1) + 1` samples and step `dt / factor`.

    Raises:
        GridError: If `factor < 1`, or the signal has no function and `interpolant="exact"`.
        ConfigError: If the interpolant is unknown.
        DataError: If an interpolated signal holds a value that is not finite.

    Note:
        An order measured with `"linear"` cannot exceed 2: the interpolant, not the model, sets it.

    Example:
        >>> import numpy as np
        >>> from timegrain.core import TimeGrid
        >>> ramp = Signal(values=np.array([[[0.0], [2.0]]]), grid=TimeGrid(dt=1.0, n=2))
        >>> refine(ramp, 4, interpolant="linear").values.ravel().tolist()
        [0.0, 0.5, 1.0, 1.5, 2.0]
    """
    grid = signal.grid.refine(factor)
    if interpolant == "exact":
        return signal.resample(grid)
    values = interpolate(signal.grid.times, signal.values, grid.times, interpolant=interpolant)
    values[:, ::factor] = signal.values
    return Signal(values=values, grid=grid, name=signal.name)
