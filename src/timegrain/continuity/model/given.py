"""Whatever a user passes as a signal, as a `Signal`."""

from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import LayoutError
from timegrain.core.grid import TimeGrid
from timegrain.core.signal import Signal


def as_signal(signal: Any, *, dt: float, length: int) -> Signal:
    """Return what a user passed as `signal` as a float64 `Signal`.

    Args:
        signal: A `Signal`; a function from times `(time,)` to `(time,)`, `(time, channel)` or
            `(batch, time, channel)`; or an array or tensor of one of these shapes.
        dt: Step, where the signal does not know it.
        length: Samples, for a function.

    Raises:
        LayoutError: If the shape is none of these.
    """
    if isinstance(signal, Signal):
        values = signal.values.astype(np.float64)
        return Signal(values=values, grid=signal.grid, function=signal.function, name=signal.name)
    if callable(signal):
        grid = TimeGrid(dt=dt, n=length)
        name = getattr(signal, "__name__", "function")
        return Signal.sample(lambda times: _three_axes(signal(times), name), grid, name=name)
    values = _three_axes(signal, "array")
    return Signal(values=values, grid=TimeGrid(dt=dt, n=values.shape[1]), name="array")


def _three_axes(values: Any, name: str) -> Float64[np.ndarray, "batch time channel"]:
    detached = values.detach().cpu().numpy() if hasattr(values, "detach") else values
    array = np.asarray(detached)
    if array.ndim not in (1, 2, 3) or not np.issubdtype(array.dtype, np.number) or not array.size:
        raise LayoutError(
            f"the signal {name!r} cannot be read",
            got=f"{array.dtype} of shape {array.shape}",
            expected="real (time,), (time, channel) or (batch, time, channel)",
        )
    array = array.astype(np.float64)
    return array[None, :, None] if array.ndim == 1 else array[None] if array.ndim == 2 else array
