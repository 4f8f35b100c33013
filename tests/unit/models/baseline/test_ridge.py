import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.models.baseline.ridge import ALPHAS, TIE, fit_ridge


def problem(cases, features, outputs=2, noise=1.0, seed=0):
    random = np.random.default_rng(seed)
    x = random.normal(size=(cases, features)) * random.uniform(0.1, 10, features) + 3
    y = x @ random.normal(size=(features, outputs)) / features
    return x, y + noise * random.normal(size=y.shape)


def hat(x, alpha):
    """The matrix that maps targets to fitted values, intercept included, written out."""
    z = (x - x.mean(0)) / x.std(0)
    ones = np.full((len(x), len(x)), 1 / len(x))
    return ones + z @ np.linalg.solve(z.T @ z + alpha * np.eye(z.shape[1]), z.T)


@pytest.mark.parametrize(("cases", "features"), [(60, 10), (20, 50), (30, 30), (3, 1)])
def test_predictions_are_those_of_the_normal_equations(cases, features):
    x, y = problem(cases, features)
    fit = fit_ridge(x, y)
    np.testing.assert_allclose(fit(x), hat(x, fit.alpha) @ y, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize(("cases", "features"), [(60, 10), (20, 50)])
def test_the_penalty_minimises_the_score_by_its_definition(cases, features):
    x, y = problem(cases, features)
    scores = []
    for alpha in ALPHAS:
        residual = np.eye(cases) - hat(x, alpha)
        scores.append(((residual @ y) ** 2).sum() / np.trace(residual) ** 2)
    tied = np.array(scores) <= min(scores) * (1 + TIE)
    assert fit_ridge(x, y).alpha == ALPHAS[tied].max()


def test_noise_asks_for_a_larger_penalty():
    clean, noisy = (fit_ridge(*problem(60, 100, noise=s)).alpha for s in (0.01, 30.0))
    assert noisy > 10 * clean


def test_constant_and_repeated_features_do_no_harm():
    x, y = problem(40, 5)
    fit = fit_ridge(x, y)
    constant = np.hstack([x, np.full((40, 1), 1e9), np.zeros((40, 1))])
    np.testing.assert_allclose(fit_ridge(constant, y)(constant), fit(x), rtol=1e-8)
    twice = fit_ridge(np.hstack([x, x]), y, alphas=np.array([2.0]))
    once = fit_ridge(x, y, alphas=np.array([1.0]))
    np.testing.assert_allclose(twice(np.hstack([x, x])), once(x), rtol=1e-8)


def test_features_that_all_stand_still_give_the_mean():
    y = np.arange(4.0)[:, None]
    np.testing.assert_allclose(fit_ridge(np.ones((4, 3)), y)(np.ones((2, 3))), 1.5)


def test_too_few_cases():
    with pytest.raises(DataError, match="too few cases to fit a ridge, got 2"):
        fit_ridge(np.ones((2, 3)), np.ones((2, 1)))
