"""Whatever a user passes as a signal, as a `Signal` or as what signals are drawn of."""

from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import LayoutError, UnknownNameError
from timegrain.core.grid import TimeGrid
from timegrain.core.registry import suggest
from timegrain.core.signal import Signal
from timegrain.data.signals import SignalFamily, signal_families
from timegrain.data.systems.system import System

DEFAULT = "sines"


def as_source(signal: Any, *, dt: float, length: int) -> Signal | SignalFamily | System:
    """Return what a user passed as `signal` as a `Signal`, a family or a system.

    Args:
        signal: None for the default family; the name of a family or of a system; one itself; or
            anything `as_signal` takes.
        dt: As for `as_signal`.
        length: As for `as_signal`.

    Raises:
        UnknownNameError: If there is no family and no system of that name.
        LayoutError: As `as_signal` raises.

    Example:
        >>> as_source("chirp", dt=1.0, length=64).name, as_source("lorenz", dt=0.1, length=64).name
        ('chirp', 'lorenz')
    """
    if isinstance(signal, SignalFamily | System):
        return signal
    if signal is None or isinstance(signal, str):
        return _named(DEFAULT if signal is None else signal)
    return as_signal(signal, dt=dt, length=length)


def _named(name: str) -> SignalFamily | System:
    from timegrain.data.systems.generators import SYSTEMS

    if name in signal_families:
        family = signal_families.load(name)
        if isinstance(family, SignalFamily):
            return family
    systems = {system.name: system for system in SYSTEMS}
    if name not in systems:
        known = [*signal_families.names(), *systems]
        raise UnknownNameError(
            f"there is no signal called {name!r}",
            expected=f"a family ({', '.join(signal_families.names())}) or a system "
            f"({', '.join(systems)})",
            hint=suggest(name, known, count=1),
        )
    return systems[name]


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
