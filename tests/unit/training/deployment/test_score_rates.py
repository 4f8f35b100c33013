from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, GridError, ModelError
from timegrain.core.result import read_result
from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task
from timegrain.data.windows import find_windows, make_windows
from timegrain.models.build import build_model
from timegrain.report import write_report
from timegrain.resample import fir_decimate
from timegrain.training import (
    evaluate,
    input_scaling,
    load_checkpoint,
    load_recorded,
    save_checkpoint,
    score_rates,
    target_scaling,
)
from timegrain.training.deployment.rates import steps_at
from timegrain.training.deployment.recorded import RecordedTask
from timegrain.training.rate_transfer import UNTOLD_ONLY_NOTE


def stored(task, folder, name="s4d", **other):
    """A network with random weights, as `train` stores one."""
    net = build_model(
        name, d_input=task.d_input, d_output=task.d_output, d_model=4, n_layers=1, seed=0
    )
    words = {
        "dt_trained": task.dt,
        "unit": task.unit,
        "class_names": task.dataset.class_names,
        "inputs": input_scaling(task),
        "targets": target_scaling(task),
    }
    return load_checkpoint(save_checkpoint(folder, net, **(words | other)))


def whole(task):
    return RecordedTask(task=task, recordings=task.dataset)


class Integral(nn.Module):
    """Right about levels of 1 or 2 over 24 samples as long as it knows its step."""

    takes_tau = True

    def __init__(self):
        super().__init__()
        self.told = []

    def forward(self, x, tau=1.0, *, lengths=None):
        self.told.append((x.shape[1], tau))
        area = tau * x[..., 0].sum(1)
        return torch.stack([36.0 - area, area - 36.0], 1)


@pytest.fixture
def areas(tmp_path):
    y = np.resize([0, 1], 300)
    data = Dataset(
        name="areas",
        sequences=tuple(np.full((24, 1), 1.0 + k) for k in y),
        labels=y,
        class_names=("low", "high"),
        n_train=100,
        dt=0.01,
        unit="s",
    )
    task = make_task(data)
    checkpoint = stored(task, tmp_path / "net", inputs=None)
    return replace(checkpoint, model=Integral()), whole(task)


@pytest.mark.parametrize("name", ["task", "ragged", "values"])
def test_thinned_scores_are_those_of_the_transfer_curve(name, request, tmp_path):
    task = request.getfixturevalue(name)
    checkpoint = stored(task, tmp_path / "net")
    result = score_rates(checkpoint, whole(task), strides=(2,))
    for stride, told in ((1, True), (2, True), (2, False)):
        same = evaluate(checkpoint.model, task, stride=stride, tau=float(stride) if told else 1.0)
        row = result.row(stride, told=told)
        assert row.score == pytest.approx(same.score, abs=1e-6)
        assert (row.low, row.high) == pytest.approx((same.low, same.high), abs=1e-6)
        assert row.drop == pytest.approx(result.score - row.score, abs=1e-9)
    assert read_result(result.to_json()) == result


def test_the_cheapest_rate_is_the_slowest_within_the_tolerance(areas):
    checkpoint, recorded = areas
    result = score_rates(checkpoint, recorded, strides=(2, 4))
    assert [result.row(k, told=True).score for k in (1, 2, 4)] == [1.0, 1.0, 1.0]
    assert [result.row(k, told=False).drop for k in (2, 4)] == [0.5, 0.5]
    # 200 answers that did not change: at most .0098 by Agresti and Min
    assert result.row(4, told=True).drop_high == pytest.approx(1.96 / 202, rel=1e-3)
    assert result.stride == 4
    assert score_rates(checkpoint, recorded, strides=(2, 4), tolerance=0.009).stride == 1


def test_nothing_is_scored_twice(areas):
    checkpoint, recorded = areas
    score_rates(checkpoint, recorded, strides=(1, 2))
    assert set(checkpoint.model.told) == {(24, 1.0), (12, 2.0), (12, 1.0)}
    # 200 cases in batches of 64
    assert len(checkpoint.model.told) == 12


def test_a_recording_too_short_for_the_filter_is_said_so(areas):
    row = score_rates(*areas, strides=(2,)).row(2, told=True, decimator="fir")
    assert row.score is None
    assert row.drop is None
    assert "the filter needs 483 samples, and the shortest recording has 24" in row.reason


