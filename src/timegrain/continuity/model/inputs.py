"""The inputs of a ladder: one signal per pair on every level, and the bump of its twin."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import ConfigError, DataError, GridError
from timegrain.core.grid import TimeGrid
from timegrain.core.signal import Signal
from timegrain.data.signals import bump, sines
from timegrain.resample.coarser import coarsen
from timegrain.resample.finer import refine as refine_signal
from timegrain.stats.norms import trapezoid_weights

REFINEMENTS = ("exact", "interpolate", "recorded")
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
    """

    grid: TimeGrid
    levels: int
    n_channels: int
    n_signals: int | None
    source: str
    refine: str
    draw: Callable[[int, int], Values]
    redraw: Callable[[int, int], Values] | None = field(default=None)

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
        times = self.grid.refine(2**level).times
        start = self.grid.t0 + self.window / 4
        shape = bump(times, start=start, stop=self.bump_end)[:, None]
        height = np.ones(self.n_channels) if self.n_signals is None else self._spread(pair)
        return values, shape * height

    def _spread(self, pair: int) -> Float64[np.ndarray, " channel"]:
        values = self.values(pair, 0)
        weights = trapezoid_weights(values.shape[0])
        variance = weights @ (values - weights @ values) ** 2
        return np.where(variance > 0, np.sqrt(variance), 1.0)


def make_inputs(
    given: Signal | None,
    *,
    dt: float,
    length: int,
    levels: int,
    refine: str,
    n_channels: int,
    seed: int,
) -> Inputs:
    """Return the inputs that `model_continuity` asks for.

    Args:
        given: The user's signal; None draws one for every pair.
        dt: Step of the working grid of drawn signals.
        length: Samples of that grid.
        levels: Halvings of the step.
        refine: One of `REFINEMENTS`.
        n_channels: Channels of drawn signals.
        seed: Seed of drawn signals.

    Raises:
        ConfigError: If `refine` is unknown or asks for what the signal cannot give.
        DataError: If the signal's values are not finite.
        GridError: If there are too few samples.
    """
    if given is None:
        return _drawn(dt, length, levels, refine, n_channels, seed)
    if not np.isfinite(given.values).all():
        raise DataError(f"{given.name} has gaps", got="NaN or infinity", expected="finite values")
    if refine == "recorded":
        return _recorded(given, levels)
    _enough(given.grid.n)
    maker = _exact if refine == "exact" else _interpolated
    return maker(given, levels)


def _drawn(dt: float, length: int, levels: int, refine: str, n_channels: int, seed: int) -> Inputs:
    if refine == "recorded":
        raise ConfigError("refine='recorded' needs recorded data", hint="signal=your_array")
    _enough(length)
    grid = TimeGrid(dt=dt, n=length)

    def signal_of(pair: int) -> Signal:
        function = sines(duration=length * dt, n_channels=n_channels, seed=seed, pair=pair)
        return Signal.sample(function, grid, name="five sines")

    one = _exact_sample if refine == "exact" else _interpolated_sample(INTERPOLANT)
    other = None if refine == "exact" else _interpolated_sample("linear")
    return Inputs(
        grid=grid,
        levels=levels,
        n_channels=n_channels,
        n_signals=None,
        source="sum of five sines per channel",
        refine=refine,
        draw=lambda pair, level: one(signal_of(pair), level),
        redraw=None if other is None else (lambda pair, level: other(signal_of(pair), level)),
    )


def _exact(given: Signal, levels: int) -> Inputs:
    if given.function is None:
        raise ConfigError(
            "refine='exact' needs a signal known at every time",
            got=f"samples ({given.name!r})",
            expected="a function of times, or a Signal with one",
            hint="refine='interpolate', or refine='recorded' if the samples are finer than needed",
        )
    known: dict[int, Signal] = {}

    def sample(pair: int, level: int) -> Values:
        if level not in known:
            known[level] = refine_signal(given, 2**level)
        return known[level].values[pair]

    return _of(given, given.grid, levels, "exact", sample)


def _interpolated(given: Signal, levels: int) -> Inputs:
    one, other = _interpolated_sample(INTERPOLANT), _interpolated_sample("linear")

    def single(pair: int) -> Signal:
        return Signal(values=given.values[pair : pair + 1], grid=given.grid, name=given.name)

    return _of(
        given,
        given.grid,
        levels,
        "interpolate",
        lambda pair, level: one(single(pair), level),
        lambda pair, level: other(single(pair), level),
    )


def _recorded(given: Signal, levels: int) -> Inputs:
    stride = 2**levels
    n = (given.grid.n - 1) // stride + 1
    if n < MIN_LENGTH:
        fits = max(int(np.log2(max((given.grid.n - 1) / (MIN_LENGTH - 1), 1.0))), 0)
        raise GridError(
            f"the recording is too short for levels={levels}",
            got=f"{given.grid.n} samples",
            expected=f"at least {(MIN_LENGTH - 1) * stride + 1}",
            hint=f"levels={fits}" if fits else "a longer recording",
        )
    whole = Signal(
        values=given.values[:, : (n - 1) * stride + 1],
        grid=TimeGrid(
            dt=given.grid.dt, n=(n - 1) * stride + 1, t0=given.grid.t0, unit=given.grid.unit
        ),
        name=given.name,
    )

    def sample(pair: int, level: int) -> Values:
        return coarsen(whole, 2 ** (levels - level)).values[pair]

    return _of(whole, whole.grid.coarsen(stride), levels, "recorded", sample)


def _of(
    given: Signal,
    grid: TimeGrid,
    levels: int,
    refine: str,
    draw: Callable[[int, int], Values],
    redraw: Callable[[int, int], Values] | None = None,
) -> Inputs:
    return Inputs(
        grid=grid,
        levels=levels,
        n_channels=given.values.shape[2],
        n_signals=given.values.shape[0],
        source=given.name,
        refine=refine,
        draw=draw,
        redraw=redraw,
    )


def _exact_sample(signal: Signal, level: int) -> Values:
    return refine_signal(signal, 2**level).values[0]


def _interpolated_sample(interpolant: str) -> Callable[[Signal, int], Values]:
    return lambda signal, level: refine_signal(signal, 2**level, interpolant=interpolant).values[0]


def _enough(n: int) -> None:
    if n < MIN_LENGTH:
        raise GridError(
            "the working grid is too short", got=f"{n} samples", expected=f">= {MIN_LENGTH}"
        )
