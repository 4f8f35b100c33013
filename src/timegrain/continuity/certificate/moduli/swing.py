"""The largest swing of samples within a window."""

import numpy as np

from timegrain.continuity.certificate.moduli.base import Channels, Samples


def swing(samples: Samples, steps: int) -> Channels:
    """Return the largest `|u_i - u_j|` with `|i - j| <= steps`, over all sequences.

    Args:
        samples: Shape `(batch, time, channel)`.
        steps: At least 1.

    Example:
        >>> swing(np.array([[[0.0], [1.0], [3.0], [2.0]]]), 2)
        array([3.])
    """
    from scipy.ndimage import maximum_filter1d, minimum_filter1d

    if samples.shape[1] < 2:
        return np.zeros(samples.shape[2])
    size = min(steps, samples.shape[1] - 1) + 1
    # at the ends the window is filled up by a sample within it
    high = maximum_filter1d(samples, size, axis=1, mode="nearest")
    low = minimum_filter1d(samples, size, axis=1, mode="nearest")
    return (high - low).max((0, 1))
