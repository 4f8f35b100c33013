"""How far the samples that a line redraws miss the ones that were there."""

import numpy as np

from timegrain.kernels.discontinuity.pieces import Pieces


def mean_weight(stride: int, pieces: Pieces) -> float:
    r"""Return the mean of `1 + (1-w)^2 + w^2` over the samples between kept ones.

    Times D(k) it is the mean square error of the redrawn samples as a share of the variance, since
    D divides that error by what shuffled data would have. On a uniform grid it is `(5k-1) / (3k)`,
    from 1.5 at stride 2 towards 5/3; missing samples, which leave some of the terms out, are not
    looked at.

    Args:
        stride: `k`, a whole number >= 2.
        pieces: Where the samples lie; with `times` the mean runs over the actual intervals.

    Example:
        >>> mean_weight(2, Pieces.whole([9])), mean_weight(4, Pieces.whole([9]))
        (1.5, 1.5833333333333333)
    """
    if not pieces.times.size:
        return (5 * stride - 1) / (3 * stride)
    count = np.maximum(pieces.stops - pieces.starts - 1, 0) // stride
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    first = np.repeat(pieces.starts, count) + stride * within
    t = pieces.times
    span = t[first + stride] - t[first]
    total = 0.0
    for j in range(1, stride):
        w = (t[first + j] - t[first]) / span
        total += float((1 + (1 - w) ** 2 + w**2).sum())
    return total / (len(first) * (stride - 1))
