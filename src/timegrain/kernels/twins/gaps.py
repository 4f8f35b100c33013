"""`squared_gaps`, the door."""

from typing import Literal

import numpy as np
from jaxtyping import Float64

from timegrain.kernels.switched_off import switched_off
from timegrain.kernels.threads import run_shared


def squared_gaps(
    one: Float64[np.ndarray, "b l d"],
    other: Float64[np.ndarray, "b l d"],
    *,
    backend: Literal["auto", "numba", "reference"] = "auto",
) -> Float64[np.ndarray, "b l"]:
    r"""Return the squared Euclidean distance over channels at each time, in one pass over both.

    Args:
        one: Sequences.
        other: As many others.
        backend: `"reference"` runs the plain formula, and so does `"auto"` where
            `NUMBA_DISABLE_JIT` is set.

    Returns:
        Not finite where a number is not, or where squares overflow.

    Math:
        :math:`q_t = \sum_c (y_{tc} - x_{tc})^2`

    Example:
        >>> squared_gaps(np.zeros((1, 2, 2)), np.array([[[3.0, 4.0], [0.0, 1.0]]])).tolist()
        [[25.0, 1.0]]
    """
    if backend == "reference" or (backend == "auto" and switched_off()):
        from timegrain.kernels.twins import reference

        return reference.squared_gaps(one, other)
    from timegrain.kernels.twins.numba_ import write_gaps

    one, other = np.ascontiguousarray(one), np.ascontiguousarray(other)
    squares = np.empty(one.shape[:2])
    run_shared(
        lambda start, stop: write_gaps(start, stop, one, other, squares),
        squares.size,
        one.size // 16,
    )
    return squares
