"""Recordings of several rates brought to one, on request."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from timegrain.core.errors import ConfigError, TimegrainError
from timegrain.core.grid import TimeGrid
from timegrain.data.dataset import Dataset
from timegrain.data.units import SECONDS


def at_rate(parts: Sequence[Dataset], hz: float) -> Dataset:
    """Return the channels of one file's datasets at one rate, filtered before they are thinned.

    Recordings are resampled one by one; each ends where the first of its channels ends.

    Args:
        parts: One a rate, of the same recordings: all start together.
        hz: The new rate.

    Raises:
        ConfigError: If the rate is not positive, in no ratio of small whole numbers to a recorded
            one, or the step of the data is unknown.
        GridError: If a recording is too short for the filter.
        DataError: If a sample is missing: nothing is filtered across it.
    """
    from timegrain.resample import to_common_grid

    check_hz(hz)
    first = parts[0]
    if any(p.times is not None or p.unit not in SECONDS for p in parts):
        raise ConfigError(f"the rate of {first.name!r} is not known", got=f"common_hz={hz:g}")
    sequences = []
    for i in range(len(first)):
        grids = [TimeGrid(dt=_seconds(p), n=len(p.sequences[i]), unit="s") for p in parts]
        try:
            values, _ = to_common_grid([p.sequences[i] for p in parts], grids, dt=1 / hz)
        except TimegrainError as error:
            raise error.within(f"{first.name}, at {hz:g} Hz") from error
        sequences.append(values)
    names = sum((p.channel_names for p in parts), ())
    starts = first.starts
    if starts is not None:
        starts = np.round(starts * _seconds(first) * hz).astype(np.int64)
    return replace(
        first,
        sequences=tuple(sequences),
        channel_names=names,
        starts=starts,
        dt=1 / hz,
        unit="s",
        notes=(*_shared_notes(parts), rates_note(parts, hz)),
    )


def hertz(data: Dataset) -> float:
    """Return the samples a second of a dataset whose step is known.

    Args:
        data: In a unit of time.
    """
    return float(f"{1 / _seconds(data):.9g}")


def check_hz(hz: float) -> None:
    """Raise unless `hz` is a rate.

    Args:
        hz: Anything.

    Raises:
        ConfigError: If it is no positive number.
    """
    if isinstance(hz, bool) or not isinstance(hz, int | float) or not 0 < hz < float("inf"):
        raise ConfigError("a rate is a positive number of Hz", got=hz)


def _seconds(data: Dataset) -> float:
    return data.dt * SECONDS[data.unit]


def rates_note(parts: Sequence[Dataset], hz: float) -> str:
    """Return what was done to signals of even steps.

    Args:
        parts: One a rate.
        hz: The new rate.
    """
    rates = [hertz(p) for p in parts]
    moved = [r for r in rates if r != hz]
    if not moved:
        return f"recorded at {hz:g} Hz; nothing was resampled"
    said = " and ".join(f"{r:g}" for r in rates)
    edges = ", ".join(
        f"from {0.4 * min(hz, r):.4g} Hz on where recorded at {r:g} Hz" for r in moved
    )
    note = (
        f"brought from {said} Hz to {hz:g} Hz on request, low-passed without delay: content is "
        f"weakened {edges}"
    )
    if any(r < hz for r in moved):
        note += "; where samples were added, D sees the filter's smoothness, not the signal's"
    return note


def _shared_notes(parts: Sequence[Dataset]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for p in parts for note in p.notes))
