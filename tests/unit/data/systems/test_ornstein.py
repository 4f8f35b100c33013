"""One random path on nested grids, with the covariance of an Ornstein-Uhlenbeck process."""

from fractions import Fraction

import numpy as np
import pytest

from timegrain.core.errors import ConfigError
from timegrain.data.generated import case_streams
from timegrain.data.systems.ornstein import OU, ornstein_uhlenbeck_path
from timegrain.data.systems.times import sample_times


def path(n, theta, times, **options):
    streams = list(case_streams(0, "test", np.arange(n)))
    return ornstein_uhlenbeck_path(np.full(n, theta), streams, times, **options)


def test_the_covariance_is_right_on_nested_grids():
    # strong enough that a step of the mesh forgets a third of what was
    theta, n = 40.0, 100_000
    times = [Fraction(k, 400) for k in (0, 1, 2, 3, 4, 5, 6, 8, 12)]
    x = path(n, theta, times, n_states=1, sigma=2.0)[:, 0]
    t = np.array([float(time) for time in times])
    known = 2.0**2 / (2 * theta) * np.exp(-theta * np.abs(t[:, None] - t))
    white = np.linalg.solve(np.linalg.cholesky(known), x)
    found = white @ white.T / n
    # of 81 estimates with deviations 1 / sqrt(n), and sqrt(2) of it on the diagonal: five of them
    assert np.abs(found - np.eye(len(t))).max() < 5 * np.sqrt(2 / n)
    assert np.abs(white.mean(axis=1)).max() < 5 / np.sqrt(n)
    # the fourth moment of a normal is 3, that of its estimate has a deviation of sqrt(96 / n)
    assert np.abs((white**4).mean(axis=1) - 3).max() < 5 * np.sqrt(96 / n)


def test_the_path_is_the_same_however_finely_it_is_read():
    coarse = path(4, 1.0, sample_times(0.01, 21))
    for k in (2, 4, 8, 64):
        fine = path(4, 1.0, sample_times(0.01 / k, 20 * k + 1))
        np.testing.assert_array_equal(fine[::k], coarse)
    thin = path(4, 1.0, sample_times(0.05, 5))
    np.testing.assert_array_equal(thin, coarse[::5])


def test_finer_reading_draws_something_new():
    fine = path(4, 1.0, sample_times(0.0025, 81))
    means = (fine[:-2:2] + fine[2::2]) / 2
    # about the middle between its neighbours a sample deviates by sigma sqrt(h / 4), h = .005
    assert np.std(fine[1::2] - means) == pytest.approx(0.01 * np.sqrt(0.005 / 4), rel=0.2)


def test_its_two_states_and_all_cases_are_independent():
    x = path(400, 1.0, sample_times(0.5, 1))[0]
    flat = np.corrcoef(x)
    assert abs(flat[0, 1]) < 5 / np.sqrt(400)


def test_instants_on_no_nested_grid():
    with pytest.raises(ConfigError, match="nested"):
        path(2, 1.0, sample_times(0.01 / 3, 4))


def test_streams_of_another_kind_are_refused():
    with pytest.raises(TypeError, match="Philox"):
        ornstein_uhlenbeck_path(np.ones(1), [np.random.default_rng(0)], sample_times(0.005, 3))


def test_the_task_forgets_as_its_label_says():
    (found,) = OU.run(np.arange(400), seed=1, name="test", times=sample_times(0.5, 20))
    _, (theta,), states = found
    x = states[:, 0] / (0.01 / np.sqrt(2 * theta))
    kept = (x[1:] * x[:-1]).mean(axis=0)
    slope, _ = np.polyfit(np.exp(-theta / 2), kept, 1)
    # each of 400 estimates has a deviation of about 1 / sqrt(19), the predictor one of .12
    assert slope == pytest.approx(1, abs=5 / np.sqrt(19 * 400) / 0.12)
