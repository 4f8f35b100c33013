from types import SimpleNamespace

import numpy as np
import pytest

from timegrain.advice.contrast import case_variance, contrast


def test_the_margin_is_students_for_two_groups():
    # pooled variance of (1, 3) and (5, 9) is 5, at 2 degrees of freedom; t = 4.3027
    found = contrast([(1.0, 3.0), (5.0, 9.0)], (-1, 1), test_variance=0.0)
    assert found.value == 5.0
    assert found.margin == pytest.approx(4.302653 * np.sqrt(5 * (1 / 2 + 1 / 2)), rel=1e-5)
    assert (found.sign, found.seeds) == (None, 2)


def test_the_margin_covers_what_it_says():
    # normal scores without a difference: the interval misses 0 in 5 % of 2,000 cases, and the
    # binomial spread is .5 %; three of those are allowed
    random = np.random.default_rng(0)
    draws = random.normal(size=(2000, 4, 2))
    missed = np.mean(
        [contrast(d, (1, -1, -1, 1), test_variance=0.0).sign is not None for d in draws]
    )
    assert abs(missed - 0.05) < 0.015


def test_one_seed_leaves_the_noise_unknown():
    found = contrast([(0.9,), (0.1, 0.2)], (1, -1), test_variance=0.0)
    assert found.margin is None
    assert found.sign is None
    assert "unknown" in str(found)


@pytest.mark.parametrize(("value", "sign"), [(0.5, True), (-0.5, False), (0.001, None)])
def test_a_sign_is_given_only_beyond_the_margin(value, sign):
    groups = [(value - 0.001, value + 0.001)]
    assert contrast(groups, (1,), test_variance=1e-6).sign is sign


def scored(correct):
    return SimpleNamespace(low=0.67, high=0.73, correct=correct)


def test_errors_that_networks_share_cancel():
    one, same = scored("1" * 700 + "0" * 300), scored("1" * 700 + "0" * 300)
    assert case_variance([[one], [same]], (1, -1)) == 0.0
    other = scored("0" * 300 + "1" * 700)
    # 300 cases each way of 1,000: variance .6 a case
    assert case_variance([[one], [other]], (1, -1)) == pytest.approx(0.6 / 999, rel=1e-9)


def test_without_answers_the_intervals_are_added_in_quadrature():
    runs = [scored(None), scored(None)]
    one = (0.03 / 1.959964) ** 2
    assert case_variance([runs, runs[:1]], (1, -2)) == pytest.approx(one + 4 * one, rel=1e-5)
