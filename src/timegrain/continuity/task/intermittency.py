"""How much of the roughness sits in rare events."""

import numpy as np
from jaxtyping import Bool

from timegrain.kernels.discontinuity.sums import ProfileSums


def intermittency(sums: ProfileSums, channels: Bool[np.ndarray, " channel"]) -> float | None:
    r"""Return `max(0, 1 - 3 / kappa)`, 0 for Gaussian residuals and near 1 for jumps.

    `kappa` is the kurtosis of the residuals at stride 2, each divided by the root mean square of
    its own piece, so that pieces of different loudness make no tails. Brownian motion and a signal
    that jumps grow alike with the stride; this tells them apart.

    Args:
        sums: From the kernel.
        channels: Which channels to pool.

    Returns:
        The intermittency; None if no residual differs from 0.
    """
    count = int(sums.fourth_count[channels].sum())
    if not count:
        return None
    return max(0.0, 1 - 3 * count / float(sums.fourth[channels].sum()))
