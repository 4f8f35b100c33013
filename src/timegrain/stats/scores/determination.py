"""R^2."""

import numpy as np
from jaxtyping import Float64

from timegrain.stats.magnitude import power_of_two
from timegrain.stats.scores.weighting import Weights, as_given, as_weights, ratio, same_length


def r2(
    y: Float64[np.ndarray, "case ..."],
    answers: Float64[np.ndarray, "case ..."],
    *,
    weights: Weights = None,
) -> float | Float64[np.ndarray, " replicate"]:
    """Return 1 minus the squared error over the squared distance from the mean of `y`.

    Trivial, the mean, is 0; perfect is 1; NaN where `y` does not vary.

    Args:
        y: Targets, `(case,)`, or `(case, output)`: both are then summed over outputs.
        answers: Predictions, as `y`.
        weights: How often each replicate draws each case, `(replicate, case)`; None for once each.

    Raises:
        LayoutError: If lengths do not fit.

    Example:
        >>> r2(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
        0.5
    """
    same_length(y, answers)
    drawn = as_weights(len(y), weights)
    total = drawn.sum(axis=1)
    lost, spread = np.zeros(len(drawn)), np.zeros(len(drawn))
    # one for all outputs, whose errors are summed; squares neither overflow nor vanish
    unit = power_of_two(y.reshape(-1))
    for target, answer in zip(_columns(y / unit), _columns(answers / unit), strict=True):
        # distances from the plain mean keep the digits that a large offset would cost
        centred = target - target.mean()
        mean = ratio(drawn @ centred, total)
        spread += drawn @ centred**2 - total * mean**2
        lost += drawn @ (target - answer) ** 2
    return as_given(1.0 - ratio(lost, spread), weights)


def _columns(values: np.ndarray) -> list[np.ndarray]:
    return [values] if values.ndim == 1 else list(values.T)
