"""How one ladder ends: every outcome from curves made for it."""

import numpy as np
import pytest

from timegrain.continuity.model.convergence import (
    asymptotic_levels,
    classify,
    converge,
    extrapolation_order,
    last_order,
    nearest_whole,
    relative,
    usable,
)
from timegrain.core import Outcome

EPS = np.finfo(float).eps
STEADY = np.full(7, 20.0)
STRAIGHT = np.ones(5)


def falling(order: float, first: float = 0.5, count: int = 6) -> np.ndarray:
    return first * 2.0 ** (-order * np.arange(count))


def ending(differences, cosines=STRAIGHT, memory=STEADY, declared=1, eps=EPS) -> Outcome:
    return classify(
        np.asarray(differences, float), cosines, memory, window=64.0, declared=declared, eps=eps
    )


def test_differences_that_halve_converge():
    assert ending(falling(1.0)) is Outcome.CONVERGES


@pytest.mark.parametrize("count", [1, 2])
def test_two_differences_say_too_little(count):
    few = ending(falling(1.0, count=count), np.ones(count - 1), np.zeros(count + 1))
    assert few is Outcome.TOO_FEW_LEVELS


def test_no_memory_on_any_level_comes_before_everything_that_follows():
    assert ending(np.zeros(6), memory=np.full(7, 1e-6)) is Outcome.MEMORYLESS
    # 1e-6 of the window of 64 is the limit, and one level above it is enough.
    almost = np.append(np.full(6, 1e-6), 1e-4)
    assert ending(falling(1.0), memory=almost) is Outcome.CONVERGES


def test_memory_that_halves_and_falls_collapses_though_outputs_converge():
    assert ending(falling(1.0), memory=20.0 * 0.8 ** np.arange(7)) is Outcome.MEMORY_COLLAPSES


def test_memory_that_recovers_at_the_end_does_not_collapse():
    memory = np.array([20.0, 10.0, 5.0, 4.0, 4.0, 4.5, 5.0])
    assert ending(falling(1.0), memory=memory) is Outcome.CONVERGES


def test_memory_above_half_does_not_collapse():
    assert ending(falling(1.0), memory=np.linspace(20.0, 11.0, 7)) is Outcome.CONVERGES


@pytest.mark.parametrize("memory", [None, np.full(7, np.nan)])
def test_unknown_memory_leaves_the_outputs_to_decide(memory):
    assert ending(falling(1.0), memory=memory) is Outcome.CONVERGES


def test_rounding_is_no_convergence():
    assert ending(np.full(6, 50 * EPS)) is Outcome.FLOAT_FLOOR
    assert ending([0.5] + [EPS] * 5) is Outcome.FLOAT_FLOOR


def test_the_levels_below_rounding_are_not_read():
    # Second order falls under 100 eps of float32 at the fifth difference, then stays: without the
    # cut the last orders would be 0 and the outcome STALLS.
    eps = float(np.finfo(np.float32).eps)
    differences = np.maximum(falling(2.0, first=1e-3), 2 * eps)
    differences[4:] = 2 * eps
    assert ending(differences, declared=2, eps=eps) is Outcome.CONVERGES
    assert last_order(differences, eps) == pytest.approx(2.0)


def test_changes_that_turn_back_oscillate():
    assert ending(falling(1.0), np.append(np.ones(4), -0.9)) is Outcome.OSCILLATES


def test_growing_differences_diverge_and_constant_ones_stall():
    assert ending(falling(-1.0)) is Outcome.DIVERGES
    assert ending(falling(0.0)) is Outcome.STALLS
    assert ending(falling(0.25)) is Outcome.STALLS


def test_one_growing_difference_does_not_diverge():
    assert ending([0.5, 0.25, 0.125, 0.06, 0.03, 0.06]) is Outcome.STALLS


def test_an_order_other_than_the_declared_one_is_not_settled():
    assert ending(falling(0.6)) is Outcome.PRE_ASYMPTOTIC
    assert ending(falling(0.6), declared=None) is Outcome.CONVERGES


def test_orders_that_still_move_are_not_settled():
    moving = [0.5, 0.25, 0.125, 0.06, 0.03, 0.02]
    assert ending(moving, declared=None) is Outcome.PRE_ASYMPTOTIC


