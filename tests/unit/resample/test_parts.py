import numpy as np
import pytest

from timegrain.resample import fir_resample, resample_parts

RNG = np.random.default_rng(5)


@pytest.mark.parametrize(("up", "down"), [(1, 2), (1, 3), (2, 3), (2, 1)])
def test_a_part_is_resampled_by_itself_and_stands_where_it_was(up, down):
    n, gap = 3000, 1201
    x = np.cumsum(RNG.normal(size=(n, 2)), axis=0)
    x[gap : gap + 50] = np.nan
    y, lost = resample_parts(x, up, down)
    assert lost == 0 and len(y) == (n - 1) * up // down + 1
    first = fir_resample(x[:gap], up, down, axis=0)
    assert np.array_equal(y[: len(first)], first)
    start = -(-(gap + 50) // down) * down
    last = fir_resample(x[start:], up, down, axis=0)
    assert np.array_equal(y[start * up // down :], last)
    assert np.isnan(y[len(first) : start * up // down]).all()


def test_short_parts_are_emptied_and_counted_channel_by_channel():
    x = RNG.normal(size=(2000, 2))
    x[482, 0] = np.nan  # 482 samples before it, one fewer than three times 161
    y, lost = resample_parts(x, 1, 2)
    assert lost == 241
    assert np.isnan(y[:242, 0]).all() and not np.isnan(y[242:, 0]).any()
    assert np.array_equal(y[:, 1], fir_resample(x[:, 1], 1, 2, axis=0))


def test_the_same_rate_changes_nothing():
    x = RNG.normal(size=(10, 1))
    x[3] = np.nan
    y, lost = resample_parts(x, 1, 1)
    np.testing.assert_array_equal(y, x)
    assert lost == 0
