import numpy as np
import pytest

from timegrain.training.deployment.drop import paired_drop
from timegrain.training.units import ScoredOver, ScoreUnits


def units(n, of=None):
    number = n if of is None else int(of.max()) + 1
    over = ScoredOver(
        unit="sequence" if of is None else "group", n_units=number, case="sequence", n_cases=n
    )
    return ScoreUnits(of=of, over=over)


def test_the_interval_of_matched_answers_is_that_of_agresti_and_min():
    # 944 cases, 35 lost and 5 gained: half a case in each cell gives 35.5, 5.5 and 946
    change = np.zeros(944)
    change[:35], change[35:40] = 1.0, -1.0
    before = np.where(change < 0, 1.0, 0.0)
    drop = paired_drop(before, before + change, np.ones(944), units=units(944), one_answer=True)
    assert drop.value == pytest.approx(30 / 944)
    half = 1.959963984540054 * np.sqrt(41 - 30**2 / 946) / 946
    assert (drop.low, drop.high) == pytest.approx((30 / 946 - half, 30 / 946 + half))


def test_no_change_among_few_cases_is_not_certainty():
    same = np.zeros(20)
    few = paired_drop(same, same, np.ones(20), units=units(20), one_answer=True)
    many = paired_drop(
        np.zeros(2000), np.zeros(2000), np.ones(2000), units=units(2000), one_answer=True
    )
    assert few.value == many.value == 0
    assert few.high > 0.08
    assert 0 < many.high < 0.002
    # four groups of five: not surer than four cases
    grouped = paired_drop(
        same, same, np.ones(20), units=units(20, np.arange(20) // 5), one_answer=True
    )
    assert grouped.high > few.high


def test_cases_of_one_group_count_once():
    of = np.arange(40) // 10
    after = np.where(of == 0, 1.0, 0.0)
    alone = paired_drop(np.zeros(40), after, np.ones(40), units=units(40), one_answer=True)
    grouped = paired_drop(np.zeros(40), after, np.ones(40), units=units(40, of), one_answer=True)
    assert alone.low > 0 > grouped.low
    assert grouped.high <= 1


def test_pairs_are_surer_than_two_scores():
    random = np.random.default_rng(0)
    before = random.exponential(size=200)
    after = before + 0.1 + 0.01 * random.normal(size=200)
    drop = paired_drop(before, after, np.full(200, 2.0), units=units(200), one_answer=False)
    # .1 of 2, and .01 / 2 / sqrt(200) is the error of its mean
    assert drop.value == pytest.approx(0.05, abs=0.002)
    assert drop.high - drop.low == pytest.approx(2 * 1.972 * 0.005 / np.sqrt(200), rel=0.2)


def test_one_unit_has_no_interval():
    drop = paired_drop(
        np.zeros(3), np.ones(3), np.ones(3), units=units(3, np.zeros(3, int)), one_answer=True
    )
    assert (drop.value, drop.low, drop.high) == (1.0, None, None)


def test_a_small_drop_in_few_groups_is_no_surer_than_none():
    of = np.arange(240) // 20
    one = np.zeros(240)
    one[7] = 1.0
    none, small, large = (
        paired_drop(np.zeros(240), after, np.ones(240), units=units(240, of), one_answer=True)
        for after in (np.zeros(240), one, np.ones(240))
    )
    # half a case lost and half gained among 14
    assert none.high == pytest.approx(1.959963984540054 / 14)
    assert small.high == pytest.approx(1 / 240 + none.high)
    assert small.low == pytest.approx(1 / 240 - none.high)
    assert large.low == pytest.approx(1 - none.high) and large.high == 1.0
