"""Ridge regression on many subsets of the same cases, from one matrix of products."""

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.core.errors import DataError
from timegrain.models.baseline.ridge import ALPHAS, choose_penalty


def standardised(
    x: Float64[np.ndarray, "case feature"],
) -> Float64[np.ndarray, "case feature"]:
    """Return features with mean 0 and deviation 1; a constant feature becomes 0.

    Args:
        x: Features.
    """
    mean, scale = x.mean(0), x.std(0)
    moving = scale > 8 * np.finfo(x.dtype).eps * np.abs(x).max(0)
    return np.where(moving, (x - mean) / np.where(moving, scale, 1.0), 0.0)


def gram_ridge(
    gram: Float64[np.ndarray, "case case"],
    y: Float64[np.ndarray, "case output"],
    train: Int64[np.ndarray, " train"],
    test: Int64[np.ndarray, " test"],
    *,
    alphas: Float64[np.ndarray, " alpha"] = ALPHAS,
) -> Float64[np.ndarray, "test output"]:
    r"""Fit a ridge on some cases and return its predictions of others.

    The same fit as `fit_ridge` on features that were standardised with all cases: the intercept is
    not penalised and generalised cross-validation on the training cases chooses the penalty. No
    target of a test case enters.

    Args:
        gram: Inner products of the features of all cases.
        y: Targets of all cases.
        train: Cases to fit.
        test: Cases to predict.
        alphas: Penalties to choose from.

    Raises:
        DataError: If there are fewer than three training cases.

    Math:
        With `K` centred on the training cases, `K = V diag(l) V'`:
        `f(x) = mean(y) + (k_x - mean_i k_{x_i})' V diag(1 / (l + alpha)) V' (y - mean(y))`.

    Example:
        >>> x = np.random.default_rng(0).normal(size=(50, 3))
        >>> train, test = np.arange(40), np.arange(40, 50)
        >>> error = gram_ridge(x @ x.T, x[:, :1] * 2, train, test) - x[test, :1] * 2
        >>> bool(np.abs(error).max() < 1e-3)
        True
    """
    if len(train) < 3:
        raise DataError("too few cases to fit a ridge", got=len(train), expected="at least 3")
    products = gram[np.ix_(train, train)]
    column = products.mean(axis=0)
    intercept = y[train].mean(axis=0)
    eigenvalues, vectors, alpha = _solved(products, y[train], alphas)
    projected = vectors.T @ (y[train] - intercept)
    dual = vectors @ (projected / (eigenvalues + alpha)[:, None])
    out: np.ndarray = intercept + (gram[np.ix_(test, train)] - column) @ dual
    return out


def ridge_penalty(
    gram: Float64[np.ndarray, "case case"],
    y: Float64[np.ndarray, "case output"],
    *,
    alphas: Float64[np.ndarray, " alpha"] = ALPHAS,
) -> float:
    """Return the penalty that generalised cross-validation chooses for all these cases.

    Args:
        gram: Inner products of their features.
        y: Their targets.
        alphas: Penalties to choose from.
    """
    return _solved(gram, y, alphas)[2]


def _solved(
    gram: np.ndarray, y: np.ndarray, alphas: np.ndarray
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return the eigenvalues above rounding of the centred products, vectors, and the penalty."""
    column = gram.mean(axis=0)
    eigenvalues, vectors = np.linalg.eigh(gram - column - column[:, None] + column.mean())
    limit = eigenvalues.max(initial=0.0) * len(gram) * np.finfo(gram.dtype).eps
    keep = eigenvalues > limit
    eigenvalues, vectors = eigenvalues[keep], vectors[:, keep]
    rest = y - y.mean(axis=0)
    projected = vectors.T @ rest
    full = len(eigenvalues) >= len(gram) - 1
    outside = 0.0 if full else max(float((rest**2).sum() - (projected**2).sum()), 0.0)
    return (
        eigenvalues,
        vectors,
        choose_penalty(eigenvalues, projected, outside, len(gram), alphas),
    )
