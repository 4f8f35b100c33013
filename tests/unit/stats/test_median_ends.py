from math import comb

import numpy as np
import pytest

from timegrain.stats.median_ends import FEWEST, median_interval


@pytest.mark.parametrize("n", [6, 7, 20, 21, 100, 501])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.99])
def test_the_interval_is_the_shortest_symmetric_one_that_covers(n, level):
    ends = median_interval(np.random.default_rng(n).permutation(np.arange(1.0, n + 1)), level=level)
    if ends is None:
        assert 2 * 0.5**n > 1 - level
        return
    low, high = map(int, ends)
    assert low + high == n + 1

    def outside(rank):  # the median is below x_(rank) or above x_(n + 1 - rank)
        return 2 * sum(comb(n, i) for i in range(rank)) / 2**n

    assert outside(low) <= 1 - level < outside(low + 1)


def test_fewer_than_six_values_have_none():
    assert median_interval(np.arange(FEWEST - 1.0)) is None
    assert median_interval(np.arange(float(FEWEST))) == (0.0, 5.0)
    assert median_interval(np.array([])) is None


def test_the_order_of_the_values_does_not_matter():
    values = np.random.default_rng(0).standard_normal(40)
    assert median_interval(values) == median_interval(np.sort(values)[::-1])
