"""The steps between times: their median, their spread, and which are gaps."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SMALL = 1e-3
NEAR = 0.25
SHARE_NEAR = 0.9
REGULAR_GAP = 1.5
IRREGULAR_GAP = 20.0


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
    found = np.concatenate([np.diff(t) for t in times])
    median = float(np.median(found))
    regular = float(np.mean(np.abs(found - median) <= NEAR * median)) >= SHARE_NEAR
    limit = median * (REGULAR_GAP if regular else IRREGULAR_GAP)
    kept = found[found <= limit]
    alike = kept[np.abs(kept - median) <= 2 * SMALL * median]
    low, high = np.percentile(kept, [5, 95])
    return Steps(
        median=median,
        jitter=float(high - low) / 2 / median,
        regular=regular,
        mean=float((alike if len(alike) else kept).mean()),
    )
