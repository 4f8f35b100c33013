"""Sums over cases, once or for many weightings of them."""

import numpy as np
from jaxtyping import Float64, Shaped

from timegrain.core.errors import LayoutError

Weights = Float64[np.ndarray, "replicate case"] | None


def as_weights(n_cases: int, weights: Weights) -> Float64[np.ndarray, "replicate case"]:
    """Return the weights, or one row of ones for none.

    Raises:
        LayoutError: If they do not fit the cases, or there is no case.
    """
    if n_cases == 0:
        raise LayoutError("there is nothing to score", got="no cases")
    if weights is None:
        return np.ones((1, n_cases))
    if weights.ndim != 2 or weights.shape[1] != n_cases:
        raise LayoutError(
            "weights do not fit the cases", got=weights.shape, expected=f"(replicate, {n_cases})"
        )
    return weights


def as_given(
    values: Float64[np.ndarray, " replicate"], weights: Weights
) -> float | Float64[np.ndarray, " replicate"]:
    """Return one number where no weights were given."""
    return float(values[0]) if weights is None else values


def ratio(
    above: Float64[np.ndarray, "..."], below: Float64[np.ndarray, "..."]
) -> Float64[np.ndarray, "..."]:
    """Return `above / below`, NaN where `below` is 0."""
    return np.divide(above, below, out=np.full(np.shape(above), np.nan), where=below > 0)


def same_length(y: Shaped[np.ndarray, "case ..."], answers: Shaped[np.ndarray, "case ..."]) -> None:
    """Raise unless there is one answer a case.

    Raises:
        LayoutError: If the numbers differ.
    """
    if len(y) != len(answers):
        raise LayoutError("answers do not fit the targets", got=len(answers), expected=len(y))


def mean_of_known(
    values: Float64[np.ndarray, "replicate klass"],
) -> Float64[np.ndarray, " replicate"]:
    """Return the mean over the classes that have a value; NaN where none has."""
    known = ~np.isnan(values)
    return ratio(np.where(known, values, 0.0).sum(axis=1), known.sum(axis=1).astype(np.float64))
