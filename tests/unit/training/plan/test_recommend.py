from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from timegrain.continuity import label_retention
from timegrain.continuity.retention.result import RetentionRow
from timegrain.core.errors import ConfigError, DataError
from timegrain.core.outcome import Outcome
from timegrain.data import load_task
from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task
from timegrain.training import Stage, SubsamplingPlan, subsampling_plan, train
from timegrain.training.plan.reasons import no_filter, reasons

QUICK = {"repeats": 1, "replicates": 199}


def slow_waves(n=120, time=64, seed=0):
    """Two slow frequencies: every 8th sample tells them apart."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    t = np.arange(time)
    x = tuple(
        np.sin((0.1 + 0.08 * c) * t + random.uniform(0, 6))[:, None]
        + 0.02 * random.normal(size=(time, 1))
        for c in y
    )
    return Dataset(name="waves", sequences=x, labels=y, class_names=("slow", "fast"))


def neighbours(n=400, time=48, seed=0):
    """Which of two tokens tends to follow itself: dropping samples hides it."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    sequences = []
    for c in y:
        flips = random.random(time) < (0.15 if c else 0.85)
        sequences.append(np.cumsum(flips) % 2)
    return Dataset(
        name="order",
        sequences=tuple(s.astype(np.int64) for s in sequences),
        labels=y,
        class_names=("alternates", "stays"),
        vocabulary=("a", "b"),
        kind="tokens",
    )


