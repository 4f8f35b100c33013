"""Columns of a table that hold times although nobody said so."""

import re

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError
from timegrain.data.readers.clock import common_step

_UNITS = r"ns|us|ms|s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|d|days?|utc|gmt|local"
_NAME = re.compile(
    r"((elapsed|unix|epoch|utc|local|relative|system|gps|sample)[ _.-]?)?"
    r"(t|times?|time[ _-]?stamps?|date|date[ _-]?times?|clock|instants?|epoch|years?|months?|days?"
    r"|hours?|minutes?|seconds?|secs?|millis|milliseconds?|micros|microseconds?|nanoseconds?"
    rf"|ms|us|ns)([ _.-]?({_UNITS}))?"
)
_BRACKETS = re.compile(r"[\[(].*?[\])]")

MIN_ROWS = 3
GLANCE = 1000


def is_time_name(name: str) -> bool:
    """Whether a column is called as times are, such as `time`, `Timestamp` or `t [ms]`.

    Example:
        >>> is_time_name("Time (s)"), is_time_name("time_ms"), is_time_name("temperature")
        (True, True, False)
    """
    return _NAME.fullmatch(_BRACKETS.sub("", name).strip().lower()) is not None


def check_times_are_no_channel(
    file: str,
    columns: dict[str, Float64[np.ndarray, " time"]],
    *,
    first: str,
    time: str | None,
) -> tuple[str, ...]:
    """Raise if a column read as a channel is called as times are and rises; else return notes.

    Args:
        file: Name of the file.
        columns: Channels by name.
        first: Name of the first column of the file.
        time: The column the user named for the times.

    Returns:
        What a reader should know: a first column that rises in equal steps under another name.

    Raises:
        DataError: Naming the column, and both things to do.
    """
    rising = [n for n in columns if is_time_name(n) and rises(columns[n], strictly=n != first)]
    if time is not None:
        return tuple(f"column {n!r} rises throughout and was read as a channel" for n in rising)
    if rising and len(columns) > 1:
        name = rising[0]
        instants = _known(columns[name])
        strictly = bool((np.diff(instants) > 0).all())
        raise DataError(
            f"{file}: column {name!r} looks like the times of the rows, not like a channel",
            got=f"{instants[0]:.6g}, {instants[1]:.6g}, ... {instants[-1]:.6g}, rising",
            hint=(f"time={name!r}" if strictly else "removing the column, since its times repeat")
            + f"; to measure it as a channel, rename it in the header, for example {name}_value",
        )
    values = columns.get(first, np.empty(0))
    if len(values) < MIN_ROWS or not rises(values, strictly=True) or np.isnan(values).any():
        return ()
    if common_step([values]) is None:
        return ()
    return (
        f"column {first!r} rises in equal steps, as times and row numbers do, and was read as a "
        f"channel; if it is none, say time={first!r} or remove it",
    )


def rises(values: Float64[np.ndarray, " time"], *, strictly: bool) -> bool:
    """Whether numbers rise from the first to the last; looks at the first thousand first.

    Args:
        values: NaN is passed over.
        strictly: Whether no two may be equal.
    """
    if len(values) > GLANCE and not rises(values[:GLANCE], strictly=strictly):
        return False
    known = _known(values)
    steps = np.diff(known)
    if len(known) < 2 or known[-1] <= known[0]:
        return False
    return bool((steps > 0).all() if strictly else (steps >= 0).all())


def _known(values: Float64[np.ndarray, " time"]) -> Float64[np.ndarray, " time"]:
    return values[~np.isnan(values)]
