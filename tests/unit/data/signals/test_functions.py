import numpy as np
import pytest

from timegrain.core import ConfigError
from timegrain.data.signals import bump, chebyshev, sines


def test_a_sine_sum_is_one_function_on_every_grid():
    function = sines(duration=64.0, n_channels=3, seed=1, pair=2)
    coarse, fine = np.arange(64.0), np.arange(0, 63.5, 0.5)
    np.testing.assert_array_equal(function(fine)[:, ::2], function(coarse))


def test_draws_depend_on_seed_and_pair_alone():
    times = np.linspace(0.0, 10.0, 11)
    first = sines(duration=10.0, seed=0, pair=0)(times)
    np.testing.assert_array_equal(first, sines(duration=10.0, seed=0, pair=0)(times))
    for seed, pair in ((0, 1), (1, 0)):
        assert not np.allclose(first, sines(duration=10.0, seed=seed, pair=pair)(times))


def test_sines_have_variance_one_half_and_the_stated_band():
    n, n_channels = 512, 2000
    times = np.arange(n) / n
    values = sines(duration=1.0, n_channels=n_channels)(times)[0]
    # 10,000 squared normals / 5 a channel: the mean square has standard error .5 sqrt(2/10000),
    # and windows that are no whole periods add about as much.
    assert np.mean(values**2) == pytest.approx(0.5, abs=0.03)
    power = np.abs(np.fft.rfft(values * np.hanning(n)[:, None], axis=0)) ** 2
    # A Hann window's main lobe reaches two bins beyond the highest frequency, 4.5.
    assert power[7:].sum() < 1e-3 * power.sum()


def test_a_chebyshev_series_is_four_times_its_coefficients_sum_at_the_right_end():
    from timegrain.core.seeds import stream

    c = stream(5, "chebyshev").standard_normal((21, 4))
    scale = np.concatenate([[0.25], 0.35 / np.arange(1, 21)])
    value = chebyshev(duration=2.0, n_channels=4, seed=5)(np.array([2.0]))
    np.testing.assert_allclose(value[0, 0], 4 * scale @ c, rtol=1e-12)


def test_a_bump_lives_inside_its_window():
    t = np.linspace(-1.0, 4.0, 5001)
    values = bump(t, start=0.0, stop=3.0)
    assert values.max() == pytest.approx(1.0)
    assert np.all(values[(t <= 0.0) | (t >= 3.0)] == 0.0)
    assert np.all(values[(t > 0.01) & (t < 2.99)] > 0.0)


def test_a_bump_is_smooth_where_it_ends():
    t = 3.0 - np.array([0.06, 0.03])
    near, nearer = bump(t, start=0.0, stop=3.0)
    # With 1 - z^2 = .08 and .04 the values fall as e^(-1/.08): faster than any power.
    assert nearer < 1e-4 * near


@pytest.mark.parametrize("make", [sines, chebyshev])
def test_signals_need_a_duration_and_channels(make):
    with pytest.raises(ConfigError):
        make(duration=0.0)
    with pytest.raises(ConfigError):
        make(duration=1.0, n_channels=0)


def test_a_bump_needs_a_window():
    with pytest.raises(ConfigError, match="stop > start"):
        bump(np.zeros(1), start=1.0, stop=1.0)
