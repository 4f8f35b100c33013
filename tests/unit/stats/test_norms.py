import numpy as np
import pytest

from timegrain.core import ConfigError
from timegrain.stats.norms import inner, time_norm, trapezoid_weights


def test_the_sup_norm_is_over_times_and_channels():
    values = np.array([[[1.0, -5.0], [2.0, 3.0]], [[0.0, 0.0], [0.5, 0.0]]])
    np.testing.assert_array_equal(time_norm(values, norm="sup"), [5.0, 0.5])


def test_the_rms_norm_of_a_sine_over_whole_periods_is_one_over_root_two():
    t = np.linspace(0.0, 3.0, 301)
    wave = np.sin(2 * np.pi * t)[:, None]
    # The trapezoidal rule integrates trigonometric polynomials over whole periods exactly.
    assert float(time_norm(wave, norm="rms")) == pytest.approx(np.sqrt(0.5), abs=1e-14)


def test_the_rms_norm_of_a_ramp_converges_at_second_order_in_the_step():
    errors = []
    for n in (17, 33):
        ramp = np.linspace(0.0, 1.0, n)[:, None]
        errors.append(float(time_norm(ramp, norm="rms")) ** 2 - 1 / 3)
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=1e-9)


def test_rms_takes_the_mean_over_channels():
    assert float(time_norm(np.array([[3.0, 4.0]]), norm="rms")) == pytest.approx(np.sqrt(12.5))


@pytest.mark.parametrize("n", [1, 2, 7])
def test_trapezoid_weights_sum_to_one_and_halve_the_ends(n):
    weights = trapezoid_weights(n)
    assert weights.sum() == pytest.approx(1.0, abs=4 * np.finfo(float).eps)
    if n > 2:
        assert weights[0] == weights[-1] == weights[1] / 2


def test_the_norm_comes_from_the_inner_product():
    values = np.random.default_rng(0).standard_normal((4, 9, 3))
    np.testing.assert_allclose(time_norm(values, norm="rms") ** 2, inner(values, values))


def test_an_unknown_norm_is_refused_with_the_known_ones():
    with pytest.raises(ConfigError, match="sup, rms"):
        time_norm(np.zeros((2, 1)), norm="l2")
