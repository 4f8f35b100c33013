import numpy as np
import pytest

from timegrain.core.errors import ConfigError, GridError
from timegrain.resample import fir_decimate, fir_resample
from timegrain.resample.fir_reference import fir_resample_reference
from timegrain.resample.rational import ratio


@pytest.mark.parametrize(("up", "down", "n"), [(2, 1, 260), (3, 2, 260), (2, 3, 370), (5, 7, 400)])
def test_equals_the_reference(up, down, n):
    x = np.random.default_rng(up).normal(size=n)
    expected = fir_resample_reference(x, up, down)
    assert np.abs(fir_resample(x, up, down, axis=0) - expected).max() < 1e-12


@pytest.mark.parametrize(("up", "down"), [(2, 1), (3, 2), (5, 7), (160, 147), (147, 160)])
def test_a_tone_below_both_band_edges_is_the_same_tone_on_the_new_grid(up, down):
    n = 1200
    omega = 0.79 * np.pi * min(1.0, up / down)
    tone = np.sin(omega * np.arange(n) + 0.2)
    out = fir_resample(tone, up, down, axis=0)
    instants = np.arange(len(out)) * down / up
    assert instants[-1] <= n - 1 < instants[-1] + down / up
    ends = (instants > 100) & (instants < n - 101)
    assert ends.sum() > 300
    assert np.abs(out - np.sin(omega * instants + 0.2))[ends].max() < 2.1e-6  # two bands of 1e-6


def test_common_factors_are_dropped():
    x = np.random.default_rng(0).normal(size=(1, 900, 2))
    assert np.array_equal(fir_resample(x, 2, 6), fir_decimate(x, 3))
    assert np.array_equal(fir_resample(x, 4, 4), x)


def test_too_short_is_said():
    with pytest.raises(GridError, match="got 241 samples, expected 242 or more"):
        fir_resample(np.zeros(241), 2, 1, axis=0)


def test_ratio_of_rates():
    assert ratio(1 / 250, 1 / 500) == (2, 1)
    assert ratio(1 / 360, 1 / 250) == (25, 36)
    for step, new in ((1.0, np.pi), (1.0, 2000.0), (2000.0, 1.0)):
        with pytest.raises(ConfigError, match="small whole numbers"):
            ratio(step, new)
