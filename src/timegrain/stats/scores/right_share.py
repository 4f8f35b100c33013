"""Accuracy."""

import numpy as np
from jaxtyping import Float64, Int

from timegrain.stats.scores.weighting import Weights, as_given, as_weights, ratio, same_length


def accuracy(
    y: Int[np.ndarray, " case"], answers: Int[np.ndarray, " case"], *, weights: Weights = None
) -> float | Float64[np.ndarray, " replicate"]:
    """Return the share of right answers.

    Trivial is the share of the commonest class, perfect is 1.

    Args:
        y: Numbers of classes, `(case,)`.
        answers: Predicted numbers of classes, `(case,)`.
        weights: How often each replicate draws each case, `(replicate, case)`; None for once each.

    Returns:
        The score, or one a replicate.

    Raises:
        LayoutError: If lengths do not fit.

    Example:
        >>> accuracy(np.array([0, 1, 1, 1]), np.array([0, 1, 1, 0]))
        0.75
    """
    same_length(y, answers)
    drawn = as_weights(len(y), weights)
    return as_given(ratio(drawn @ (y == answers).astype(np.float64), drawn.sum(axis=1)), weights)
