"""What the batch of twins and the squared distances are: the specification."""

import numpy as np
from jaxtyping import Float64


def twin_batch(
    values: Float64[np.ndarray, "l d"],
    added: Float64[np.ndarray, "k d"],
    first: int,
    scales: Float64[np.ndarray, " a"],
) -> Float64[np.ndarray, "a+a l d"]:
    """Return the scaled signals and then their twins; see `batch`."""
    twin = values.copy()
    twin[first : first + len(added)] += added
    return np.concatenate([scales[:, None, None] * x for x in (values, twin)])


def squared_gaps(
    one: Float64[np.ndarray, "b l d"], other: Float64[np.ndarray, "b l d"]
) -> Float64[np.ndarray, "b l"]:
    """Return the squared Euclidean distance over channels; see `gaps`."""
    with np.errstate(over="ignore", invalid="ignore"):
        squares: Float64[np.ndarray, "b l"] = ((other - one) ** 2).sum(-1)
    return squares
