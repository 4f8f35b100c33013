"""The filter does what its docstring says, measured on its frequency response."""

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.resample import fir_taps, shortest_length

DB = -120.0


def response(taps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Gain at frequencies in units of the old Nyquist; 16 points a lobe of the response."""
    gain = np.abs(np.fft.rfft(taps, 16 * len(taps)))
    return np.arange(len(gain)) / (8 * len(taps)), gain


@pytest.mark.parametrize("k", [*range(2, 65), 147, 1000])
def test_pass_and_stopband_keep_120_db(k):
    frequency, gain = response(fir_taps(k))
    passed, stopped = frequency * k <= 0.8, frequency * k >= 1.0
    assert 20 * np.log10(np.abs(gain[passed] - 1).max()) < DB
    assert 20 * np.log10(gain[stopped].max()) < DB


@pytest.mark.parametrize("k", [2, 3, 16, 64])
def test_taps_are_symmetric_odd_and_sum_to_one(k):
    taps = fir_taps(k)
    assert len(taps) == 80 * k + 1
    assert np.array_equal(taps, taps[::-1])
    assert abs(taps.sum() - 1) < 1e-12


def test_a_caller_cannot_change_the_filter_of_others():
    fir_taps(5)[:] = 0
    assert abs(fir_taps(5).sum() - 1) < 1e-12


@pytest.mark.parametrize("k", [0, -2, 2.0, True, "2"])
def test_a_factor_is_a_whole_number(k):
    with pytest.raises(ConfigError, match="whole number"):
        fir_taps(k)


def test_shortest_length_is_three_filters():
    assert shortest_length(2) == 3 * 161
    assert shortest_length(1) == 1
    assert shortest_length(2, up=2) == 242  # 3 * 161 / 2, rounded up