def levels(n=200, time=64, seed=0):
    """White noise about a level that is the label: rough, yet any few samples tell it."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 2
    x = tuple(random.normal(size=(time, 1)) + 8.0 * c for c in y)
    return Dataset(name="levels", sequences=x, labels=y, class_names=("low", "high"))


def test_a_label_that_survives_gets_stages_down_to_1():
    advice = subsampling_plan(slow_waves(), strides=(2, 4, 8), **QUICK)
    assert advice.plan.strides == (8, 4, 2, 1)
    assert advice.subsample
    assert advice.coarsest == 8
    assert advice.at(8).retention_low >= 0.95
    assert advice.cost_share == pytest.approx((4 / 8 + 3 / 4 + 2 / 2 + 0.5) / 9.5)
    assert not advice.warnings


def test_a_label_in_the_order_of_tokens_is_not_subsampled():
    advice = subsampling_plan(neighbours(), strides=(2, 4), **QUICK)
    assert advice.plan.strides == (1,)
    assert not advice.subsample
    row = advice.at(2)
    # neighbours two apart agree with probability .745 for both classes
    assert row.retention_high < 0.8
    assert "do not subsample" in repr(advice)
    assert "less than 0.8" in " ".join(advice.sentences)


def test_a_forced_plan_is_warned_of_where_the_label_falls():
    advice = subsampling_plan(neighbours(), strides=(2,), force="4:1,2:1,1:1", **QUICK)
    assert advice.plan.strides == (4, 2, 1)
    assert advice.forced
    assert [w.split(":")[0] for w in advice.warnings] == [
        "the label falls at stride 2",
        "the label falls at stride 4",
    ]
    assert not subsampling_plan(slow_waves(), strides=(2,), force="2:1,1:1", **QUICK).warnings
    # what speaks against it stays with the training
    from timegrain.models.build import build_model

    task = make_task(neighbours(40))
    model = build_model("gru", d_input=2, d_output=2, d_model=2, n_layers=1, seed=0)
    run = train(model, task, plan=advice, epochs=3)
    assert any("the label falls at stride 4" in note for note in run.notes)


def test_rough_data_that_keep_their_label_are_subsampled_and_told_why():
    rows = []
    advice = subsampling_plan(levels(), strides=(2, 4), on_stride=rows.append, **QUICK)
    assert tuple(rows) == advice.retention
    assert advice.plan.strides == (4, 2, 1)
    assert advice.rough
    assert [text.split(", so")[0] for text in advice.warnings] == [
        "stride 4 is beyond the horizon of 1"
    ]
    assert advice.horizon == 1
    assert "the data are rough" in " ".join(advice.sentences)
    assert "yet the label is still there" in " ".join(advice.sentences)
    assert "no filter fits: the filter needs 963 samples" in " ".join(advice.sentences)


def test_why_rough_data_are_not_filtered_is_said_of_each_kind():
    waves = slow_waves(4)
    tokens = replace(neighbours(4), labels=None, class_names=())
    timed = replace(waves, times=tuple(np.arange(64.0) for _ in range(4)))
    row = RetentionRow(stride=4, dt=4.0, n_samples=16, retention=0.9, reason="")
    assert "symbols" in no_filter(tokens, None)
    assert "even steps" in no_filter(timed, None)
    assert no_filter(waves, row) == "since a filter does not surely keep more (0.90)"
    unknown = replace(row, retention=None, reason="the filter needs 9 samples")
    assert no_filter(waves, unknown) == "since no filter fits: the filter needs 9 samples"


def test_what_a_horizon_says_depends_on_whether_it_ends_and_how_samples_are_left_out():
    # the horizon, whether it is open, the decimator of a plan of stride 8 that was asked for
    for horizon, opened, decimator, text in (
        (8, True, "phase", "so that tau can be trusted and samples are dropped as they are"),
        (8, False, "fir", "trusted and a filter first removes what the stride cannot show"),
        (4, True, "phase", "the largest stride that was looked at; about 8 nothing is known"),
        (4, False, "mean", "averaged over the stride, which weakens fast content, and the network"),
    ):
        curve = SimpleNamespace(horizon=horizon, horizon_open=opened, continuity=0.9)
        plan = SubsamplingPlan((Stage(stride=8, share=1.0, decimator=decimator),))
        (said,) = reasons(None, curve, plan, keep=0.8, forced=True)
        assert text in said


def test_a_limit_that_is_missed_names_the_one_that_would_do():
    # 6 kinds of leaves, 200 cases: too few to show .95 at any stride
    task = load_task("OSULeaf")
    advice = subsampling_plan(task, strides=(2, 4), repeats=1, keep=0.95)
    assert not advice.subsample
    assert "with keep=0.8 they would begin at stride" in " ".join(advice.sentences)
    lower = subsampling_plan(task, strides=(2, 4), repeats=1)
    assert lower.plan.strides in ((4, 2, 1), (2, 1))
    assert lower.limit == 0.8
    assert lower.at(2).retention_high > 0.95


def test_a_label_that_nothing_finds_gets_no_plan():
    data = levels()
    random = np.random.default_rng(5)
    advice = subsampling_plan(
        replace(data, labels=random.permutation(data.labels)), strides=(2,), **QUICK
    )
    assert advice.outcome is Outcome.CANNOT_TELL
    assert not advice.subsample
    assert "nothing shows" in advice.sentences[0]


def test_of_a_task_only_the_training_part_is_looked_at():
    data = replace(slow_waves(), n_train=80)
    labels = data.labels.copy()
    # without effect on the plan: the test part's labels are nonsense
    labels[80:] = np.random.default_rng(0).integers(0, 2, 40)
    first, second = (
        subsampling_plan(make_task(d), strides=(2,), **QUICK)
        for d in (data, replace(data, labels=labels))
    )
    assert first.cases == "train"
    assert first.n_cases == 80
    assert first.retention == second.retention


def test_auto_trains_by_the_advice():
    from timegrain.models.build import build_model

    task = make_task(replace(slow_waves(), n_train=80))
    model = build_model("gru", d_input=1, d_output=2, d_model=2, n_layers=1, seed=0)
    run = train(model, task, plan="auto", epochs=10)
    assert run.plan == "16:3,8:3,4:2,2:1,1:1"
    assert any("the label keeps" in note for note in run.notes)


def test_stages_are_no_more_than_epochs():
    from timegrain.training.plan.read import read_plan

    task = make_task(replace(slow_waves(), n_train=80))
    advice = subsampling_plan(task, strides=(2, 4, 8), epochs=2, **QUICK)
    assert advice.plan.strides == (2, 1)
    assert advice.sentences[-1].startswith("the coarsest 2 of 4 stages were left out")
    # strides that few epochs do not reach are not called unsure
    assert advice.sentences[0].startswith("at stride 2 the label keeps")
    assert not any("not surely" in text for text in advice.sentences)
    found = read_plan(task, stages=None, plan=advice, epochs=1)
    assert found.plan.strides == (1,)
    assert any("left out" in note for note in found.notes)
    with pytest.raises(ConfigError, match="fewer epochs than stages"):
        subsampling_plan(task, force="4:1,2:1,1:1", epochs=2)


def test_what_cannot_be_planned_is_refused():
    for options in ({"force": 3}, {"keep": "a"}, {"strides": 5}, {"strides": ("a",)},
                    {"strides": ()}, {"strides": (-2,)}):  # fmt: skip
        with pytest.raises(ConfigError):
            subsampling_plan(slow_waves(), **options)
    with pytest.raises(DataError, match="load_task"):
        subsampling_plan("OSULeaf")
    with pytest.raises(ConfigError, match="too short"):
        subsampling_plan(slow_waves(), strides=(64,), **QUICK)
    with pytest.raises(ConfigError, match="keep"):
        subsampling_plan(slow_waves(), keep=0)


def test_a_label_in_the_phase_is_not_there_for_a_training():
    random = np.random.default_rng(0)
    y = random.integers(0, 2, 80)
    sign = np.where(np.arange(120) % 2 == 0, 1, -1)
    x = 0.3 * random.normal(size=(80, 120)) + sign * (2 * y - 1)[:, None]
    spikes = 0.3 * random.normal(size=(80, 120))
    spikes[:, ::8] += 2 * (2 * y - 1)[:, None]
    for values in (x, spikes):
        data = Dataset(
            name="alt", sequences=tuple(values[..., None]), labels=y, class_names=("a", "b")
        )
        advice = subsampling_plan(data, strides=(2, 16), **QUICK)
        assert advice.provenance.parameters["phase"] == "drawn"
        assert 16 not in advice.plan.strides
        assert label_retention(data, strides=(16,), **QUICK).at(16).retention > 0.95


@pytest.mark.slow
def test_permuted_digits_are_rough_and_lose_their_label_at_drawn_phases():
    digits = subsampling_plan(load_task("mnist-permuted"), strides=(2,), repeats=1)
    assert digits.horizon == 1
    assert digits.at(2).retention < 0.9
