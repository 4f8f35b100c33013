"""What a stored network is trained on next: rate, scaling, classes and channels."""

from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError, GridError, ModelError
from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task
from timegrain.data.windows import find_windows, make_windows
from timegrain.resample import fir_decimate, fir_resample
from timegrain.training import RecordedTask
from timegrain.training import prepare_fine_tuning as prepare


@pytest.mark.parametrize("kind", ["task", "ragged", "values"])
def test_at_its_own_rate_a_task_stays_as_it_is_to_the_bit(kind, request, stored):
    task = request.getfixturevalue(kind)
    start = prepare(stored(task), task)
    for mine, own in ((start.task.train, task.train), (start.task.test, task.test)):
        np.testing.assert_array_equal(mine.x, own.x)
        np.testing.assert_array_equal(mine.lengths, own.lengths)
    assert (start.tau, start.step, start.task.dt) == (1.0, 1.0, task.dt)
    assert start.notes[0] == "Fine-tuned at the step it was trained at, 0.01 s."


def test_recordings_are_filtered_before_windows_are_cut_in_both_parts(recorded, stored):
    checkpoint = stored(recorded.task)
    start = prepare(checkpoint, recorded, hz=250)
    assert (start.tau, start.step, start.task.dt) == (2.0, 2.0, 4.0)
    scale = checkpoint.record.inputs
    for part in (start.task.train, start.task.test):
        for case in (0, len(part) - 1):
            i = int(part.index[case])
            whole = recorded.recordings.sequences[recorded.places.recording[i]]
            first = recorded.places.first[i] // 2
            slow = fir_decimate(whole, 2, axis=0)[first : first + 25]
            # float32 of sums in another order
            expected = (slow - scale.center) / scale.scale
            np.testing.assert_allclose(part.x[case], expected, rtol=1e-6, atol=1e-6)
    assert start.task.dataset.starts.tolist() == (recorded.task.dataset.starts // 2).tolist()


def test_a_rate_in_a_ratio_is_resampled(recorded, stored):
    start = prepare(stored(recorded.task), recorded, dt="3ms")
    assert (start.tau, start.task.dt) == (1.5, 3.0)
    slow = fir_resample(recorded.recordings.sequences[0], 2, 3, axis=0)
    first = start.task.dataset.sequences[0]
    np.testing.assert_allclose(first, slow[: len(first)], atol=1e-12)
    assert len(first) == 49 * 2 // 3 + 1


def test_data_at_another_step_are_told_as_they_are(task, stored):
    checkpoint = stored(task)
    slow = replace(task, dt=20.0, unit="ms", dataset=replace(task.dataset, dt=20.0, unit="ms"))
    start = prepare(checkpoint, slow)
    assert (start.tau, start.step) == (2.0, 1.0)
    assert (start.task.dt, start.task.unit) == (0.02, "s")
    assert prepare(checkpoint, slow, tau=4, decimator="phase").step == 2.0


def test_classes_go_by_their_names(task, stored):
    checkpoint = stored(task)
    data = task.dataset
    other = replace(
        task,
        train=replace(task.train, y=1 - task.train.y),
        test=replace(task.test, y=1 - task.test.y),
        dataset=replace(data, class_names=data.class_names[::-1], labels=1 - data.labels),
    )
    start = prepare(checkpoint, other)
    np.testing.assert_array_equal(start.task.train.y, task.train.y)
    np.testing.assert_array_equal(start.task.dataset.labels, data.labels)
    assert start.task.dataset.class_names == data.class_names


def test_other_names_of_channels_are_said_and_another_order_is_refused(recorded, stored):
    def named(*names):
        data = replace(recorded.task.dataset, channel_names=names)
        return replace(recorded, task=replace(recorded.task, dataset=data))

    checkpoint = stored(recorded.task)
    assert "u for x, v for y." in prepare(checkpoint, named("u", "v")).notes[-1]
    with pytest.raises(ModelError, match=r"different orders, got y, x, expected x, y"):
        prepare(checkpoint, named("y", "x"))


@pytest.mark.parametrize(
    ("words", "error", "message"),
    [
        ({"hz": 1000}, ConfigError, r"hz=1000, 0.5 times the recorded step"),
        ({"tau": 0}, GridError, "a rate is positive, got tau=0"),
        ({"tau": "2"}, GridError, "a rate is positive, got tau='2'"),
        ({"hz": "a"}, GridError, "hz='a'"),
        ({"hz": 1e-9}, ConfigError, "too short for this rate"),
        ({"tau": 1e300}, ConfigError, "too short for this rate"),
        ({"hz": -5}, GridError, "hz=-5"),
        ({"hz": 250, "tau": 2}, ConfigError, "hz=250 and tau=2"),
        ({"dt": "fast"}, ConfigError, "fast"),
        ({"tau": 2**0.5}, ConfigError, "ratio|whole"),
        ({"tau": 2, "decimator": "mean"}, ConfigError, "decimator='mean'"),
        ({"tau": 1.5, "decimator": "phase"}, DataError, "no whole number of samples"),
        ({"tau": 16}, DataError, r"the filter needs [\d,]+ samples[\s\S]*decimator='phase'"),
    ],
)
def test_rates_that_cannot_be_are_refused(words, error, message, recorded, stored):
    with pytest.raises(error, match=message):
        prepare(stored(recorded.task), recorded, **words)


def test_training_cases_of_recordings_too_short_for_the_filter_are_left_out(stored):
    random = np.random.default_rng(0)
    # the first two are too short; the test part are the last six
    lengths = [300, 400] + [500] * 18
    data = Dataset(
        name="mixed",
        sequences=tuple(random.normal(size=(n, 1)) for n in lengths),
        labels=np.arange(20) % 2,
        class_names=("a", "b"),
        n_train=14,
        dt=2.0,
        unit="ms",
    )
    task = make_task(data)
    start = prepare(stored(task), task, tau=2)
    assert (len(start.task.train), len(start.task.test), len(start.task.dataset)) == (12, 6, 18)
    np.testing.assert_array_equal(start.task.train.y, task.train.y[2:])
    np.testing.assert_array_equal(start.task.dataset.labels, data.labels[2:])
    np.testing.assert_array_equal(start.task.test.index, np.arange(12, 18))
    assert "2 training cases of recordings with fewer than 483 samples" in " ".join(start.notes)
    slow = fir_decimate(data.sequences[14], 2, axis=0)
    np.testing.assert_allclose(start.task.dataset.sequences[12], slow, atol=1e-12)
    # a tested one cannot be left out: scores would be of other cases
    turned = make_task(replace(data, sequences=data.sequences[::-1]))
    with pytest.raises(DataError, match="the filter needs 483 samples"):
        prepare(stored(turned), turned, tau=2)


def test_windows_of_short_recordings_are_left_out_with_their_places(recorded, stored):
    sequences = list(recorded.recordings.sequences)
    of = recorded.places.recording
    i = int(of[recorded.task.train.index[0]])
    sequences[i] = sequences[i][:400]
    recordings = replace(recorded.recordings, sequences=tuple(sequences))
    task = make_task(make_windows(recordings, window=50))
    places = find_windows(recordings, window=50)
    mixed = RecordedTask(task=task, recordings=recordings, places=places)
    assert i not in places.recording[task.test.index]
    start = prepare(stored(task), mixed, tau=2)
    assert len(start.task.train) == len(task.train) - 8
    j = int(start.task.test.index[0])
    case = int(task.test.index[0])
    slow = fir_decimate(recordings.sequences[places.recording[case]], 2, axis=0)
    first = places.first[case] // 2
    np.testing.assert_allclose(
        start.task.dataset.sequences[j], slow[first : first + 25], atol=1e-12
    )


def test_windows_without_their_recordings_are_not_filtered(recorded, stored):
    with pytest.raises(DataError, match=r"load_recorded\(\.\.\.\)"):
        prepare(stored(recorded.task), recorded.task, tau=2)


def test_other_questions_are_refused(task, values, recorded, stored):
    checkpoint = stored(task)
    for other, message in ((recorded, "input channels"), (values, "outputs")):
        with pytest.raises(ModelError, match=message):
            prepare(checkpoint, other)
    data = replace(task.dataset, class_names=("low", "tall"))
    with pytest.raises(ModelError, match="name their classes differently"):
        prepare(checkpoint, replace(task, dataset=data))
    for word, message in (("sample", "no unit in common"), ("pixel", "no unit in common")):
        with pytest.raises(GridError, match=message):
            prepare(checkpoint, replace(task, unit=word, dt=1.0))
    with pytest.raises(ConfigError, match="what load_recorded"):
        prepare(checkpoint, "OSULeaf")


def test_a_split_that_mixes_old_and_new_is_said(task, stored):
    checkpoint = stored(task)
    other = replace(task, train=task.test, test=task.train)
    assert "may have been trained on" in prepare(checkpoint, other).notes[-1]
    assert prepare(checkpoint, task).notes[-1].startswith("Inputs are scaled")
