"""Intervals of scores when cases of one group are alike."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.advice.contrast import case_variance, contrast
from timegrain.core.errors import DataError
from timegrain.core.result import read_result
from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task
from timegrain.data.windows import make_windows
from timegrain.models.build import build_model
from timegrain.training.baseline import baseline_score
from timegrain.training.loop import train
from timegrain.training.rate_transfer import TOLD_NOTE, TransferRow, transfer
from timegrain.training.remarks import trivial_notes
from timegrain.training.score import evaluate, score_of
from timegrain.training.units import ScoredOver, ScoreUnits, score_units


def grouped(n_groups, each):
    of = np.repeat(np.arange(n_groups), each)
    over = ScoredOver(unit="group", n_units=n_groups, case="window", n_cases=len(of))
    return ScoreUnits(of=of, over=over)


class Level(nn.Module):
    """Answers by the sign of the mean."""

    takes_tau = True

    def forward(self, x, tau=1.0, *, lengths=None):
        mean = x[..., 0].mean(1)
        return torch.stack([-mean, mean], 1)


def people(n=20, seed=0, *, length=240, window=24, hop=12, classes=True):
    """Windows of recordings; the offset of a person decides how often their answers are right."""
    rng = np.random.default_rng(seed)
    labels = np.resize([0, 1], n)
    level = 2.0 * labels - 1 + 0.8 * rng.standard_normal(n)
    data = Dataset(
        name="people",
        sequences=tuple(a + rng.standard_normal((length, 1)) for a in level),
        labels=labels if classes else level,
        class_names=("low", "high") if classes else (),
        ids=tuple(f"p{i}" for i in range(n)),
    )
    return make_task(make_windows(data, window=window, hop=hop))


@pytest.mark.parametrize(("n_groups", "least", "most"), [(5, 0.93, 0.99), (80, 0.92, 0.98)])
def test_intervals_cover_when_groups_differ(n_groups, least, most):
    rng, runs, each, truth = np.random.default_rng(0), 200, 30, 0.6
    hits, naive = 0, 0
    units = grouped(n_groups, each)
    for _ in range(runs):
        # a group's share of right answers has standard deviation sqrt(.6 * .4 / 7) = .19
        share = rng.beta(6 * truth, 6 * (1 - truth), n_groups)
        lost = (rng.random(n_groups * each) > np.repeat(share, each)).astype(float)
        score = score_of(lost, np.ones_like(lost), one_answer=True, units=units)
        alone = score_of(lost, np.ones_like(lost), one_answer=True)
        hits += score.low <= truth <= score.high
        naive += alone.low <= truth <= alone.high
    # 200 runs tell 95 % to 1.5 %; ends cut at 0 and 1 and the floor may only widen
    assert least <= hits / runs <= most
    assert naive / runs < 0.75


def test_the_interval_of_values_covers_the_variation_of_groups():
    rng, runs, hits = np.random.default_rng(1), 200, 0
    units = grouped(12, 20)
    for _ in range(runs):
        lost = np.repeat(rng.exponential(0.4, 12), 20) * rng.exponential(1.0, 240)
        possible = rng.exponential(1.0, 240)
        score = score_of(lost, possible, one_answer=False, units=units)
        hits += score.low <= 0.6 <= score.high
    # squared errors this skewed: Student's t of 12 groups covers less than it says
    assert 0.86 <= hits / runs <= 0.98


def test_all_right_is_as_sure_as_the_groups_make_it():
    none = np.zeros(236)
    score = score_of(none, np.ones(236), one_answer=True, units=grouped(4, 59))
    # Wilson with 4 of 4: n / (n + z^2) = 4 / (4 + 3.8415)
    assert (score.low, score.high) == (pytest.approx(0.5101, abs=1e-4), 1.0)


def test_groups_that_agree_by_chance_are_no_surer_than_independent_cases():
    lost = np.tile([1.0, 0.0], 40)
    score = score_of(lost, np.ones(80), one_answer=True, units=grouped(4, 20))
    alone = score_of(lost, np.ones(80), one_answer=True)
    assert (score.low, score.high) == (alone.low, alone.high)


def test_windows_of_a_recording_are_one_unit():
    task = people()
    found = score_units(task)
    assert found.over.describe() == "over 4 recordings (76 windows)"
    owner = np.array(task.dataset.ids)[task.test.index]
    assert len(set(zip(owner, found.of.tolist(), strict=True))) == 4
    score = evaluate(Level(), task)
    assert score.over == found.over
    alone = score_of(
        np.array([mark == "0" for mark in score.correct], dtype=float),
        np.ones(76),
        one_answer=True,
    )
    assert score.high - score.low > 1.5 * (alone.high - alone.low)


def test_groups_come_before_recordings():
    task = people()
    groups = np.array([int(name[1:]) // 2 for name in task.dataset.ids])
    found = score_units(make_task(replace(task.dataset, groups=groups)))
    assert (found.over.unit, found.over.n_units) == ("group", 2)


def test_independent_sequences_are_counted_as_before(task):
    found = score_units(task)
    assert found.of is None
    assert found.over.describe() == "16 test sequences"


def test_stretches_of_one_recording_exceed_a_window():
    rng = np.random.default_rng(0)
    data = Dataset(name="one", sequences=(rng.standard_normal((2000, 1)).cumsum(0),), dt=0.1)
    windows = make_windows(data, window=40, hop=5, ahead=10)
    task = make_task(windows, ahead=10)
    found = score_units(task)
    # starts over about 350 samples, which hold 7 times a window of 40 with 10 ahead
    assert found.over.unit == "stretch"
    assert 6 <= found.over.n_units <= 7
    starts = windows.starts[task.test.index]
    for a in range(found.over.n_units):
        mine = starts[found.of == a]
        assert mine.max() - mine.min() + 2 * 5 > 50  # up to one hop, for whole windows
    assert "stretches of time (" in found.over.describe()
    short = make_task(make_windows(data, window=400, hop=40, ahead=10), ahead=10)
    assert score_units(short).over.n_units == 1


def test_one_group_has_no_interval_and_says_why():
    task = people(4)  # one of four people is tested
    run = train(build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1), task, epochs=1)
    assert (run.low, run.high) == (None, None)
    assert run.reasons["low"] == "all that was tested is of one recording"
    assert "no interval: all that was tested is of one recording" in repr(run)
    curve = transfer(Level(), task, strides=(1, 2))
    assert {row.low for row in curve.scores} == {None}
    assert "no 95 % intervals over 1 recording (19 windows)" in repr(curve)
    assert any("No interval" in note for note in curve.notes)


def test_results_say_what_their_intervals_are_over():
    task = people()
    run = train(build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1), task, epochs=1)
    base = baseline_score(task, n_features=84)
    curve = transfer(Level(), task, strides=(1, 2))
    for result in (run, base, curve):
        assert "over 4 recordings (76 windows)" in repr(result)
        assert any("over recordings" in note for note in result.notes)
        assert read_result(result.to_json()) == result
    assert TOLD_NOTE in curve.notes


def test_a_score_below_the_trivial_one_is_said_so(task):
    class Wrong(Level):
        def forward(self, x, tau=1.0, *, lengths=None):
            return -super().forward(x)

    curve = transfer(Wrong(), task, strides=(1, 2))
    (note,) = (n for n in curve.notes if "Below the trivial accuracy 0.500" in n)
    assert "tau = 1 told, tau = 1 not told, tau = 2 told" in note
    assert not any("rivial" in n for n in transfer(Level(), task, strides=(1, 2)).notes)


def test_comparisons_of_networks_take_the_intervals_over_groups():
    def row(low=0.4, high=0.8):
        return TransferRow(
            stride=1, tau_told=1.0, told=True, score=0.6, low=low, high=high, correct="1100110011"
        )

    # the same answers: no variance between networks, unless groups make the cases fewer
    same = [[row()], [row()]]
    assert case_variance(same, (1, -1)) == 0
    apart = case_variance(same, (1, -1), grouped=True)
    assert apart == pytest.approx(2 * (0.2 / 1.96) ** 2, rel=1e-3)
    unknown = case_variance([[row(None, None)], [row()]], (1, -1), grouped=True)
    assert contrast([(0.9, 0.8), (0.5, 0.5)], (1, -1), test_variance=unknown).margin is None


def test_a_part_that_does_not_fit_its_index_is_refused(task):
    wrong = replace(task, test=replace(task.test, index=task.test.index[1:]))
    with pytest.raises(DataError, match="does not say which sequences"):
        evaluate(Level(), wrong)


def test_a_score_that_differs_from_the_trivial_one_by_rounding_is_not_below_it():
    assert trivial_notes("accuracy", 0.18181818181818177, 0.18181818181818182) == ()
    (note,) = trivial_notes("accuracy", 0.1, 0.18181818181818182)
    assert note.startswith("accuracy 0.100 is below the trivial 0.182")


def correlated(rng, n_groups, each, truth, alike):
    """Wrong answers of groups, whose shares of right ones are drawn with correlation `alike`."""
    s = 1 / alike - 1
    share = rng.beta(s * truth, s * (1 - truth), n_groups)
    return (rng.random(n_groups * each) > np.repeat(share, each)).astype(float)


@pytest.mark.parametrize("n_groups", [12, 60])
@pytest.mark.parametrize(("truth", "alike"), [(0.8, 0.3), (0.97, 0.3), (0.99, 0.8)])
def test_intervals_of_accuracies_near_one_cover_too(n_groups, truth, alike):
    rng, runs, hits, units = np.random.default_rng(2), 100, 0, grouped(n_groups, 20)
    for _ in range(runs):
        lost = correlated(rng, n_groups, 20, truth, alike)
        score = score_of(lost, np.ones_like(lost), one_answer=True, units=units)
        hits += score.low <= truth <= score.high
    # 100 runs tell 95 % to 2.2 %; without the bound .97 and .99 are covered in 79 to 89 %
    assert hits / runs >= 0.95 - 2.2 * 0.022


@pytest.mark.parametrize("n_groups", [2, 12, 60])
def test_no_score_is_surer_than_a_perfect_one(n_groups):
    units, rng = grouped(n_groups, 20), np.random.default_rng(0)
    ones = np.ones(n_groups * 20)
    best = score_of(0 * ones, ones, one_answer=True, units=units)
    worst = score_of(ones, ones, one_answer=True, units=units)
    # Wilson for as many that are all right, n / (n + z^2), or all wrong
    bound = n_groups / (n_groups + 1.959963984540054**2)
    assert (best.low, best.high) == (pytest.approx(bound), 1.0)
    assert (worst.low, worst.high) == (0.0, pytest.approx(1 - bound))
    for n_wrong in (1, 2, 8, n_groups * 10):
        lost = rng.permutation((np.arange(len(ones)) < n_wrong).astype(float))
        score = score_of(lost, ones, one_answer=True, units=units)
        assert score.low <= best.low and score.high >= worst.high
        assert score.low <= score.score <= score.high


def test_all_answers_at_every_sample_right_are_as_sure_as_the_sequences():
    none, possible = np.zeros(12), np.full(12, 500.0)
    score = score_of(none, possible, one_answer=False, share=True)
    assert (score.low, score.high) == (pytest.approx(0.7575, abs=1e-4), 1.0)
    # a coefficient of determination has no such ends
    values = score_of(none, possible, one_answer=False)
    assert (values.low, values.high) == (1.0, 1.0)
