"""The steps between times: their median, their spread, and which are gaps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SMALL = 1e-3
NEAR = 0.25
SHARE_NEAR = 0.9
REGULAR_GAP = 1.5
IRREGULAR_GAP = 20.0
_PART = 1 << 16


@dataclass(frozen=True, kw_only=True)
class Steps:
    """Statistics of the steps of one recording.

    Args:
        median: Of all steps.
        jitter: Half the range from the 5th to the 95th percentile, over the median, without gaps.
        regular: 90 % of the steps are within 25 % of the median.
        mean: Of the steps that equal the median but for small jitter; of all but gaps where none
            does.
    """

    median: float
    jitter: float
    regular: bool
    mean: float

    @property
    def longest(self) -> float:
        """The longest step that is no gap."""
        return self.median * (REGULAR_GAP if self.regular else IRREGULAR_GAP)


def measure_steps(times: Sequence[np.ndarray]) -> Steps:
    """Return the statistics of steps within stretches of one recording.

    Args:
        times: Strictly increasing instants of each stretch, some of them two or more.

    Example:
        >>> steps = measure_steps([np.array([0.0, 1.0, 2.0, 3.0, 9.0])])
        >>> steps.median, steps.regular
        (1.0, False)
    """
    found = np.concatenate([np.diff(t) for t in times]) if len(times) > 1 else np.diff(times[0])
    # copies of long recordings would take more memory than the recordings
    median = float(np.median(found, overwrite_input=True))
    regular = float(np.mean(_near(found, median, NEAR * median))) >= SHARE_NEAR
    limit = median * (REGULAR_GAP if regular else IRREGULAR_GAP)
    kept = found if found.max() <= limit else found[found <= limit]
    del found
    mean = _mean(kept, _near(kept, median, 2 * SMALL * median))
    low, high = np.percentile(kept, [5, 95], overwrite_input=True)
    return Steps(
        median=median,
        jitter=float(high - low) / 2 / median,
        regular=regular,
        mean=mean,
    )


def grid_steps(times: np.ndarray) -> Steps | None:
    """Return the steps of a recording that stands on a uniform grid; None where it does not.

    Every step equals the mean one to a millionth, or to the rounding of the times themselves. This
    needs no memory, whatever the length.

    Args:
        times: Instants, `(time,)`.

    Example:
        >>> grid_steps(np.array([0.0, 0.1, 0.2, 0.3])).median
        0.1
    """
    if len(times) < 2 or not np.isfinite([times[0], times[-1]]).all():
        return None
    step = float(times[-1] - times[0]) / (len(times) - 1)
    if not step > 0:
        return None
    largest = max(abs(float(times[0])), abs(float(times[-1])))
    tolerance = 1e-6 * step + 4 * np.finfo(np.float64).eps * largest
    if not tolerance < NEAR * step:
        return None
    for start in range(0, len(times) - 1, _PART):
        part = np.diff(times[start : start + _PART + 1])
        # a comparison with NaN is false, so a missing time is no grid
        if not bool((np.abs(part - step) <= tolerance).all()):
            return None
    return Steps(median=float(f"{step:.12g}"), jitter=0.0, regular=True, mean=step)


def _mean(steps: np.ndarray, chosen: np.ndarray) -> float:
    """Return the mean of the chosen steps, of all where none is."""
    return float((steps if chosen.all() or not chosen.any() else steps[chosen]).mean())


def _near(steps: np.ndarray, median: float, width: float) -> np.ndarray:
    """Return which steps are within `width` of the median; in parts, for long recordings."""
    out = np.empty(len(steps), dtype=bool)
    for i in range(0, len(steps), _PART):
        out[i : i + _PART] = np.abs(steps[i : i + _PART] - median) <= width
    return out
