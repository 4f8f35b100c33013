"""Inputs that are drawn anew for every pair: families of signals, and systems."""

from collections.abc import Callable
from functools import lru_cache, partial

from timegrain.continuity.model.inputs import INTERPOLANT, Inputs, Values, check_length, spread
from timegrain.core.errors import ConfigError
from timegrain.core.grid import TimeGrid
from timegrain.core.signal import Signal
from timegrain.data.signals import SignalFamily
from timegrain.data.systems.system import System
from timegrain.data.systems.watch import watch_system
from timegrain.resample.finer import refine as refine_signal
from timegrain.stats.norms import trapezoid_weights

KEPT = 16  # levels that are not simulated again: those of one pair, and of the first


def family_inputs(
    family: SignalFamily,
    *,
    dt: float,
    length: int,
    levels: int,
    refine: str,
    n_channels: int,
    seed: int,
) -> Inputs:
    """Return the inputs of a family: known at every time, or interpolated as if they were not.

    Args:
        family: Of which a signal is drawn for every pair.
        dt: Step of the working grid.
        length: Samples of that grid.
        levels: Halvings of the step.
        refine: `"exact"` or `"interpolate"`.
        n_channels: Channels.
        seed: Seed of the draws.

    Raises:
        ConfigError: If `refine` asks for what a family cannot give.
        GridError: If there are too few samples.
    """
    if refine == "recorded":
        raise ConfigError("refine='recorded' needs recorded data", hint="signal=your_array")
    if refine == "resimulate":
        raise ConfigError(
            "refine='resimulate' needs a system",
            got=f"the signal {family.name!r}",
            expected=f"signal= one of {', '.join(system_names())}",
            hint="refine='exact', which samples a known function anew",
        )
    check_length(length)
    grid = TimeGrid(dt=dt, n=length)

    def signal_of(pair: int) -> Signal:
        function = family.draw(dt=dt, length=length, n_channels=n_channels, seed=seed, pair=pair)
        return Signal.sample(function, grid, name=family.title)

    made_up = refine == "interpolate"
    return Inputs(
        grid=grid,
        levels=levels,
        n_channels=n_channels,
        n_signals=None,
        source=family.title,
        refine=refine,
        draw=_sampled(signal_of, INTERPOLANT) if made_up else _thinned(signal_of, levels),
        redraw=_sampled(signal_of, "linear") if made_up else None,
        smoothness=family.smoothness,
        order_limit=family.order_limit,
    )


def system_inputs(
    system: System,
    *,
    dt: float,
    length: int,
    levels: int,
    refine: str,
    n_channels: int,
    seed: int,
) -> Inputs:
    """Return what is seen of a system, simulated on every grid, or interpolated from the first.

    Every channel is a case of its own (or one of the quantities that are seen of it), in standard
    deviations of its samples on the working grid.

    Args:
        system: Of which cases are drawn for every pair.
        dt: Step of the working grid, in the system's time.
        length: Samples of that grid.
        levels: Halvings of the step.
        refine: `"resimulate"` or `"interpolate"`.
        n_channels: Channels.
        seed: Seed of the cases.

    Raises:
        ConfigError: If `refine` asks for what a system cannot give.
        GridError: If there are too few samples.
    """
    if refine not in ("resimulate", "interpolate"):
        raise ConfigError(
            f"refine={refine!r} does not go with a system",
            got=f"the system {system.name!r}",
            expected="refine='resimulate', which simulates it on every grid",
        )
    check_length(length)
    grid = TimeGrid(dt=dt, n=length)
    raw = lru_cache(KEPT)(
        partial(watch_system, system, dt=dt, n=length, n_channels=n_channels, seed=seed)
    )

    def scaled(pair: int, level: int) -> Values:
        first = raw(pair=pair, level=0)
        mean = trapezoid_weights(length) @ first
        values: Values = (raw(pair=pair, level=level) - mean) / spread(first)
        return values

    def signal_of(pair: int) -> Signal:
        return Signal(values=scaled(pair, 0)[None], grid=grid, name=system.title)

    made_up = refine == "interpolate"
    return Inputs(
        grid=grid,
        levels=levels,
        n_channels=n_channels,
        n_signals=None,
        source=f"{', '.join(system.seen)} of {system.title}, in standard deviations",
        refine=refine,
        draw=_sampled(signal_of, INTERPOLANT) if made_up else scaled,
        redraw=_sampled(signal_of, "linear") if made_up else None,
        smoothness="a random path, nowhere differentiable" if system.rough else "",
        order_limit=1 if system.rough else float("inf"),
    )


def system_names() -> list[str]:
    """Return the names of the systems."""
    from timegrain.data.systems.generators import SYSTEMS

    return [system.name for system in SYSTEMS]


def _thinned(signal_of: Callable[[int], Signal], levels: int) -> Callable[[int, int], Values]:
    """Return what keeps samples of the finest grid, where all others are: it is made once."""

    @lru_cache(2)  # the first pair is asked for again at the end
    def finest(pair: int) -> Values:
        values: Values = refine_signal(signal_of(pair), 2**levels).values[0]
        values.flags.writeable = False
        return values

    return lambda pair, level: finest(pair)[:: 2 ** (levels - level)]


def _sampled(signal_of: Callable[[int], Signal], interpolant: str) -> Callable[[int, int], Values]:
    def sample(pair: int, level: int) -> Values:
        values: Values = refine_signal(signal_of(pair), 2**level, interpolant=interpolant).values[0]
        return values

    return sample
