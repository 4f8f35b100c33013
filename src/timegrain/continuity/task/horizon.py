"""The horizon: the largest stride that the data still survive interpolation at."""

import math

import numpy as np
from jaxtyping import Float64, Int64


def horizon(
    profile: Float64[np.ndarray, " stride"],
    strides: Int64[np.ndarray, " stride"],
    *,
    nugget: float | None,
    tol: float,
) -> tuple[int, bool]:
    r"""Return the largest stride with `(D - nu) / (1 - nu) <= tol` there and at all smaller ones.

    Args:
        profile: D at each stride; strides without a value end it.
        strides: Ascending.
        nugget: `nu`; None counts as 0.
        tol: How far D may be above the noise share, on the scale where shuffled data have 1.

    Returns:
        The stride, 1 if none passes, and whether all pass (the horizon is open).

    Example:
        >>> horizon(np.array([0.01, 0.04, 0.2]), np.array([2, 4, 8]), nugget=None, tol=0.05)
        (4, False)
    """
    nu = nugget or 0.0
    last, is_open = 1, True
    for k, d in zip(strides.tolist(), profile.tolist(), strict=True):
        if math.isnan(d) or (d - nu) > tol * (1 - nu):
            is_open = False
            break
        last = k
    return last, is_open and last > 1
