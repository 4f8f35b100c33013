"""Macro F1."""

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


def macro_f1(
    y: Int[np.ndarray, " case"], answers: Int[np.ndarray, " case"], *, weights: Weights = None
) -> float | Float64[np.ndarray, " replicate"]:
    r"""Return the mean over classes of F1, the harmonic mean of precision and recall.

    A class that neither occurs nor is answered is left out. Trivial is
    `2 p / (1 + p) / n_classes`, p the share of the commonest class; perfect is 1.

    Args:
        y: Numbers of classes, `(case,)`.
        answers: Predicted numbers of classes, `(case,)`.
        weights: How often each replicate draws each case, `(replicate, case)`; None for once each.

    Raises:
        LayoutError: If lengths do not fit.

    Math:
        `F1 = 2 tp / (2 tp + fp + fn) = 2 tp / (occurring + answered)`.

    Example:
        >>> macro_f1(np.array([0, 1, 1, 1]), np.array([0, 1, 1, 0])).__round__(4)
        0.7333
    """
    same_length(y, answers)
    drawn = as_weights(len(y), weights)
    classes = np.union1d(y, answers)
    own = (y[:, None] == classes).astype(np.float64)
    given = (answers[:, None] == classes).astype(np.float64)
    return as_given(
        mean_of_known(ratio(2 * (drawn @ (own * given)), drawn @ (own + given))), weights
    )
