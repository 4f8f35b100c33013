"""Balanced accuracy."""

import numpy as np
from jaxtyping import Float64, Int

from timegrain.stats.scores.weighting import (
    Weights,
    as_given,
    as_weights,
    mean_of_known,
    ratio,
    same_length,
)


def balanced_accuracy(
    y: Int[np.ndarray, " case"], answers: Int[np.ndarray, " case"], *, weights: Weights = None
) -> float | Float64[np.ndarray, " replicate"]:
    """Return the mean over classes of the share of a class's cases that are answered right.

    Classes without a case are left out. Trivial is 1 over the number of classes, perfect is 1.

    Args:
        y: Numbers of classes, `(case,)`.
        answers: Predicted numbers of classes, `(case,)`.
        weights: How often each replicate draws each case, `(replicate, case)`; None for once each.

    Raises:
        LayoutError: If lengths do not fit.

    Source:
        Brodersen, Ong, Stephan, Buhmann, The Balanced Accuracy and Its Posterior Distribution
        (ICPR 2010), for two classes; the mean of recalls for more.

    Example:
        >>> balanced_accuracy(np.array([0, 1, 1, 1]), np.array([0, 1, 1, 0])).__round__(4)
        0.8333
    """
    same_length(y, answers)
    drawn = as_weights(len(y), weights)
    own = (y[:, None] == np.unique(y)).astype(np.float64)
    right = own * (y == answers)[:, None]
    return as_given(mean_of_known(ratio(drawn @ right, drawn @ own)), weights)
