"""Mean absolute error."""

import numpy as np
from jaxtyping import Float64

from timegrain.stats.magnitude import power_of_two
from timegrain.stats.scores.weighting import Weights, as_given, as_weights, ratio, same_length


def mae(
    y: Float64[np.ndarray, "case ..."],
    answers: Float64[np.ndarray, "case ..."],
    *,
    weights: Weights = None,
) -> float | Float64[np.ndarray, " replicate"]:
    """Return the mean absolute error, in the unit of the target.

    Trivial is the mean distance from the mean target, perfect is 0.

    Args:
        y: Targets, `(case,)`, or `(case, output)`: the mean is then over outputs too.
        answers: Predictions, as `y`.
        weights: How often each replicate draws each case, `(replicate, case)`; None for once each.

    Raises:
        LayoutError: If lengths do not fit.

    Example:
        >>> mae(np.array([1.0, 2.0]), np.array([1.5, 2.0]))
        0.25
    """
    same_length(y, answers)
    drawn = as_weights(len(y), weights)
    # neither differences nor sums of values near the end of floats overflow
    unit = power_of_two(y.reshape(-1))
    error = np.abs(y / unit - answers / unit).reshape(len(y), -1).mean(axis=1)
    return as_given(ratio(drawn @ error, drawn.sum(axis=1)) * unit, weights)
