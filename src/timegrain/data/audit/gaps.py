"""Gaps are left open: rows without values stand in them, so that nothing is drawn across."""

from dataclasses import dataclass

import numpy as np

from timegrain.data.audit.steps import Steps
from timegrain.data.audit.stretch import Stretch

# two intervals of the longest usual stride: none that starts before such a gap ends after it
MOST_ROWS = 128


@dataclass(frozen=True, kw_only=True)
class Gaps:
    """The gaps of a stretch or, added up, of a recording.

    Args:
        number: How many.
        rows: Missing in them.
        put_in: Rows that stand for them.
        time: Beyond one median step each.
        longest: The longest of them.
    """

    number: int = 0
    rows: int = 0
    put_in: int = 0
    time: float = 0.0
    longest: float = 0.0

    def __add__(self, other: "Gaps") -> "Gaps":
        return Gaps(
            number=self.number + other.number,
            rows=self.rows + other.rows,
            put_in=self.put_in + other.put_in,
            time=self.time + other.time,
            longest=max(self.longest, other.longest),
        )


def open_gaps(stretch: Stretch, steps: Steps) -> tuple[Stretch, Gaps]:
    """Return a stretch in whose gaps stand rows without values, 128 at most in each.

    Their times are interpolated, and their class is that of the row before the gap. A longer gap is
    shortened to 129 median steps, so that it weighs nothing in a mean step: times behind it move.

    Args:
        stretch: With strictly increasing times.
        steps: Of its recording.
    """
    length = np.diff(stretch.times)
    at = np.flatnonzero(length > steps.longest)
    if not len(at):
        return stretch, Gaps()
    missing = np.maximum(np.floor(length[at] / steps.median + 0.5) - 1, 1)
    extra = np.minimum(missing, MOST_ROWS).astype(np.int64)
    beyond = length[at] - steps.median
    gaps = Gaps(
        number=len(at),
        rows=int(missing.sum()),
        put_in=int(extra.sum()),
        time=float(beyond.sum()),
        longest=float(beyond.max()),
    )
    surplus = np.zeros(len(stretch))
    surplus[at + 1] = np.where(missing > MOST_ROWS, length[at] - (MOST_ROWS + 1) * steps.median, 0)
    return _with_rows(stretch, at, extra, np.cumsum(surplus)), gaps


def _with_rows(stretch: Stretch, at: np.ndarray, extra: np.ndarray, surplus: np.ndarray) -> Stretch:
    shift = np.zeros(len(stretch), dtype=np.int64)
    shift[at + 1] = extra
    place = np.arange(len(stretch)) + np.cumsum(shift)
    total = int(place[-1]) + 1
    values = np.full((total, *stretch.values.shape[1:]), np.nan, dtype=stretch.values.dtype)
    values[place] = stretch.values
    target = stretch.target
    if target is not None:
        if np.issubdtype(target.dtype, np.integer):
            target = np.repeat(target, np.diff(place, append=total))
        else:
            wide = np.full(total, np.nan)
            wide[place] = target
            target = wide
    times = np.interp(np.arange(total), place, stretch.times - surplus)
    return Stretch(times=times, values=values, target=target, start=stretch.start)
