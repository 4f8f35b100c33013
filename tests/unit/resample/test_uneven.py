import numpy as np
import pytest

from timegrain.core.errors import ConfigError, GridError
from timegrain.resample import fir_decimate, to_uniform

RNG = np.random.default_rng(3)


def jittered(n: int, *, hz: float = 100.0, share: float = 0.04) -> np.ndarray:
    return np.sort((np.arange(n) + share * RNG.normal(size=n)) / hz)


@pytest.mark.parametrize("f", [1.0, 5.0, 10.0])
@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_a_sine_comes_back_within_the_bound_of_the_method(f, method):
    t = jittered(4000)
    t -= t[0]
    y = to_uniform(np.sin(2 * np.pi * f * t)[:, None], t, dt=0.01, method=method)[:, 0]
    error = np.abs(y - np.sin(2 * np.pi * f * 0.01 * np.arange(len(y))))
    h = np.diff(t).max()
    if method == "linear":
        # |x''| h^2 / 8 with |x''| <= (2 pi f)^2; 1e-12 for rounding
        assert error.max() <= (np.pi * f * h) ** 2 / 2 + 1e-12
    else:
        # 5 |x''''| h^4 / 384; the ends, whose slope is not known, are worse
        assert error[20:-20].max() <= 5 * (2 * np.pi * f * h) ** 4 / 384 + 1e-12


@pytest.mark.parametrize(("f", "least"), [(27.0, 45.0), (30.0, 40.0)])
def test_a_tone_beyond_the_new_band_is_gone_behind_the_filter(f, least):
    t = jittered(6000)
    t -= t[0]
    x = np.sin(2 * np.pi * f * t)[:, None]
    kept = {
        method: fir_decimate(to_uniform(x, t, dt=0.01, method=method), 2, axis=0)[50:-50]
        for method in ("linear", "cubic")
    }
    level = {m: 10 * np.log10(2 * np.mean(y**2)) for m, y in kept.items()}
    # jitter turns what an interpolant misses into noise: 50 and 45 dB below the tone, measured
    assert level["cubic"] < -least
    assert level["linear"] > -35
    assert 10 * np.log10(2 * np.mean(x[::2] ** 2)) > -0.1


@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_nothing_is_drawn_across_a_missing_sample_or_a_long_step(method):
    t = np.concatenate([np.arange(20), 40 + np.arange(20)]) * 1.0 + 0.25
    x = np.stack([np.sin(t), np.cos(t)], axis=1)
    x[5, 1] = np.nan
    y = to_uniform(x, t, dt=0.5, longest=1.5, method=method)
    lost = np.isnan(y)
    at = 0.5 * np.arange(len(y))
    assert np.array_equal(lost[:, 0], (at > 19) & (at < 40))
    assert np.array_equal(lost[:, 1], lost[:, 0] | ((at > 4) & (at < 6)))


def test_splines_do_not_depend_on_where_they_are_cut(monkeypatch):
    t = jittered(900)
    x = np.cumsum(RNG.normal(size=(900, 2)), axis=0)
    whole = to_uniform(x, t, dt=0.004, method="cubic")
    monkeypatch.setattr("timegrain.resample.uneven._BLOCK", 130)
    # the influence of a sample falls by .27 a sample, over 64 of them
    np.testing.assert_allclose(to_uniform(x, t, dt=0.004, method="cubic"), whole, atol=1e-11)


def test_samples_on_the_grid_stay_as_they_are():
    x = RNG.normal(size=(50, 3))
    x[7] = np.nan
    for method in ("linear", "cubic"):
        y = to_uniform(x, 1e9 + 0.1 * np.arange(50), dt=0.1, method=method)
        # times near 1e9 s are known to 1e-7 s
        np.testing.assert_allclose(y, x, atol=2e-5)


def test_bad_words():
    x, t = np.zeros((3, 1)), np.arange(3.0)
    with pytest.raises(ConfigError, match="method is unknown"):
        to_uniform(x, t, dt=1.0, method="sinc")
    with pytest.raises(GridError, match="positive step"):
        to_uniform(x, t, dt=0.0)
    with pytest.raises(GridError, match="increasing times"):
        to_uniform(x, t[::-1], dt=1.0)
