import numpy as np
import pytest

from timegrain.core import ConfigError
from timegrain.stats.gci import clipped_order, grid_convergence_index
from timegrain.stats.orders import (
    observed_orders,
    refinement_constant,
    richardson_limit,
    turning_cosines,
)


def test_a_zero_difference_gives_no_order_and_no_warning():
    with np.errstate(all="raise"):
        orders = observed_orders(np.array([0.4, 0.2, 0.0, 0.0]))
    assert orders[0] == 1.0
    assert np.isnan(orders[1:]).all()


def test_orders_go_along_the_last_axis():
    table = np.array([[8.0, 4.0, 2.0], [8.0, 2.0, 0.5]])
    np.testing.assert_array_equal(observed_orders(table), [[1.0, 1.0], [2.0, 2.0]])


def test_the_constant_of_the_law_is_recovered():
    C, p, tau = 3.7, 2.0, 0.125
    assert refinement_constant(C * tau**p - C * (tau / 2) ** p, tau, p) == pytest.approx(C)


@pytest.mark.parametrize("order", [0.0, -1.0, float("nan")])
def test_a_limit_without_an_order_is_refused(order):
    with pytest.raises(ConfigError, match="order"):
        richardson_limit(np.ones(2), np.zeros(2), order)


def test_turning_cosines_tell_one_sided_from_alternating_changes():
    change = np.random.default_rng(0).standard_normal((5, 2))
    straight = turning_cosines(np.stack([change, change / 2, change / 4]))
    swinging = turning_cosines(np.stack([change, -change / 2, change / 4]))
    np.testing.assert_allclose(straight, 1.0)
    np.testing.assert_allclose(swinging, -1.0)


def test_turning_cosines_next_to_no_change_are_not_known():
    change = np.ones((5, 2))
    assert np.isnan(turning_cosines(np.stack([change, np.zeros((5, 2)), change]))).all()


def test_the_order_to_extrapolate_with_stays_between_a_half_and_the_declared_one():
    assert clipped_order(0.1, 2.0) == 0.5
    assert clipped_order(3.0, 2.0) == 2.0
    assert clipped_order(1.7, 2.0) == 1.7
    assert clipped_order(float("nan"), 2.0) == 2.0
    assert clipped_order(3.0, None) == 3.0


def test_without_any_order_there_is_no_index():
    with pytest.raises(ConfigError, match="no order"):
        grid_convergence_index(0.1, float("nan"), asymptotic_levels=3)


def test_the_index_bounds_the_error_of_the_finest_grid():
    C, p = 2.0, 1.0
    results = [1.0 + C * h**p for h in (0.5, 0.25, 0.125)]
    index = grid_convergence_index(results[1] - results[2], 1.0, declared=1.0, asymptotic_levels=3)
    assert index == pytest.approx(1.25 * (results[2] - 1.0))


def test_fewer_than_three_levels_get_the_larger_safety_factor():
    three = grid_convergence_index(0.01, 1.0, declared=1.0, asymptotic_levels=3)
    two = grid_convergence_index(0.01, 1.0, declared=1.0, asymptotic_levels=2)
    assert two / three == pytest.approx(3.0 / 1.25)