def test_recordings_are_filtered_before_windows_are_cut(tmp_path):
    random = np.random.default_rng(0)
    recordings = Dataset(
        name="long",
        sequences=tuple(random.normal(size=(1000, 2)) + k % 2 for k in range(10)),
        labels=np.arange(10) % 2,
        class_names=("a", "b"),
        dt=2.0,
        unit="ms",
    )
    task = make_task(make_windows(recordings, window=50))
    places = find_windows(recordings, window=50)
    recorded = RecordedTask(task=task, recordings=recordings, places=places)
    filtered = recorded.filtered(2)
    for case in (0, 7, len(task.test) - 1):
        i = task.test.index[case]
        slow = fir_decimate(recordings.sequences[places.recording[i]], 2, axis=0)
        first = places.first[i] // 2
        # sums in another order
        np.testing.assert_allclose(filtered[case], slow[first : first + 25], atol=1e-12)
    result = score_rates(stored(task, tmp_path / "net"), recorded, strides=(2,))
    assert result.row(2, told=True, decimator="fir").score is not None
    assert result.over.unit == "recording"
    assert result.hz == 500.0


def test_any_ratio_of_rates_is_made_by_the_filter(tmp_path):
    times = np.arange(1000)
    recordings = Dataset(
        name="tones",
        sequences=tuple(np.sin(0.1 * times + k)[:, None] for k in range(10)),
        labels=np.arange(10) % 2,
        class_names=("a", "b"),
        dt=2.0,
        unit="ms",
    )
    task = make_task(make_windows(recordings, window=51, hop=53))
    places = find_windows(recordings, window=51, hop=53)
    recorded = RecordedTask(task=task, recordings=recordings, places=places)
    inner = [c for c, i in enumerate(task.test.index) if 200 < places.first[i] < 700]
    slow = recorded.filtered(2.5)
    for case in inner:
        i = task.test.index[case]
        at = places.first[i] + 2.5 * np.arange(21)
        # the filter keeps a tone far below its edge to 1e-6
        wanted = np.sin(0.1 * at + places.recording[i])
        np.testing.assert_allclose(slow[case][:, 0], wanted, atol=3e-6)
    assert len(inner) > 10
    result = score_rates(stored(task, tmp_path / "net"), recorded, strides=(2.5,))
    assert result.row(2.5, told=True, decimator="fir").tau_told == 2.5
    assert "no whole number" in result.row(2.5, told=True).reason
    assert "200 Hz, filtered, told " in repr(result)
    assert read_result(result.to_json()) == result


def test_a_network_that_cannot_be_told_is_scored_natively(task, tmp_path):
    result = score_rates(stored(task, tmp_path / "net", "gru"), whole(task))
    assert {row.told for row in result.scores} == {False}
    assert UNTOLD_ONLY_NOTE in result.notes


def test_another_split_is_noticed(task, tmp_path):
    checkpoint = stored(task, tmp_path / "net")
    other = make_task(replace(task.dataset, n_train=10))
    assert not any("trained on" in n for n in score_rates(checkpoint, whole(task)).notes)
    assert any("may have been trained on" in n for n in score_rates(checkpoint, whole(other)).notes)


def test_what_does_not_fit_is_refused(task, values, tmp_path):
    checkpoint = stored(task, tmp_path / "net")
    slower = make_task(replace(task.dataset, dt=0.02))
    renamed = make_task(replace(task.dataset, class_names=("x", "y")))
    with pytest.raises(GridError, match=r"got a step of 0.02 s, expected 0.01 s"):
        score_rates(checkpoint, whole(slower))
    with pytest.raises(ModelError, match="name their classes differently"):
        score_rates(checkpoint, whole(renamed))
    with pytest.raises(ModelError, match="outputs"):
        score_rates(checkpoint, whole(values))
    longest = int(max(task.test.lengths))
    most = (longest - 1) // 2
    text = rf"got tau = {most + 1} .*, which leaves 2 samples.*: tau up to {most} \("
    text += rf"about {100 / most:.4g} Hz"
    with pytest.raises(ConfigError, match=text):
        score_rates(checkpoint, whole(task), strides=(2, most + 1))
    assert score_rates(checkpoint, whole(task), strides=(most,)).scores[-1].stride == most
    for tolerance in (float("nan"), -1, "a", None, True):
        with pytest.raises(ConfigError, match="tolerance"):
            score_rates(checkpoint, whole(task), tolerance=tolerance)
    for strides in (None, "2", 2, (), ("2",), (0.5,), (True,)):
        with pytest.raises(ConfigError, match="no slower rates"):
            score_rates(checkpoint, whole(task), strides=strides)


def test_milliseconds_are_seconds(task, tmp_path):
    checkpoint = stored(task, tmp_path / "net", dt_trained=10.0, unit="ms")
    assert score_rates(checkpoint, whole(task)).hz == 100.0


def test_tokens_are_scored_without_a_filter(tmp_path):
    random = np.random.default_rng(0)
    data = Dataset(
        name="words",
        sequences=tuple(random.integers(0, 3, 12 + k % 3) for k in range(40)),
        labels=np.arange(40) % 2,
        class_names=("a", "b"),
        vocabulary=("x", "y", "z"),
        kind="tokens",
    )
    task = make_task(data)
    checkpoint = stored(task, tmp_path / "net", kind="tokens")
    result = score_rates(checkpoint, whole(task), strides=(2,))
    assert result.row(2, told=True).score == evaluate(checkpoint.model, task, stride=2).score
    assert result.row(2, told=True, decimator="fir").reason == "symbols"
    assert result.hz is None
    assert result.reasons["hz"] == "the unit of the step is sample, not of time"


