import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.models.baseline.gram_ridge import gram_ridge, standardised
from timegrain.models.baseline.ridge import fit_ridge


@pytest.mark.parametrize(("cases", "features"), [(40, 200), (60, 8)])
def test_is_the_ridge_on_features(cases, features):
    random = np.random.default_rng(0)
    x = random.normal(size=(cases, features))
    y = np.stack([x[:, 0] + random.normal(size=cases), random.normal(size=cases)], axis=1)
    train, test = np.arange(0, cases, 2), np.arange(1, cases, 2)
    # with these features the standardising of fit_ridge does nothing
    x[train] = standardised(x[train])
    expected = fit_ridge(x[train], y[train])(x[test])
    found = gram_ridge(x @ x.T, y, train, test)
    # both solve the same system, of condition 1e9 at most: 1e-16 * 1e9 of values near 1
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_no_target_of_a_test_case_enters():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(30, 50)), random.normal(size=(30, 1))
    train, test = np.arange(20), np.arange(20, 30)
    changed = y.copy()
    changed[test] = np.nan
    first = gram_ridge(x @ x.T, y, train, test)
    np.testing.assert_array_equal(first, gram_ridge(x @ x.T, changed, train, test))


def test_a_constant_feature_says_nothing():
    x = np.stack([np.arange(5.0), np.full(5, 0.1)], axis=1)
    assert not standardised(x)[:, 1].any()
    assert standardised(x)[:, 0].std() == pytest.approx(1.0)


def test_targets_that_do_not_vary_and_too_few_cases():
    x = np.random.default_rng(2).normal(size=(10, 4))
    train = np.arange(8)
    assert gram_ridge(x @ x.T, np.ones((10, 1)), train, np.array([9])) == pytest.approx(1.0)
    with pytest.raises(DataError, match="too few cases"):
        gram_ridge(x @ x.T, np.ones((10, 1)), train[:2], np.array([9]))
