"""Timestamps of one case of a `.ts` file, as whole numbers wherever they are ones."""

import re
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.data.arrays import EXACT
from timegrain.data.readers.place import Place, shorten

_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}(?:[ T][0-9]{2}:[0-9]{2}(?::[0-9]{2})?)?)(?:\.([0-9]{1,9}))?"
)
_WHOLE = re.compile(r"[+-]?[0-9]{1,300}")
_FORM = "2007-01-31 23:59:00"
_SECOND = 10**9


@dataclass(frozen=True)
class Instants:
    """Times of samples.

    Args:
        ticks: Nanoseconds since 1970, or the numbers that were written.
        dated: Whether they were dates.
    """

    ticks: tuple[int, ...] | tuple[float, ...]
    dated: bool

    def times(self) -> Float64[np.ndarray, " time"]:
        """Return numbers as they are, and dates in seconds since the first."""
        first = self.ticks[0]
        if self.dated:
            # Python divides whole numbers of any size with one rounding
            return np.array([(t - first) / _SECOND for t in self.ticks], dtype=np.float64)
        if isinstance(first, int) and max(abs(t) for t in self.ticks) > EXACT:
            return np.array([float(t - first) for t in self.ticks])
        return np.array(self.ticks, dtype=np.float64)


def read_instants(stamps: list[str], place: Place) -> Instants:
    """Return the times on a line.

    Args:
        stamps: One a sample: numbers, or dates such as `2007-01-31 23:59:00.5`.
        place: For errors.

    Raises:
        DataError: With file and line, if one is neither, or they are mixed.

    Example:
        >>> read_instants(["1600-01-01", "2300-01-01"], Place("x.ts", 3)).times().tolist()
        [0.0, 22089888000.0]
    """
    if _DATE.fullmatch(stamps[0]):
        return Instants(tuple(_nanoseconds(s, place) for s in stamps), dated=True)
    if all(_WHOLE.fullmatch(s) for s in stamps):
        return Instants(tuple(int(s) for s in stamps), dated=False)
    return Instants(tuple(_number(s, place) for s in stamps), dated=False)


def _nanoseconds(stamp: str, place: Place) -> int:
    match = _DATE.fullmatch(stamp)
    if match is None:
        raise place.error("not a date", got=shorten(stamp), expected=_FORM)
    try:
        # in seconds no year of four digits overflows; in nanoseconds 1677 and 2262 are the ends
        seconds = int(np.datetime64(match[1], "s").astype(np.int64))
    except ValueError as error:
        raise place.error("not a date", got=shorten(stamp), expected=_FORM) from error
    return seconds * _SECOND + int((match[2] or "0").ljust(9, "0"))


def _number(stamp: str, place: Place) -> float:
    try:
        value = float(stamp)
    except ValueError:
        value = float("nan")
    if not np.isfinite(value) or "_" in stamp:
        raise place.error(
            "not a time",
            got=shorten(stamp),
            expected=f"finite numbers, or dates such as {_FORM}",
        )
    return value