def test_usable_differences_end_at_the_first_below_rounding():
    assert usable(np.array([1.0, 1e-3, 1e-20, 1e-3]), EPS) == 2
    assert usable(np.array([1.0, 1e-3]), EPS) == 2


def test_levels_that_agree_are_counted_from_the_finest():
    assert asymptotic_levels(falling(1.0), 1, EPS) == 7
    # Orders 2, 2, 1, 1, 1: three that agree span five levels.
    differences = np.array([1.0, 0.25, 0.0625, 0.03125, 0.015625, 0.0078125])
    assert asymptotic_levels(differences, 1, EPS) == 5
    assert asymptotic_levels(differences, None, EPS) == 5
    assert asymptotic_levels(differences, 3, EPS) == 0
    assert asymptotic_levels(np.zeros(6), 1, EPS) == 0


def test_the_order_to_extrapolate_with():
    assert extrapolation_order(0.9, 1) == 1.0
    assert extrapolation_order(0.6, 1) == 0.6
    assert extrapolation_order(1.1, None) == 1.0
    assert extrapolation_order(1.5, None) == 1.5
    assert extrapolation_order(float("nan"), 2) == 2.0
    assert np.isnan(extrapolation_order(float("nan"), None))


def test_whole_orders_start_at_one():
    assert nearest_whole(0.8) == 1
    assert nearest_whole(0.1) is None
    assert nearest_whole(2.25) == 2
    assert nearest_whole(1.5) is None


def test_relative_sizes_without_a_scale():
    np.testing.assert_array_equal(
        relative(np.array([0.0, 1.0, 1.0]), np.array([0.0, 0.0, 4.0])), [0.0, np.inf, 0.25]
    )


@pytest.mark.parametrize("norm", ["sup", "rms"])
def test_errors_are_taken_from_the_limit(norm):
    rng = np.random.default_rng(0)
    limit, slope = rng.standard_normal((2, 9, 3))
    taus = 2.0 ** -np.arange(5)
    outputs = limit + taus[:, None, None] * slope
    ladder = converge(outputs, norm=norm, declared=1, eps=EPS)
    size = {"sup": lambda v: np.abs(v).max(), "rms": None}[norm]
    if size is not None:
        np.testing.assert_allclose(ladder.errors, taus * size(slope) / size(limit), rtol=1e-12)
    np.testing.assert_allclose(ladder.errors / ladder.errors[0], taus, rtol=1e-12)
    # Extrapolation is exact here: leaving a level out moves the limit by rounding alone.
    assert ladder.limit_shift < 10 * EPS * np.abs(outputs).max() / np.abs(limit).max()


@pytest.mark.parametrize("declared", [None, 1])
@pytest.mark.parametrize("jump", [0.5, 0.0])
def test_where_all_but_the_coarsest_level_agree_they_are_the_limit(declared, jump):
    fine = np.random.default_rng(0).standard_normal((9, 2))
    outputs = np.stack([fine + jump, fine, fine * (1 + EPS), fine])
    ladder = converge(outputs, norm="sup", declared=declared, eps=EPS)
    np.testing.assert_allclose(ladder.errors[0], jump / np.abs(fine).max(), rtol=1e-12)
    assert np.all(ladder.errors[1:] <= 2 * EPS) and ladder.limit_shift <= 2 * EPS
    assert ending(ladder.differences, ladder.cosines, declared=declared) is Outcome.FLOAT_FLOOR


def test_two_differences_clear_of_rounding_are_extrapolated_as_before():
    fine = np.random.default_rng(0).standard_normal((9, 2))
    outputs = np.stack([fine * (1 + e) for e in (0.4, 0.2, 0.1, 0.1, 0.1)])
    ladder = converge(outputs, norm="sup", declared=1, eps=EPS)
    np.testing.assert_allclose(ladder.errors[:3], [0.4, 0.2, 0.1], rtol=1e-12)


def test_a_fall_of_memory_at_rounding_level_does_not_collapse():
    memory = np.array([0.42, 0.16, 0.16 - 1e-7, 0.16 - 2e-7])
    found = classify(
        falling(1.0, count=3),
        np.ones(2),
        memory,
        window=1.0,
        declared=1,
        eps=EPS,
        noise=np.full(4, 1e-6),
    )
    assert found is Outcome.CONVERGES
