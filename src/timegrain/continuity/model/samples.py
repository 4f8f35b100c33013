"""Inputs that a user gave: a function of time, samples to interpolate, or a recording."""

import math
from collections.abc import Callable
from functools import lru_cache

from timegrain.continuity.model.inputs import INTERPOLANT, MIN_LENGTH, Inputs, Values, check_length
from timegrain.core.errors import ConfigError, DataError, GridError
from timegrain.core.grid import TimeGrid
from timegrain.core.signal import Signal
from timegrain.resample.coarser import coarsen
from timegrain.resample.decimate import fir_decimate
from timegrain.resample.finer import refine as refine_signal
from timegrain.resample.fir import REACH, shortest_length


def given_inputs(given: Signal, *, levels: int, refine: str, decimator: str) -> Inputs:
    """Return the inputs of a signal that was given.

    Args:
        given: The signal.
        levels: Halvings of the step.
        refine: Where finer samples come from.
        decimator: Of a recording, how the coarser grids come about.

    Raises:
        ConfigError: If `refine` asks for what the signal cannot give.
        DataError: If the signal's values are not finite.
        GridError: If there are too few samples.
    """
    if not _finite(given):
        raise DataError(f"{given.name} has gaps", got="NaN or infinity", expected="finite values")
    if refine == "resimulate":
        raise ConfigError(
            "refine='resimulate' needs a system",
            got=f"the signal {given.name!r}",
            expected="the name of one, such as signal='lorenz'",
        )
    if refine == "recorded":
        return _filtered(given, levels) if decimator == "fir" else _thinned(given, levels)
    check_length(given.grid.n)
    return _exact(given, levels) if refine == "exact" else _interpolated(given, levels)


def _finite(given: Signal) -> bool:
    return math.isfinite(float(abs(given.values).max()))


def _exact(given: Signal, levels: int) -> Inputs:
    if given.function is None:
        raise ConfigError(
            "refine='exact' needs a signal known at every time",
            got=f"samples ({given.name!r})",
            expected="a function of times, or a Signal with one",
            hint="refine='interpolate', or refine='recorded' if the samples are finer than needed",
        )

    @lru_cache(levels + 1)
    def at_level(level: int) -> Signal:
        return refine_signal(given, 2**level)

    return _of(given, given.grid, levels, "exact", lambda pair, level: at_level(level).values[pair])


def _interpolated(given: Signal, levels: int) -> Inputs:
    def sample(interpolant: str) -> Callable[[int, int], Values]:
        def one(pair: int, level: int) -> Values:
            values = given.values[pair : pair + 1]
            single = Signal(values=values, grid=given.grid, name=given.name)
            found: Values = refine_signal(single, 2**level, interpolant=interpolant).values[0]
            return found

        return one

    return _of(given, given.grid, levels, "interpolate", sample(INTERPOLANT), sample("linear"))


def _thinned(given: Signal, levels: int) -> Inputs:
    """Return a recording of which samples are dropped for the coarser grids."""
    stride = 2**levels
    n = (given.grid.n - 1) // stride + 1
    if n < MIN_LENGTH:
        raise _too_short(given, levels, (MIN_LENGTH - 1) * stride + 1, lambda k: 15 * k + 1)
    whole = _part(given, 0, (n - 1) * stride + 1)

    def sample(pair: int, level: int) -> Values:
        values: Values = coarsen(whole, 2 ** (levels - level)).values[pair]
        return values

    return _of(whole, whole.grid.coarsen(stride), levels, "recorded", sample)


def _filtered(given: Signal, levels: int) -> Inputs:
    """Return a recording that is low-passed for the coarser grids.

    The first and last 40 samples of a filtered grid lean on samples that were not recorded. Those
    of the coarsest grid reach furthest, and all grids leave out what they cover: no model sees a
    spoiled sample, and all grids begin and end at the same times.
    """
    stride = 2**levels
    n = (given.grid.n - 1) // stride + 1
    if given.grid.n < shortest_length(stride) or n < 2 * REACH + MIN_LENGTH:
        raise _too_short(given, levels, _shortest(stride), _shortest)
    whole = _part(given, 0, (n - 1) * stride + 1)
    inner = n - 2 * REACH

    @lru_cache(levels + 1)
    def at_level(level: int) -> Values:
        k = 2 ** (levels - level)
        kept, margin = fir_decimate(whole.values, k), REACH * 2**level
        values: Values = kept[:, margin : margin + (inner - 1) * 2**level + 1]
        return values

    clean = _part(whole, REACH * stride, (inner - 1) * stride + 1)
    return _of(
        Signal(
            values=clean.values, grid=clean.grid, name=f"{given.name}, low-passed for each grid"
        ),
        clean.grid.coarsen(stride),
        levels,
        "recorded",
        lambda pair, level: at_level(level)[pair],
    )


def _shortest(stride: int) -> int:
    return max(shortest_length(stride), (2 * REACH + MIN_LENGTH - 1) * stride + 1)


def _part(signal: Signal, start: int, n: int) -> Signal:
    grid = signal.grid
    return Signal(
        values=signal.values[:, start : start + n],
        grid=TimeGrid(dt=grid.dt, n=n, t0=grid.t0 + start * grid.dt, unit=grid.unit),
        name=signal.name,
    )


def _too_short(
    given: Signal, levels: int, needed: int, shortest: Callable[[int], int]
) -> GridError:
    fits = [j for j in range(1, levels) if shortest(2**j) <= given.grid.n]
    return GridError(
        f"the recording is too short for levels={levels}",
        got=f"{given.grid.n} samples",
        expected=f"at least {needed}",
        hint=f"levels={fits[-1]}" if fits else "a longer recording",
    )


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
