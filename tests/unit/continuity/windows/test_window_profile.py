"""D and the horizon against the window."""

import numpy as np
import pytest

from timegrain.continuity import dataset_continuity, window_profile
from timegrain.core.errors import ConfigError
from timegrain.core.result import read_result
from timegrain.data import Dataset
from timegrain.data.processes import fractional_brownian


def one_series(x, **more):
    return Dataset(name="x", sequences=(np.asarray(x)[:, None],), **more)


def test_every_row_is_the_measurement_in_that_window():
    data = one_series(fractional_brownian(1, 4096, hurst=0.5, seed=1)[0], dt=0.5, unit="s")
    found = window_profile(data, (32, 128, 1024), seed=3)
    for row in found.windows:
        alone = dataset_continuity(data, window=row.window, seed=3)
        assert row.discontinuity == alone.discontinuity[2]
        assert (1 - row.high, 1 - row.low) == alone.interval
        assert (row.horizon, row.horizon_open) == (alone.horizon, alone.horizon_open)
        assert row.horizon_low <= row.horizon <= row.horizon_high
        assert row.duration == row.window / 2 and row.n_pieces == 4096 // row.window
    assert read_result(found.to_json()) == found
    assert found.to_arrow().num_rows == 3
    assert max(map(len, repr(found).splitlines())) <= 80
    assert any("taken for independent" in note for note in found.notes)


def test_brownian_motion_gets_smoother_as_two_over_the_window():
    data = one_series(fractional_brownian(1, 2**18, hurst=0.5, seed=2)[0])
    for row in window_profile(data, (16, 64, 256, 1024)).windows:
        # 256 pieces and more, each with a variance of its own: four standard errors of D
        assert row.discontinuity == pytest.approx(
            2 / (row.window + 1), abs=4 * (row.high - row.low) / 3.92
        )


def test_white_noise_has_the_same_d_in_every_window():
    data = one_series(np.random.default_rng(0).standard_normal(20_000))
    for row in window_profile(data).windows:
        assert row.low - 0.02 < 1 < row.high + 0.02
        assert (row.horizon_low, row.horizon, row.horizon_high) == (1, 1, 1)


def test_windows_without_a_word_are_powers_of_two_and_long_ones_are_left_out():
    data = one_series(np.random.default_rng(0).standard_normal(600))
    assert [row.window for row in window_profile(data).windows] == [16, 32, 64, 128, 256, 512]
    found = window_profile(data, (64, 1000))
    assert [row.window for row in found.windows] == [64]
    assert any("1000" in note for note in found.notes)
    assert len(window_profile(one_series(np.arange(2.0**17) % 7), strides=(2,)).windows) <= 12
    tiny = window_profile(one_series([0.0, 1.0, 0.5, 2.0, 1.0]))
    assert [row.window for row in tiny.windows] == [5]


@pytest.mark.parametrize("windows", [(1000,), (2,), (0,), (3.5,), 7])
def test_windows_that_cannot_be_are_refused(windows):
    with pytest.raises(ConfigError):
        window_profile(one_series(np.arange(600.0)), windows)


def test_constant_data_have_rows_without_d():
    found = window_profile(one_series(np.ones(100)), (16,))
    assert found.windows[0].discontinuity is None and found.windows[0].horizon == 1
    assert read_result(found.to_json()) == found and "-" in repr(found)
