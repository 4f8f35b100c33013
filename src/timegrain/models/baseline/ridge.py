"""Ridge regression with the penalty chosen by generalised cross-validation."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from timegrain.core.errors import DataError

ALPHAS = np.logspace(-3, 6, 19)
# With more features than cases the score is flat at small penalties to far less than this, and
# rounding would choose; a thousandth is far below the score's own sampling error.
TIE = 1e-3


@dataclass(frozen=True, kw_only=True)
class Ridge:
    """A fitted linear map on standardised features.

    Args:
        mean: Feature means, `(feature,)`.
        scale: Feature standard deviations, 1 where a feature is constant, `(feature,)`.
        weights: `(feature, output)`.
        intercept: `(output,)`.
        alpha: The penalty that generalised cross-validation chose.
    """

    mean: Float[np.ndarray, " feature"]
    scale: Float[np.ndarray, " feature"]
    weights: Float[np.ndarray, "feature output"]
    intercept: Float[np.ndarray, " output"]
    alpha: float

    def __call__(self, x: Float[np.ndarray, "case feature"]) -> Float[np.ndarray, "case output"]:
        """Return the linear prediction."""
        out: np.ndarray = (x - self.mean) / self.scale @ self.weights + self.intercept
        return out


def fit_ridge(
    x: Float[np.ndarray, "case feature"],
    y: Float[np.ndarray, "case output"],
    *,
    alphas: Float[np.ndarray, " alpha"] = ALPHAS,
) -> Ridge:
    r"""Fit a ridge with standardised features and an unpenalised intercept.

    Args:
        x: Features.
        y: Targets; all outputs share one penalty.
        alphas: Penalties to choose from, positive.

    Raises:
        DataError: If there are fewer than three cases.

    Math:
        With the eigenvalues `l_i` and left vectors `u_i` of the centred features, `alpha`
        minimises `n sum_i (a_i u_i . y)^2 / (sum_i a_i)^2`, `a_i = alpha / (l_i + alpha)`, the sums
        over the `n - 1` directions that the intercept leaves (`l_i = 0` where the features do not
        reach). Scores within a thousandth of the least tie, and the largest penalty wins.

    Source:
        Golub, Heath, Wahba, Generalized Cross-Validation as a Method for Choosing a Good Ridge
        Parameter (Technometrics 21, 1979).

    Example:
        >>> x = np.random.default_rng(0).normal(size=(50, 3))
        >>> fit = fit_ridge(x, x[:, :1] * 2 + 1)
        >>> np.round(fit(np.array([[1.0, 0.0, 0.0]])), 3).tolist()
        [[3.0]]
    """
    if len(x) < 3:
        raise DataError("too few cases to fit a ridge", got=len(x), expected="at least 3")
    mean, scale = x.mean(0), x.std(0)
    # A spread at rounding level is a constant feature; dividing by it would amplify rounding.
    scale = np.where(scale > 8 * np.finfo(x.dtype).eps * np.abs(x).max(0), scale, 1.0)
    z, intercept = (x - mean) / scale, y.mean(0)
    eigenvalues, basis = _row_directions(z)
    correlation = basis.T @ (z.T @ (y - intercept))
    projected = correlation / np.sqrt(eigenvalues)[:, None]
    # With as many directions as cases nothing lies outside them; the difference is rounding.
    full = len(eigenvalues) >= len(x) - 1
    outside = 0.0 if full else max(float(((y - intercept) ** 2).sum() - (projected**2).sum()), 0.0)
    alpha = choose_penalty(eigenvalues, projected, outside, len(x), alphas)
    weights = basis @ (correlation / (eigenvalues + alpha)[:, None])
    return Ridge(mean=mean, scale=scale, weights=weights, intercept=intercept, alpha=alpha)


def choose_penalty(
    eigenvalues: np.ndarray,
    projected: np.ndarray,
    outside: float,
    cases: int,
    alphas: np.ndarray,
) -> float:
    """Return the largest penalty within `TIE` of the least generalised cross-validation score.

    Args:
        eigenvalues: Of the centred features' Gram matrix, those above rounding.
        projected: Centred targets along its vectors, `(direction, output)`.
        outside: Sum of squares of the targets that these directions do not reach.
        cases: Number of cases.
        alphas: Penalties to choose from.
    """
    shrink = alphas[:, None] / (eigenvalues + alphas[:, None])
    residual = (shrink**2) @ (projected**2).sum(1) + outside
    freedom = shrink.sum(1) + (cases - 1 - len(eigenvalues))
    scores = cases * residual / freedom**2
    return float(alphas[scores <= scores.min() * (1 + TIE)].max())


def _row_directions(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the non-zero eigenvalues of `z' z` and their vectors, from the smaller Gram matrix.

    A Gram matrix is several times faster than the singular values and loses digits only below
    `eps * l_max`, which every penalty in use exceeds by orders of magnitude.
    """
    cases, features = z.shape
    eigenvalues, vectors = np.linalg.eigh(z @ z.T if cases <= features else z.T @ z)
    # Centring leaves one direction of zeros; its rounding must not count as a degree of freedom.
    keep = eigenvalues > eigenvalues.max(initial=0.0) * max(z.shape) * np.finfo(z.dtype).eps
    eigenvalues, vectors = eigenvalues[keep], vectors[:, keep]
    if cases <= features:
        vectors = z.T @ vectors / np.sqrt(eigenvalues)
    return eigenvalues, vectors
