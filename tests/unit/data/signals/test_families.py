"""Families by name: one function on every grid, of the size and the smoothness they state."""

import math

import numpy as np
import pytest

from timegrain.core import ConfigError, UnknownNameError
from timegrain.core.signal import Signal
from timegrain.data import signal_families
from timegrain.data.signals import SignalFamily, brownian, fourier, kinked, kinked_family

NAMES = signal_families.names()


@pytest.mark.parametrize("name", NAMES)
def test_a_name_loads_the_family_of_that_name(name):
    family = signal_families.load(name)
    assert isinstance(family, SignalFamily)
    assert family.name == name


@pytest.mark.parametrize("name", NAMES)
def test_a_finer_grid_shows_the_same_values_at_common_times(name):
    function = signal_families.load(name).draw(dt=0.5, length=20, n_channels=3, seed=1, pair=2)
    coarse = function(0.5 * np.arange(20))
    for level in (1, 3):
        fine = function(0.5 / 2**level * np.arange(19 * 2**level + 1))
        np.testing.assert_array_equal(fine[:, :: 2**level], coarse)
    assert coarse.shape == (1, 20, 3)


@pytest.mark.parametrize("name", NAMES)
def test_seed_pair_and_channel_tell_draws_apart(name):
    family = signal_families.load(name)

    def values(**keys):
        return family.draw(dt=1.0, length=16, n_channels=2, **keys)(np.arange(16.0))

    first = values()
    np.testing.assert_array_equal(first, values(seed=0, pair=0))
    for keys in ({"pair": 1}, {"seed": 1}):
        assert np.abs(first - values(**keys)).max() > 0.01
    assert np.abs(first[..., 0] - first[..., 1]).max() > 0.01


@pytest.mark.parametrize("name", [n for n in NAMES if n != "chebyshev"])
def test_the_mean_square_over_the_window_is_one_half(name):
    function = signal_families.load(name).draw(dt=1 / 64, length=64, n_channels=4000)
    power = np.mean(function(np.arange(64) / 64)[0] ** 2, axis=0)
    # Four standard errors of the mean over channels; the grid's own sum is off by up to 1/128.
    assert abs(power.mean() - 0.5) < 4 * power.std() / np.sqrt(4000) + 1 / 128


def jumps(values, order):
    """Return the largest scaled difference of an order, `max |D^order u| / h^(order-1)`."""
    return np.abs(np.diff(values, n=order)).max()


@pytest.mark.parametrize("k", range(5))
def test_a_kinked_signal_has_k_derivatives_and_not_one_more(k):
    # The difference of order m is h^m u^(m) where u has m derivatives; across a jump of u^(k+1)
    # it is of size h^(k+1), whatever m > k + 1.
    function = kinked(derivatives=k, duration=1.0, seed=3)
    coarse, fine = (function(np.arange(n) / n)[0, :, 0] for n in (256, 512))
    for order, power in ((k + 1, k + 1), (k + 3, k + 1)):
        shrinks = np.log2(jumps(coarse, order) / jumps(fine, order))
        assert shrinks == pytest.approx(power, abs=0.6), order
    smooth = fourier(duration=1.0, seed=3, harmonics=2)
    coarse, fine = (smooth(np.arange(n) / n)[0, :, 0] for n in (64, 128))
    assert np.log2(jumps(coarse, k + 3) / jumps(fine, k + 3)) == pytest.approx(k + 3, abs=0.1)


def test_a_fourier_series_has_no_frequency_above_its_band():
    values = fourier(duration=1.0, n_channels=50, harmonics=5)(np.arange(64) / 64)[0]
    power = np.abs(np.fft.rfft(values, axis=0)) ** 2
    assert power[6:].max() < 1e-25 * power.max()
    assert power[0].max() < 1e-25 * power.max()


def test_a_chirp_rises_to_between_four_and_eight_cycles_a_window():
    times = np.linspace(0.0, 1.0, 4097)
    values = signal_families.load("chirp").draw(dt=1 / 64, length=64, n_channels=200)(times)[0]
    crossings = (np.diff(np.sign(values), axis=0) != 0).sum(axis=0)
    # Half cycles in the window: 2 (f + g) / 2 = f + g, between 4.5 and 9.5, and up to one more.
    assert crossings.min() >= 4
    assert crossings.max() <= 10


def test_steps_jump_five_times_between_samples():
    function = signal_families.load("steps").draw(dt=1.0, length=64, n_channels=100)
    times = np.linspace(0.0, 64.0, 64 * 64 + 1)
    changes = np.diff(function(times)[0], axis=0) != 0
    assert changes.sum(axis=0).max() == 5
    assert changes.sum() > 490  # two jumps may share a step of 1/64


def test_brownian_increments_have_variance_dt_on_every_grid():
    n = 4000
    function = brownian(duration=8.0, dt=1.0, n_channels=n)
    for level in (0, 1, 4):
        h = 0.5**level
        moves = np.diff(function(h * np.arange(8 * 2**level + 1))[0], axis=0) * math.sqrt(8.0)
        # The variance of the variance of N normals is 2/N; neighbours are independent.
        count = moves.size
        assert np.var(moves) == pytest.approx(h, rel=5 * math.sqrt(2 / count))
        if level:
            beside = np.mean(moves[1:] * moves[:-1]) / h
            assert abs(beside) < 5 / math.sqrt(count)


def test_brownian_motion_is_not_known_off_its_grids():
    function = brownian(duration=8.0, dt=1.0)
    for times in (np.array([0.3]), np.array([9.0]), np.array([-1.0])):
        with pytest.raises(ConfigError, match="nested grids"):
            function(times)


def test_a_family_of_ones_own_is_drawn_like_the_others():
    def tone(*, duration, n_channels, seed, pair):
        return lambda t: np.tile(np.sin((seed + pair) * t / duration)[:, None], n_channels)[None]

    mine = SignalFamily(
        name="tone",
        title="a tone",
        smoothness="analytic",
        derivatives=math.inf,
        order_limit=math.inf,
        make=tone,
    )
    function = mine.draw(dt=0.5, length=8, n_channels=2, pair=3)
    np.testing.assert_allclose(function(np.array([4.0])), np.full((1, 1, 2), np.sin(3.0)))


@pytest.mark.parametrize("derivatives", [-1, 9, 1.5])
def test_there_are_kinked_signals_of_zero_to_eight_derivatives(derivatives):
    with pytest.raises(ConfigError, match=r"0\.\.8"):
        kinked_family(derivatives)


def test_the_limit_of_a_kinked_family_is_two_above_its_derivatives():
    assert [kinked_family(k).order_limit for k in (0, 3, 8)] == [2, 5, 10]


def test_a_family_has_an_order_that_is_positive():
    with pytest.raises(ConfigError, match="order_limit"):
        SignalFamily(
            name="x", title="x", smoothness="x", derivatives=0, order_limit=0, make=fourier
        )


def test_an_unknown_family_is_suggested_the_nearest():
    with pytest.raises(UnknownNameError, match="chebyshev"):
        signal_families.load("chebychev")


def test_every_family_makes_signals_of_three_axes():
    from timegrain.core import TimeGrid

    grid = TimeGrid(dt=0.25, n=16)
    for name in NAMES:
        function = signal_families.load(name).draw(dt=0.25, length=16)
        assert Signal.sample(function, grid).values.dtype == np.float64
