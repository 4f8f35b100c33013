import numpy as np
import pytest

from timegrain.resample import bridge_gaps, fir_resample
from timegrain.resample.bridge import WIDEST

N = 5000
T = np.arange(float(N))


def tones(ratio: float, share: float = 0.5) -> np.ndarray:
    """Six phases of a sine at `share` of the new Nyquist frequency."""
    phases = np.linspace(0, np.pi, 7)[:-1]
    return np.sin(np.pi * share / ratio * T[:, None] + phases)


def missing(pattern: str, most: int) -> np.ndarray:
    out = np.zeros(N, dtype=bool)
    if pattern == "alone":
        for a in range(200, N - 200, 201):
            out[a : a + most] = True
    elif pattern == "one sample apart":
        out[2000 : 2001 + 2 * most] = True
        out[2000 + most] = False
    elif pattern == "every second":
        out[1001:3000:2] = True
    else:
        out[100:-100] = np.random.default_rng(0).random(N - 200) < 0.2
    return out


@pytest.mark.parametrize("pattern", ["alone", "one sample apart", "every second", "random"])
@pytest.mark.parametrize("up, down", [(1, 2), (2, 5), (1, 4), (1, 8), (1, 20)])
def test_a_bridge_keeps_a_tone_of_half_the_new_nyquist_frequency(up, down, pattern):
    ratio = down / up
    x = tones(ratio)
    holed = x.copy()
    # so many rows fit into 1.25 new steps from sample to sample
    most = int(WIDEST["cubic"] * ratio) - 1
    lost = missing(pattern, most)
    holed[lost] = np.nan
    found = bridge_gaps(holed, T, longest=WIDEST["cubic"] * ratio)
    error = np.nan_to_num(found.values - x)
    assert np.abs(fir_resample(error, up, down, axis=0)).max() < 0.05
    np.testing.assert_array_equal(found.values[~lost], x[~lost])
    assert found.filled == (~np.isnan(found.values))[lost].sum() > 0


def test_the_rule_is_not_stricter_than_needed():
    # two new steps, as one row missing at the recorded rate, lose a third of such a tone
    x = tones(2.0)
    holed = x.copy()
    holed[2000:2003] = np.nan
    found = bridge_gaps(holed, T, longest=4.0)
    assert np.abs(fir_resample(found.values - x, 1, 2, axis=0)).max() > 0.15


def test_lines_are_bridged_less_far():
    x = tones(20.0)
    holed = x.copy()
    most = int(WIDEST["linear"] * 20) - 1
    holed[missing("alone", most)] = np.nan
    found = bridge_gaps(holed, T, longest=WIDEST["linear"] * 20, method="linear")
    assert not np.isnan(found.values).any()
    assert np.abs(found.values - x).max() < 0.05


def test_gaps_that_are_longer_or_near_an_end_stay_open():
    x = np.sin(0.05 * T)[:, None].repeat(2, axis=1)
    x[:5] = np.nan
    x[8] = np.nan  # three samples before it
    x[100:103] = np.nan
    x[200, 1] = np.nan
    x[300:302] = np.nan
    x[-4] = np.nan
    found = bridge_gaps(x, T, longest=3.0)
    open_rows = [*range(5), 8, 100, 101, 102, N - 4]
    assert np.flatnonzero(np.isnan(found.values[:, 0])).tolist() == open_rows
    assert np.flatnonzero(np.isnan(found.values[:, 1])).tolist() == open_rows
    assert found.filled == 5
    assert sorted(found.bridged) == [2.0, 3.0] and sorted(found.left) == [2.0, 2.0, 4.0]


def test_time_counts_and_not_rows():
    t = np.cumsum(np.where(np.arange(N) % 500 == 250, 5.0, 1.0))
    x = np.sin(0.05 * t)[:, None]
    x[250] = np.nan  # 6 from sample to sample
    x[400] = np.nan  # 2
    found = bridge_gaps(x, t, longest=3.0)
    assert np.flatnonzero(np.isnan(found.values[:, 0])).tolist() == [250]
    np.testing.assert_allclose(found.values[400, 0], np.sin(0.05 * t[400]), atol=1e-5)


def test_what_has_no_gap_or_no_sample_stays():
    x = np.sin(T)[:, None]
    np.testing.assert_array_equal(bridge_gaps(x, T, longest=9.0).values, x)
    empty = bridge_gaps(np.full((9, 2), np.nan), T[:9], longest=9.0)
    assert np.isnan(empty.values).all() and empty.filled == 0 and not len(empty.left)