def test_rates_are_strides_of_the_trained_one(task, tmp_path):
    checkpoint = stored(task, tmp_path / "net")
    assert steps_at(checkpoint, hz=(50.0, 25.0)) == (1, 2, 4)
    assert steps_at(checkpoint, dt=("20ms", "0.04s")) == (1, 2, 4)
    assert steps_at(checkpoint, taus=(3.0,)) == (1, 3)
    assert steps_at(checkpoint) == (1, 2, 4)
    assert steps_at(checkpoint, hz=(62.5, 40.0)) == (1, 1.6, 2.5)


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        ({"hz": (200.0,)}, r"200 Hz, 0.5 times the trained step"),
        ({"taus": (2.0**0.5,)}, r"ratio of small whole numbers"),
        ({"taus": (-1.0,)}, "only slower rates"),
        ({"hz": (0.0,)}, "positive and finite"),
        ({"hz": (50.0,), "taus": (2.0,)}, "--hz and --tau"),
        ({"dt": ("2parsec",)}, "positive time"),
    ],
)
def test_rates_that_cannot_be_made_are_refused(words, mention, task, tmp_path):
    with pytest.raises((ConfigError, GridError), match=mention):
        steps_at(stored(task, tmp_path / "net"), **words)


def test_a_loaded_task_is_that_of_load_task():
    from timegrain.data import load_task

    ours, plain = load_recorded("ItalyPowerDemand"), load_task("ItalyPowerDemand")
    np.testing.assert_array_equal(ours.task.test.x, plain.test.x)
    assert ours.places is None
    with pytest.raises(ConfigError, match="need windows"):
        load_recorded("ItalyPowerDemand", hop=2)


def test_a_network_that_knows_nothing_has_no_cheapest_rate(areas):
    checkpoint, recorded = areas
    checkpoint.model.forward = lambda x, tau=1.0, *, lengths=None: torch.ones(len(x), 2)
    result = score_rates(checkpoint, recorded, strides=(2,))
    assert result.row(2, told=True).drop == 0
    assert result.stride is None
    assert "nothing to lose" in result.reasons["stride"]
    assert "cheapest" in repr(result)


def test_a_rate_at_which_nothing_could_be_measured_is_never_the_cheapest(areas, tmp_path):
    result = score_rates(*areas, strides=(2.5,))
    assert {row.score for row in result.scores if row.stride == 2.5} == {None}
    assert result.stride == 1
    assert "the trained rate: no other could be scored" in " ".join(repr(result).split())
    page = write_report([result], tmp_path / "page.html", title="x").read_text()
    assert "How slow may the samples be?" in page
    assert "1st sample" not in page
    # a slower rate that was measured still counts
    assert score_rates(*areas, strides=(2.5, 4)).stride == 4


def test_a_missing_filter_is_said_beside_the_cheapest_rate(areas):
    result = score_rates(*areas, strides=(2,))
    assert result.stride == 2
    assert any("behind a filter it could not be" in n for n in result.notes)
    text = repr(result)
    assert text.count("not measured") == 1
    assert "50 Hz, within a drop of 0.02 by its interval" in " ".join(text.split())


@pytest.mark.parametrize(
    ("dt", "unit", "text"),
    [(2.0, "ms", "250 Hz"), (1.0, "h", "every 2 h"), (1.0, "sample", "every 2nd sample")],
)
def test_a_rate_is_said_as_people_say_it(dt, unit, text, task, tmp_path):
    same = make_task(replace(task.dataset, dt=dt, unit=unit))
    result = score_rates(stored(same, tmp_path / "net"), whole(same), strides=(2,))
    assert f"{text}, thinned, told " in repr(result)


def test_hertz_need_a_step_in_seconds(task, tmp_path):
    with pytest.raises(GridError, match=r"trained step of 3 sample\.\nTry --tau"):
        steps_at(stored(task, tmp_path / "net", dt_trained=3.0, unit="sample"), hz=(2.0,))


def test_too_few_cases_for_the_tolerance_are_named(areas):
    checkpoint, recorded = areas
    result = score_rates(checkpoint, recorded, strides=(2, 4), tolerance=0.009)
    text = " ".join(repr(result).split())
    assert "no slower one is within a drop of 0.009 by its interval; the drop at 50 Hz is" in text
    assert "200 test cases cannot show that it is that small" in text
    people = replace(result.over, unit="group", n_units=5)
    text = " ".join(repr(replace(result, over=people)).split())
    assert "but 200 test cases of 5 groups cannot show that it is that small" in text
