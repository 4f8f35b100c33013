"""What squared distances are: the specification."""

import numpy as np
from jaxtyping import Float64


def squared_gaps(
    one: Float64[np.ndarray, "b l d"], other: Float64[np.ndarray, "b l d"]
) -> Float64[np.ndarray, "b l"]:
    """Return the squared Euclidean distance over channels; see `dispatch`."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares: Float64[np.ndarray, "b l"] = ((other - one) ** 2).sum(-1)
    return squares
