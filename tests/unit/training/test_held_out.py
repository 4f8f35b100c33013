from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import make_windows
from timegrain.data.dataset import Dataset
from timegrain.data.tasks import make_task
from timegrain.training.held_out import hold_out


def grouped(groups, cases=48):
    random = np.random.default_rng(0)
    return make_task(
        Dataset(
            name="grouped",
            sequences=tuple(random.normal(size=(20, 1)) for _ in range(cases)),
            labels=np.resize([0, 1], cases),
            class_names=("low", "high"),
            groups=groups,
        )
    )


def test_both_parts_come_from_the_training_part_and_share_nothing(task):
    held = hold_out(task, 0.25)
    inner = held.task
    assert len(inner.test) == 8
    together = np.concatenate([inner.train.index, inner.test.index])
    assert sorted(together) == sorted(task.train.index)
    assert not set(together) & set(task.test.index)
    assert np.bincount(inner.test.y).tolist() == [4, 4]
    for part in (inner.train, inner.test):
        where = np.searchsorted(task.train.index, part.index)
        assert np.array_equal(part.x, task.train.x[where])
        assert np.array_equal(part.y, task.train.y[where])
    assert held.sentence == "8 of 32 training sequences held out"
    assert inner.trivial_score == 0.5
    assert not np.array_equal(hold_out(task, 0.25, seed=1).task.test.index, inner.test.index)


def test_groups_stay_whole():
    data = grouped(np.repeat(np.arange(12), 4))
    held = hold_out(data)
    groups = data.dataset.groups
    ours = {name: set(groups[getattr(held.task, name).index]) for name in ("train", "test")}
    assert not ours["train"] & ours["test"]
    assert not (ours["train"] | ours["test"]) & set(groups[data.test.index])
    assert held.sentence.endswith("2 of 10 groups") or held.sentence.endswith("2 of 9 groups")


def test_of_one_recording_the_end_is_held_out_without_overlap():
    random = np.random.default_rng(0)
    signal = random.normal(size=(600, 1))
    data = Dataset(name="one", sequences=(signal,), dt=0.1, unit="s", channel_names=("x",))
    task = make_task(make_windows(data, window=20, hop=5, ahead=3, target="x"), ahead=3)
    held = hold_out(task).task
    starts = task.dataset.starts
    assert starts[held.train.index].max() + 20 + 3 <= starts[held.test.index].min() - 20
    assert starts[held.test.index].max() < starts[task.test.index].min()
    assert len(held.test) == round(0.2 * len(task.train))


@pytest.mark.parametrize("share", [0, 1, -0.2, 1.5, float("nan"), True, "half", None])
def test_what_is_no_share_is_refused(task, share):
    with pytest.raises(ConfigError, match=r"validation is the share[\s\S]*above 0 and below 1"):
        hold_out(task, share)


def test_parts_that_cannot_be_scored_are_refused(values, task):
    same = replace(values.train, y=np.full_like(values.train.y, 3.0))
    with pytest.raises(DataError, match=r"do not vary[\s\S]*larger validation share"):
        hold_out(replace(values, train=same))
    classes = np.arange(len(task.train))
    with pytest.raises(DataError, match="holding out 20 % of the training part: too few"):
        hold_out(replace(task, train=replace(task.train, y=classes), n_classes=len(classes)))
    part = replace(task.train, index=task.train.index[:3])
    with pytest.raises(DataError, match="does not say which sequences"):
        hold_out(replace(task, train=part))


def test_a_training_part_of_one_group_is_said_to_be_one(task):
    held = hold_out(replace(task, dataset=replace(task.dataset, groups=np.zeros(48, dtype=int))))
    assert "everything is of one group, so splits are by case" in held.sentence
