import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from timegrain.core.errors import LayoutError, UnknownNameError
from timegrain.stats.scores import (
    accuracy,
    auroc,
    balanced_accuracy,
    macro_f1,
    mae,
    metric_of,
    metrics,
    r2,
    skill,
)

# ten cases of three classes; the table of answers is [[3, 1, 0], [1, 2, 1], [0, 0, 2]]
Y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 2, 2])
ANSWERS = np.array([0, 0, 0, 1, 0, 1, 1, 2, 2, 2])


def test_by_hand():
    assert accuracy(Y, ANSWERS) == pytest.approx(7 / 10)
    assert balanced_accuracy(Y, ANSWERS) == pytest.approx((3 / 4 + 2 / 4 + 2 / 2) / 3)
    # 2 tp / (occurring + answered): 6 / 8, 4 / 7, 4 / 5
    assert macro_f1(Y, ANSWERS) == pytest.approx((6 / 8 + 4 / 7 + 4 / 5) / 3)
    y, given = np.array([1.0, 2.0, 4.0, 5.0]), np.array([1.5, 2.0, 3.0, 7.0])
    assert mae(y, given) == pytest.approx(3.5 / 4)
    assert r2(y, given) == pytest.approx(1 - (0.25 + 1 + 4) / 10)


def test_a_class_that_is_only_answered_counts_in_f1_alone():
    y, answers = np.array([0, 0, 1, 1]), np.array([0, 2, 1, 1])
    assert balanced_accuracy(y, answers) == pytest.approx(0.75)
    assert macro_f1(y, answers) == pytest.approx((2 / 3 + 1 + 0) / 3)


def by_pairs(member, value):
    """The chance that a member stands above another, one pair at a time."""
    pairs = list(itertools.product(value[member], value[~member]))
    return np.mean([1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4)), min_size=6, max_size=25))
def test_auroc_is_the_share_of_pairs_with_ties_halved(cases):
    y, value = (np.array(column) for column in zip(*cases, strict=True))
    columns = np.stack([value, (7 * value) % 5, -value], axis=1).astype(float)
    present = [c for c in range(3) if 0 < (y == c).sum() < len(y)]
    found = auroc(y, columns)
    if not present:
        assert np.isnan(found)
    else:
        expected = np.mean([by_pairs(y == c, columns[:, c]) for c in present])
        assert found == pytest.approx(expected)


def test_auroc_of_two_classes_is_that_of_either():
    random = np.random.default_rng(0)
    y, value = np.arange(40) % 2, random.integers(0, 9, (40, 2)).astype(float)
    assert auroc(y, value) == pytest.approx(by_pairs(y == 1, value[:, 1] - value[:, 0]))
    assert auroc(y, value) == pytest.approx(auroc(1 - y, value[:, ::-1]))


def test_auroc_of_two_normals_is_the_closed_form():
    random = np.random.default_rng(1)
    y = np.arange(4000) % 2
    value = random.normal(size=4000) + 1.0 * y
    # Phi(d / sqrt 2) = .7602 at d = 1; the standard error at 2,000 + 2,000 is below .0076
    assert auroc(y, np.stack([-value, value], axis=1)) == pytest.approx(0.7602, abs=0.03)


@pytest.mark.parametrize("name", list(metrics))
def test_weights_count_a_case_as_often(name):
    random = np.random.default_rng(2)
    metric = metrics[name]
    y = np.arange(30) % 3 if metric.target_kind == "class" else random.normal(size=30)
    given_ = (
        random.normal(size=(30, 3)) if metric.target_kind == "class" else random.normal(size=30)
    )
    weights = random.integers(0, 4, (5, 30)).astype(float)
    many = metric.score(y, given_, weights=weights)
    for row, value in zip(weights, many, strict=True):
        drawn = np.repeat(np.arange(30), row.astype(int))
        assert value == pytest.approx(metric.score(y[drawn], given_[drawn]))
    assert metric.score(y, given_) == pytest.approx(
        metric.score(y, given_, weights=np.ones((1, 30)))[0]
    )


def test_trivial_and_perfect():
    y = np.array([0, 0, 0, 1, 2])
    expected = {"accuracy": 0.6, "balanced_accuracy": 1 / 3, "auroc": 0.5}
    expected["macro_f1"] = 2 * 0.6 / 1.6 / 3
    right = np.eye(3)[y]
    for name, value in expected.items():
        assert metrics[name].trivial(y) == pytest.approx(value), name
        assert metrics[name].score(y, right) == pytest.approx(metrics[name].perfect) == 1.0
    values = np.array([1.0, 2.0, 6.0])
    assert metrics["r2"].trivial(values) == pytest.approx(0.0)
    assert metrics["mae"].trivial(values) == pytest.approx(2.0)
    assert metrics["mae"].score(values, values) == metrics["mae"].perfect == 0.0


def test_skill_is_not_clipped():
    assert skill(0.3, 0.5, 1.0) == pytest.approx(-0.4)
    assert skill(0.5, 2.0, 0.0) == pytest.approx(0.75)
    assert np.isnan(skill(1.0, 1.0, 1.0))


def test_r2_of_values_far_from_zero():
    y = 1e8 + np.array([0.0, 1.0, 2.0, 3.0])
    # 1 - .04 / 5, off by rounding of 1e8 (1.5e-8) at most
    assert r2(y, y + 0.1) == pytest.approx(1 - 0.04 / 5, abs=1e-7)
    assert np.isnan(r2(np.ones(3), np.zeros(3)))


def test_what_does_not_fit():
    with pytest.raises(LayoutError, match="answers do not fit"):
        accuracy(Y, ANSWERS[:3])
    with pytest.raises(LayoutError, match="answers do not fit"):
        auroc(Y, np.zeros((10, 2)))
    with pytest.raises(LayoutError, match="nothing to score"):
        mae(np.zeros(0), np.zeros(0))
    with pytest.raises(LayoutError, match="weights do not fit"):
        r2(np.arange(3.0), np.zeros(3), weights=np.ones((2, 4)))
    with pytest.raises(UnknownNameError, match="no metric of classes"):
        metric_of("r2", "class")
    with pytest.raises(UnknownNameError, match="accuracy"):
        metric_of("acuracy", "class")
