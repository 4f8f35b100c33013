"""The compiled sums over neighbours against the plain loop."""

import numpy as np
import pytest

from timegrain.kernels.discontinuity import Pieces
from timegrain.kernels.neighbours import neighbour_sums


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("detrend", [False, True])
@pytest.mark.parametrize("irregular", [False, True])
def test_compiled_sums_are_those_of_the_loop(dtype, detrend, irregular):
    rng = np.random.default_rng(0)
    lengths = [3, 9000, 1, 2, 4096, 4097, 50]
    x = np.cumsum(rng.standard_normal((sum(lengths), 2)), axis=0) + 1e3
    x[rng.random(x.shape) < 0.01] = np.nan
    x[-50:, 1] = np.nan
    whole = Pieces.whole(lengths)
    times = np.cumsum(rng.exponential(1, len(x)) + 1e-3) if irregular else np.empty(0)
    pieces = Pieces(**{**vars(whole), "times": times})
    exponents = np.array([7, 6])
    found = neighbour_sums(x.astype(dtype), pieces, exponents, detrend=detrend)
    expected = neighbour_sums(
        x.astype(dtype), pieces, exponents, detrend=detrend, backend="reference"
    )
    # 9,000 squares of numbers near 1e3, which the loop does not shift: 1e6 eps of s^2 = 1e3
    np.testing.assert_allclose(found[0], expected[0], rtol=1e-8)
    np.testing.assert_allclose(found[1], expected[1], rtol=1e-9)


def test_all_orders_of_a_short_sequence_average_to_no_correlation_exactly():
    import itertools

    orders = np.array(list(itertools.permutations([0.3, -1.7, 2.2, 5.1, 0.4, 8.8])))
    rise, spread = neighbour_sums(orders.reshape(-1, 1), Pieces.whole([6] * 720), np.array([0]))
    np.testing.assert_allclose(rise, spread, rtol=1e-12)
