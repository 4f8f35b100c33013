"""Whether explicit times are a uniform grid after all."""

from collections.abc import Sequence

import numpy as np


def common_step(times: Sequence[np.ndarray]) -> float | None:
    """Return the step all sequences share, or None where times are irregular.

    A step is shared when every difference equals the median one to a millionth, or to the rounding
    of the times themselves.

    Args:
        times: Increasing instants of each sequence, `(time,)`, two or more.

    Example:
        >>> common_step([np.array([0.0, 0.1, 0.2]), np.array([5.0, 5.1])])
        0.1
    """
    steps = np.concatenate([np.diff(t) for t in times])
    step = _middle(steps)
    largest = max(float(np.abs(t).max()) for t in times)
    tolerance = 1e-6 * step + 4 * np.finfo(np.float64).eps * largest
    if not np.all(np.abs(steps - step) <= tolerance):
        return None
    spans = [(t[-1] - t[0], len(t) - 1) for t in times]
    total = sum(n for _, n in spans)
    # divided first: a sum of spans may be more than float64 holds
    mean = sum(s / total for s, _ in spans) if largest > 1e300 else sum(s for s, _ in spans) / total
    return float(f"{mean:.12g}")


def _middle(steps: np.ndarray) -> float:
    """The median, without a sum of two steps that overflows."""
    scale = 2.0 if steps.max() > 1e300 else 1.0
    return float(np.median(steps / scale)) * scale
