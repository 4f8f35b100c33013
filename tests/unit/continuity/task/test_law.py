"""The refinement law and the horizon on profiles that are made by formula."""

import dataclasses

import numpy as np
import pytest

from timegrain.continuity.task.growth import irregular_growth, uniform_growth
from timegrain.continuity.task.horizon import horizon
from timegrain.continuity.task.refinement_law import fit_refinement_law
from timegrain.core.outcome import Outcome
from timegrain.kernels.discontinuity import Pieces

STRIDES = np.array([2, 4, 8, 16, 32, 64])
GROWTH = uniform_growth(STRIDES)


def fit(profile, *, growth=GROWTH, error=1e-6, floor=0.0):
    n = len(profile)
    return fit_refinement_law(
        np.asarray(profile, dtype=float),
        growth,
        error=np.full(n, error),
        difference_error=np.full((n, n), error),
        floor=floor,
    )


def law(nu, amplitude, q):
    return nu + amplitude * GROWTH(np.array([q]))[0]


@pytest.mark.parametrize("q", [0.3, 1.0, 1.7, 1.9999, 2.0, 2.0001, 2.6, 3.4, 4.0])
@pytest.mark.parametrize("nu", [0.0, 1e-3, 0.05])
def test_a_profile_made_by_the_law_gives_its_numbers_back(q, nu):
    amplitude = 0.2 / GROWTH(np.array([q]))[0, -1]
    found = fit(law(nu, amplitude, q))
    assert found.outcome is Outcome.MEASURED
    # the loss is flat to eps = 2e-16 at its minimum, so q is known to sqrt(eps) times the inverse
    # curvature; near q = 0 the law and the nugget look alike and the curvature is small
    assert found.exponent == pytest.approx(q, abs=2e-4)
    assert found.nugget == pytest.approx(nu, abs=2e-4)


def test_growth_is_the_definition():
    growth = uniform_growth(np.array([2, 5, 64]))
    q = np.array([0.2, 0.7, 1.3, 2.7, 3.9, 4.0])

    def g(k, exponent):
        j = np.arange(1, k)
        w = j / k
        h = np.abs((1 - w) * j**exponent + w * (k - j) ** exponent - w * (1 - w) * k**exponent)
        return h.mean() / (1 + (1 - w) ** 2 + w**2).mean()

    expected = [[g(k, e) / g(2, e) for k in (2, 5, 64)] for e in q]
    # plain differences of powers lose about 64^4 eps / h_q = 1e-11 of themselves
    np.testing.assert_allclose(growth(q), expected, rtol=1e-10)


def test_growth_is_smooth_through_two():
    near = uniform_growth(STRIDES)(np.array([2 - 1e-7, 2.0, 2 + 1e-7]))
    np.testing.assert_allclose(near[1], (near[0] + near[2]) / 2, rtol=1e-11)
    j = np.arange(1, 64)
    w = j / 64
    h = np.abs(
        (1 - w) * j**2 * np.log(j)
        + w * (64 - j) ** 2 * np.log(64 - j)
        - w * (1 - w) * 64**2 * np.log(64)
    ).mean()
    weights = (1 + (1 - w) ** 2 + w**2).mean()
    assert near[1, -1] == pytest.approx(h / weights / (np.log(2) / 1.5), rel=1e-10)


def test_growth_of_even_times_is_the_uniform_one():
    pieces = dataclasses.replace(Pieces.whole([1000]), times=np.arange(1000) * 0.01)
    q = np.linspace(0.2, 4, 7)
    np.testing.assert_allclose(irregular_growth(STRIDES, pieces)(q), GROWTH(q), rtol=1e-9)


def test_growth_of_scattered_times_differs():
    times = np.cumsum(np.random.default_rng(0).exponential(1, 1000) + 1e-3)
    pieces = dataclasses.replace(Pieces.whole([1000]), times=times)
    # for q = 1, h_1 = 2 a b / (a + b): with exponential steps its mean at stride 2 is 2/3, not 1
    found = irregular_growth(STRIDES, pieces)(np.array([1.0]))
    assert found[0, 0] == 1 and found[0, -1] > 1.2 * GROWTH(np.array([1.0]))[0, -1]


def test_rough_profiles_have_no_law():
    found = fit([0.5, 0.7, 0.9, 1.0, 1.0, 1.0])
    assert found.outcome is Outcome.ROUGH and found.exponent is None and found.reason


def test_only_strides_below_the_limit_are_used():
    profile = law(0.01, 1e-3, 2.5)
    spoilt = np.where(profile > 0.3, 5.0, profile)
    assert 4 <= (profile <= 0.3).sum() < 6
    assert fit(spoilt).exponent == pytest.approx(2.5, abs=2e-4)


def test_three_strides_below_the_limit_are_too_few():
    found = fit([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    assert found.outcome is Outcome.TOO_FEW_LEVELS and found.nugget is None
    assert found.reason.startswith("only 3 strides have D <= .3")
    assert fit([0.1, 0.4, 0.5, 0.5, 0.5, 0.6]).reason.startswith("only 1 stride has D <= .3")


def test_strides_at_rounding_level_are_not_used():
    found = fit([1e-30, 1e-30, 1e-30, 1e-3, 1e-2, 0.1], floor=1e-20)
    assert found.outcome is Outcome.TOO_FEW_LEVELS and "rounding" in found.reason


def test_growth_within_its_error_is_a_noise_floor():
    profile = [0.100, 0.101, 0.099, 0.100, 0.102, 0.101]
    found = fit(profile, error=0.002)
    assert found.outcome is Outcome.NOISE_FLOOR and found.exponent is None
    assert found.nugget == pytest.approx(np.mean(profile))
    assert fit(law(0.1, 1e-4, 2.0), error=1e-3).outcome is Outcome.MEASURED


def test_a_falling_profile_is_a_noise_floor():
    assert fit([0.11, 0.105, 0.1, 0.1, 0.1, 0.1], error=1e-9).outcome is Outcome.NOISE_FLOOR


def test_the_noise_floor_weighs_strides_by_their_variance():
    error = np.array([0.001, 0.1, 0.1, 0.1])
    found = fit_refinement_law(
        np.array([0.1, 0.2, 0.2, 0.2]),
        uniform_growth(STRIDES[:4]),
        error=error,
        difference_error=np.full((4, 4), 0.1),
    )
    weights = 1 / error**2
    expected = (weights * [0.1, 0.2, 0.2, 0.2]).sum() / weights.sum()
    assert found.nugget == pytest.approx(expected, rel=1e-12)


def test_without_an_error_growth_is_taken_at_its_word():
    assert fit(law(0.01, 1e-3, 1.0), error=np.nan).outcome is Outcome.MEASURED


@pytest.mark.parametrize(
    ("profile", "nugget", "expected"),
    [
        ([0.01, 0.02, 0.03, 0.04, 0.05, 0.05], None, (64, True)),
        ([0.01, 0.02, 0.06, 0.01, 0.01, 0.01], None, (4, False)),
        ([0.06, 0.01, 0.01, 0.01, 0.01, 0.01], None, (1, False)),
        ([0.10, 0.12, 0.14, 0.16, 0.20, 0.30], 0.1, (8, False)),  # .1 + .05 * .9 = .145
        ([0.01, np.nan, 0.01, 0.01, 0.01, 0.01], None, (2, False)),
    ],
)
def test_horizon(profile, nugget, expected):
    assert horizon(np.array(profile), STRIDES, nugget=nugget, tol=0.05) == expected
