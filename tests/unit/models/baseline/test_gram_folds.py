import numpy as np
import pytest

from timegrain.models.baseline import gram_folds
from timegrain.models.baseline.gram_folds import GramFolds
from timegrain.models.baseline.gram_ridge import gram_ridge, standardised


@pytest.mark.parametrize("noise", [0.1, 3.0, 300.0])
@pytest.mark.parametrize("features", [20, 400])
def test_one_eigenproblem_gives_what_one_a_fold_gives(monkeypatch, noise, features):
    monkeypatch.setattr(gram_folds, "SMALL", 10)
    random = np.random.default_rng(0)
    x = standardised(random.normal(size=(150, 15)) @ random.normal(size=(15, features)))
    x += 0.1 * random.normal(size=x.shape)
    y = np.sign(x[:, :2] + noise * random.normal(size=(150, 2)))
    gram = x @ x.T
    ridges = GramFolds(gram, y)
    order = random.permutation(150)
    for k in range(5):
        test = np.sort(order[k::5])
        # some cases are in neither part, as beside a stretch of time
        train = np.setdiff1d(np.arange(150), np.concatenate([test, order[k + 1 :: 50]]))
        expected = gram_ridge(gram, y, train, test)
        # both solve systems of condition below 1e9, of values near 1
        np.testing.assert_allclose(ridges.predict(train, test), expected, atol=1e-6)


def test_many_left_out_are_solved_directly():
    random = np.random.default_rng(1)
    x, y = random.normal(size=(40, 5)), random.normal(size=(40, 1))
    train, test = np.arange(20), np.arange(20, 40)
    expected = gram_ridge(x @ x.T, y, train, test)
    np.testing.assert_array_equal(GramFolds(x @ x.T, y).predict(train, test), expected)
