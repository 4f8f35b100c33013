"""D(k), its law and its horizon where the answer is known in closed form."""

import numpy as np
import pytest

from timegrain.continuity.task.measure import task_continuity
from timegrain.core.outcome import Outcome
from timegrain.data.processes import (
    autoregressive,
    autoregressive_discontinuity,
    fractional_brownian,
    sines_with_noise,
)


def test_white_noise_has_d_of_one():
    x = np.random.default_rng(0).standard_normal((64, 16_384))
    r = task_continuity(x)
    assert all(abs(d - 1) <= 0.02 for d in r.discontinuity.values())
    assert r.outcome is Outcome.ROUGH


@pytest.mark.parametrize("hurst", [0.3, 0.5, 0.8])
def test_fractional_brownian_motion_has_the_exponent_2h(hurst):
    r = task_continuity(fractional_brownian(32, 4096, hurst=hurst, seed=1))
    assert r.exponent == pytest.approx(2 * hurst, abs=0.1)
    assert r.outcome is Outcome.MEASURED


@pytest.mark.parametrize("scattered", [False, True])
def test_brownian_motion_at_irregular_times(scattered):
    rng = np.random.default_rng(2)
    steps = rng.exponential(1, 20_000) + 1e-3 if scattered else np.ones(20_000)
    x = np.cumsum(np.sqrt(steps) * rng.standard_normal(20_000))
    r = task_continuity(x, times=np.cumsum(steps))
    assert r.exponent == pytest.approx(1, abs=0.1)


def test_a_smooth_curve_at_irregular_times_has_two_derivatives():
    times = np.cumsum(np.random.default_rng(3).exponential(1, 20_000) + 1e-3)
    r = task_continuity(np.sin(2 * np.pi * times / 2000), times=times)
    assert r.exponent > 3.8 and r.nugget < 1e-4


@pytest.mark.parametrize("share", [0.01, 0.06, 0.2])
def test_noise_on_sines_is_the_nugget(share):
    x = sines_with_noise(16, 4000, frequencies=[2.0, 5.0, 7.0], noise_share=share, dt=1e-3)
    assert task_continuity(x).nugget == pytest.approx(share, rel=0.1)


def test_a_noisy_sensor_may_be_sampled_slower():
    x = sines_with_noise(1, 20_000, frequencies=[1.0, 3.0], noise_share=0.06, dt=1e-3)
    r = task_continuity(x, dt=1e-3, unit="s")
    assert r.horizon >= 64 and r.horizon_open
    assert r.horizon_time == pytest.approx(0.064)
    assert r.nugget == pytest.approx(0.06, rel=0.1)
    assert "% of the variance" in repr(r)


def test_one_fast_channel_among_twenty_sets_the_horizon():
    t = np.arange(6000) / 1000
    phase = np.random.default_rng(0).uniform(0, 2 * np.pi, 20)
    frequency = np.full(20, 0.7)
    frequency[13] = 180.0
    x = np.sin(2 * np.pi * frequency * t[:, None] + phase)
    r = task_continuity(x, layout="tc", channel_names=[f"c{i}" for i in range(20)])
    slow = task_continuity(np.delete(x, 13, axis=1), layout="tc")
    assert r.worst_channel == "c13" and r.horizon == 1
    assert slow.horizon == 64 and slow.horizon_open
    assert "c13" in repr(r)


@pytest.mark.parametrize(("rho", "length"), [(0.9, 32), (0.5, 10), (-0.4, 64), (0.99, 128)])
def test_first_order_autoregression_in_closed_form(rho, length):
    x = autoregressive(8_000, length, rho=rho, seed=3)
    r = task_continuity(x, strides=[2])
    expected = autoregressive_discontinuity(rho, length)
    low, high = r.interval  # of 1 - D; its half width is 1.96 standard errors; four of them
    assert r.discontinuity[2] == pytest.approx(expected, abs=(high - low) / 2 / 1.96 * 4)
    assert (high - low) / 2 < 0.05 * expected


def test_first_order_autoregression_in_the_limit():
    assert autoregressive_discontinuity(0.7, 10**6) == pytest.approx(0.3 * 2.3 / 3, rel=1e-5)


@pytest.mark.parametrize(("length", "expected"), [(32, 0.94), (4096, 0.9995)])
def test_continuity_of_brownian_motion_depends_on_the_window(length, expected):
    # E e^2 = 1/2 and E s^2 = (L + 1) / 6: D(2) = 2 / (L + 1)
    x = fractional_brownian(262_144 // length, length, hurst=0.5, seed=4)
    d = task_continuity(x).discontinuity[2]
    assert d == pytest.approx(2 / (length + 1), rel=0.1)
    assert round(1 - 2 / (length + 1), 2 if length == 32 else 4) == expected


@pytest.mark.parametrize("kind", ["sequences", "t", "series"])
def test_intervals_cover_the_expectation(kind):
    # 100 trials: 95 +- 2.2 hits; four of those, and 4 % of the nominal coverage for second-order
    # terms: ratio of sums, s^2 of a single series taken as given
    rho, (batch, length) = 0.6, {"sequences": (80, 50), "t": (10, 50), "series": (1, 2000)}[kind]
    expected = autoregressive_discontinuity(rho, length)
    hits = 0
    for seed in range(100):
        x = autoregressive(batch, length, rho=rho, seed=seed)
        low, high = task_continuity(x, strides=[2], seed=seed, replicates=199).interval
        hits += low <= 1 - expected <= high
    assert hits >= 82
    assert hits < 100 or kind == "series"
