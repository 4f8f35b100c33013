"""The compiled loops of twins against their plain formulas."""

import numpy as np
import pytest

from timegrain.kernels.twins import squared_gaps, twin_batch

EPS = np.finfo(np.float64).eps
SCALES = np.array([0.1, 1.0, 10.0])


def laid_out(how, length, width):
    """Return a signal as it may lie in memory."""
    whole = np.random.default_rng(length).standard_normal((2, 3 * length - 2, width))
    return {
        "every third": whole[0][::3],
        "of the second": whole[1][::3],
        "from the second on": whole[0][1::3],
        "backwards": whole[0][::-3],
        "its own": whole[0][::3].copy(),
        "channels first": whole[0][::3].T.copy().T,
        "some channels": np.repeat(whole[0][::3], 2, axis=1)[:, ::2],
    }[how]


@pytest.mark.parametrize(
    "how",
    [
        "every third",
        "of the second",
        "from the second on",
        "backwards",
        "its own",
        "channels first",
        "some channels",
    ],
)
@pytest.mark.parametrize("length, width", [(1, 1), (17, 3), (1500, 70)])
def test_a_batch_of_twins_is_that_of_the_formula_wherever_the_signal_lies(how, length, width):
    values = laid_out(how, length, width)
    first = length // 3
    added = np.random.default_rng(1).standard_normal((length // 2, width))
    found = twin_batch(values, added, first, SCALES)
    expected = twin_batch(values, added, first, SCALES, backend="reference")
    np.testing.assert_array_equal(found, expected)
    assert found.flags.c_contiguous and not np.shares_memory(found, values)


def test_nothing_added_makes_two_that_are_equal():
    values = np.arange(12.0).reshape(4, 3)
    batch = twin_batch(values, np.empty((0, 3)), 4, SCALES[:1])
    np.testing.assert_array_equal(batch[0], batch[1])


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 17, 3), (3, 1500, 70)])
def test_squared_gaps_are_those_of_the_formula(shape):
    rng = np.random.default_rng(0)
    one, other = rng.standard_normal((2, *shape))
    expected = squared_gaps(one, other, backend="reference")
    for x, y in ((one, other), (one.copy(order="F"), other.copy(order="F"))):
        # so many positive terms, each rounded, in another order
        np.testing.assert_allclose(squared_gaps(x, y), expected, rtol=shape[2] * EPS)


@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e200])
@pytest.mark.parametrize("backend", ["auto", "reference"])
def test_what_is_not_finite_or_too_large_shows(wrong, backend):
    one, other = np.zeros((2, 2, 9, 5))
    other[1, 4, 2] = wrong
    finite = np.isfinite(squared_gaps(one, other, backend=backend))
    assert not finite[1, 4]
    assert finite.sum() == finite.size - 1
    one[1, 4, 2] = wrong
    same = squared_gaps(one, other, backend=backend)[1, 4]
    assert same == 0.0 if np.isfinite(wrong) else np.isnan(same)
