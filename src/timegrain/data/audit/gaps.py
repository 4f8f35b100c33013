"""Gaps are left open: rows without values stand in them, so that nothing is drawn across."""

from dataclasses import dataclass
from itertools import pairwise

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
    surplus = np.where(missing > MOST_ROWS, length[at] - (MOST_ROWS + 1) * steps.median, 0)
    del length  # as long as the recording
    return _with_rows(stretch, at, extra, surplus), gaps


def _with_rows(stretch: Stretch, at: np.ndarray, extra: np.ndarray, surplus: np.ndarray) -> Stretch:
    """Put `extra` rows behind the rows `at`; stretch by stretch, since a recording may be long."""
    total = len(stretch) + int(extra.sum())
    values = np.full((total, *stretch.values.shape[1:]), np.nan, dtype=stretch.values.dtype)
    times = np.empty(total)
    target = stretch.target
    whole = target is not None and np.issubdtype(target.dtype, np.integer)
    wide = None if target is None else np.full(total, 0 if whole else np.nan, dtype=target.dtype)
    edges = np.concatenate([[0], at + 1, [len(stretch)]]).tolist()
    shifts = np.concatenate([[0], np.cumsum(extra)])
    moves = np.concatenate([[0.0], np.cumsum(surplus)])
    for (a, b), shift, move in zip(pairwise(edges), shifts.tolist(), moves.tolist(), strict=True):
        values[a + shift : b + shift] = stretch.values[a:b]
        times[a + shift : b + shift] = stretch.times[a:b] - move
        if wide is not None and target is not None:
            wide[a + shift : b + shift] = target[a:b]
    put_in = np.repeat(at + shifts[:-1] + 1, extra) + _counts(extra)
    ends = np.stack([at + shifts[:-1], at + shifts[1:] + 1], axis=1).ravel()
    times[put_in] = np.interp(put_in, ends, times[ends])
    if wide is not None and whole:
        wide[put_in] = np.repeat(wide[at + shifts[:-1]], extra)
    return Stretch(times=times, values=values, target=wide, start=stretch.start)


def _counts(numbers: np.ndarray) -> np.ndarray:
    """Return 0, 1, .. n-1 for each number n."""
    return np.arange(numbers.sum()) - np.repeat(np.cumsum(numbers) - numbers, numbers)
