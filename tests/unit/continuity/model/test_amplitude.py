import numpy as np
import pytest

from timegrain.continuity.model.amplitude import amplitude_constant, amplitude_law, amplitude_slope
from timegrain.continuity.model.convergence import Convergence
from timegrain.continuity.model.medians import median_interval, median_or_none

EPS = np.finfo(float).eps


def ladder(constant: float, order: float = 1.0, count: int = 6) -> Convergence:
    taus = 2.0 ** -np.arange(count)
    differences = constant * taus**order * (1 - 2.0**-order)
    blank = np.full(count + 1, np.nan)
    return Convergence(
        differences=differences, cosines=np.ones(count - 1), errors=blank, limit_shift=0.0
    )


def test_the_constant_is_that_of_the_law():
    assert amplitude_constant(ladder(3.0), order=1, eps=EPS) == pytest.approx(3.0)
    assert amplitude_constant(ladder(3.0, 2.0), order=2, eps=EPS) == pytest.approx(3.0)


def test_another_order_gives_no_constant():
    assert np.isnan(amplitude_constant(ladder(3.0, 0.6), order=1, eps=EPS))


def test_the_slope_leaves_out_amplitudes_without_a_constant():
    a = [0.1, 1.0, 10.0, 100.0]
    assert amplitude_slope(a, [1.0, 3.0, float("nan"), 27.0]) == pytest.approx(
        np.polyfit(np.log([0.1, 1.0, 100.0]), np.log([1.0, 3.0, 27.0]), 1)[0]
    )
    assert np.isnan(amplitude_slope(a, [1.0] + [float("nan")] * 3))


def test_a_law_over_pairs_is_the_median_of_their_slopes():
    rng = np.random.default_rng(0)
    a = (0.1, 1.0, 10.0)
    slopes = 0.5 + 0.1 * rng.standard_normal(21)
    law = amplitude_law([[ladder(2 * x**s) for x in a] for s in slopes], a, theory=1, eps=EPS)
    assert law.exponent == pytest.approx(np.median(slopes))
    assert law.interval is not None
    assert law.interval[0] < law.exponent < law.interval[1]
    assert law.n_pairs == 21
    assert law.reason == ""


def test_one_amplitude_is_no_law():
    law = amplitude_law([[ladder(1.0)]], (1.0,), theory=1, eps=EPS)
    assert law.exponent is None
    assert "one amplitude" in law.reason
    assert law.constants == (pytest.approx(1.0),)


def test_amplitudes_that_have_not_settled_do_not_count():
    pairs = [[ladder(1.0), ladder(1.0, 0.4), ladder(1.0, 0.4)]] * 3
    law = amplitude_law(pairs, (0.1, 1.0, 10.0), theory=1, eps=EPS)
    assert law.exponent is None
    assert "fewer than two amplitudes" in law.reason
    assert law.constants[1:] == (None, None)


def test_without_an_order_there_is_no_law():
    law = amplitude_law([[ladder(1.0)] * 2], (1.0, 2.0), theory=None, eps=EPS)
    assert law.exponent is None
    assert "order" in law.reason


def test_an_interval_needs_twenty_pairs_half_of_them_with_a_value():
    values = np.arange(20.0)
    assert median_interval(values) is not None
    assert median_interval(values[:19]) is None
    assert median_interval(np.append(np.full(11, np.nan), values[:9])) is None


def test_the_ends_of_an_interval_are_interpolated_order_statistics():
    # Of 20 values the 6th and the 6th but last hold the median in 95.86 % of cases, the 7th in
    # 88.46 %: I = .0086/.0740 = .1163, w = 14 I / (6 + 8 I) = .2349.
    low, high = median_interval(np.random.default_rng(0).permutation(np.arange(1.0, 21.0)))
    assert low == pytest.approx(6.235, abs=2e-3)
    assert high == pytest.approx(21 - low)


def test_the_median_sets_unknown_values_aside():
    assert median_or_none(np.array([np.nan, 1.0, 3.0])) == 2.0
    assert median_or_none(np.array([np.nan])) is None
