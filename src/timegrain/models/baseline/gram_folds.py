"""Ridge regressions on many large subsets of the same cases, from one eigenproblem."""

from functools import cached_property

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.models.baseline.gram_ridge import gram_ridge, ridge_penalty
from timegrain.models.baseline.ridge import ALPHAS, TIE

# below, an eigenproblem of its own is quicker for every subset
SMALL = 700
_SAMPLE = 300


class GramFolds:
    """Predicts cases from others as `gram_ridge` does, faster where few cases are left out.

    Leaving out a part `D` of the cases changes a ridge on all of them by a system of `len(D)`
    equations, so that one eigenproblem serves all folds. The penalty is chosen by generalised
    cross-validation on the training cases alone; the search for it starts from its choice on some
    of them, and no target of another case enters.

    Args:
        gram: Inner products of the features of all cases.
        y: Targets of all cases.

    Math:
        With the hat matrix `S(alpha)` of all cases and `M = I - S_DD`, a case of `D` is predicted
        at `y_D - e`, `e = M^-1 (y_D - (S y)_D)`; training residuals are those of a fit to `y` with
        `e` subtracted in `D`, and the training cases' hat matrix is
        `S_RR + S_RD M^-1 S_DR`.

    Source:
        Cook and Weisberg, Residuals and Influence in Regression (1982), chapter 3.

    Example:
        >>> x = np.random.default_rng(0).normal(size=(50, 3))
        >>> folds = GramFolds(x @ x.T, x[:, :1] * 2)
        >>> train, test = np.arange(40), np.arange(40, 50)
        >>> bool(np.abs(folds.predict(train, test) - x[test, :1] * 2).max() < 1e-3)
        True
    """

    def __init__(
        self, gram: Float64[np.ndarray, "case case"], y: Float64[np.ndarray, "case output"]
    ) -> None:
        self.gram, self.y = gram, y
        self._fitted: dict[int, np.ndarray] = {}

    def predict(
        self, train: Int64[np.ndarray, " train"], test: Int64[np.ndarray, " test"]
    ) -> Float64[np.ndarray, "test output"]:
        """Return the predictions of `test` by a ridge on `train`.

        Args:
            train: Cases to fit.
            test: Cases to predict, none of them in `train`.

        Raises:
            DataError: If there are fewer than three training cases.
        """
        cases = len(self.y)
        if len(train) < SMALL or len(train) < 0.7 * cases:
            return gram_ridge(self.gram, self.y, train, test)
        left_out = np.setdiff1d(np.arange(cases), train)
        scores: dict[int, float] = {}
        answers: dict[int, np.ndarray] = {}

        def score(i: int) -> float:
            if not 0 <= i < len(ALPHAS):
                return np.inf
            if i not in scores:
                scores[i], answers[i] = self._score(i, train, left_out)
            return scores[i]

        i = self._start(train)
        while score(i + 1) <= score(i):
            i += 1
        while score(i - 1) < score(i):
            i -= 1
        while score(i + 1) <= min(scores.values()) * (1 + TIE):
            i += 1
        out: np.ndarray = answers[i][np.searchsorted(left_out, test)]
        return out

    @cached_property
    def _eigen(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        mean = self.gram.mean(axis=0)
        values, vectors = np.linalg.eigh(self.gram - mean - mean[:, None] + mean.mean())
        keep = values > values.max(initial=0.0) * len(mean) * np.finfo(np.float64).eps
        values, vectors = values[keep], vectors[:, keep]
        return values, vectors, vectors.T @ (self.y - self.y.mean(axis=0))

    def _start(self, train: Int64[np.ndarray, " train"]) -> int:
        some = train[:: max(len(train) // _SAMPLE, 1)]
        alpha = ridge_penalty(self.gram[np.ix_(some, some)], self.y[some])
        grown = alpha * len(train) / len(some)
        return int(np.abs(np.log(ALPHAS / grown)).argmin())

    def _fit(self, i: int) -> np.ndarray:
        if i not in self._fitted:
            values, vectors, projected = self._eigen
            shrink = (values / (values + ALPHAS[i]))[:, None]
            self._fitted[i] = self.y.mean(axis=0) + vectors @ (shrink * projected)
        return self._fitted[i]

    def _score(
        self, i: int, train: Int64[np.ndarray, " train"], out: Int64[np.ndarray, " out"]
    ) -> tuple[float, Float64[np.ndarray, "out output"]]:
        """Return the generalised cross-validation score on `train`, and the predictions of `out`.

        `tr H_train = tr S_RR + tr(M^-1 S_DR S_RD)`, and `S_DR S_RD = (S^2)_DD - (S_DD)^2` with
        `S_DD = I - M`, so that its trace is `tr(M^-1 (S^2)_DD) - tr M^-1 + 2 len(D) - tr M`.
        """
        values, vectors, _ = self._eigen
        shrink, cases = values / (values + ALPHAS[i]), len(self.y)
        rows = vectors[out]
        half, whole = rows * np.sqrt(shrink), rows * shrink
        rest = np.eye(len(out)) - half @ half.T - 1 / cases
        inverse = np.linalg.inv(rest)
        square = whole @ whole.T + 1 / cases
        fitted = self._fit(i)
        error = inverse @ (self.y[out] - fitted[out])
        moved = vectors @ (shrink[:, None] * (rows.T @ error)) + error.mean(axis=0) * (
            len(out) / cases
        )
        residual = float(((self.y - fitted + moved)[train] ** 2).sum())
        trace_all = shrink.sum() + 1
        inside = len(out) - np.trace(rest)
        gained = (inverse * square).sum() - np.trace(inverse) + 2 * len(out) - np.trace(rest)
        freedom = len(train) - (trace_all - inside + gained)
        return len(train) * residual / freedom**2, self.y[out] - error
