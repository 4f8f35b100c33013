import json

import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.training import SubsamplingPlan


def walk(seed=3):
    plan = SubsamplingPlan.of([(4, 2), (2, 1), (1, 1)], lr_policy="restart")
    return plan.walk(11, time=20, epochs=4, batch_size=4, seed=seed)


def told(step):
    return (step.number, step.epoch, step.index.tolist(), step.offset, step.lr_factor)


@pytest.mark.parametrize("done", range(13))
def test_a_walk_resumes_anywhere_with_the_same_data(done):
    whole = [told(step) for step in walk()]
    first = walk()
    for _ in range(done):
        next(first)
    state = json.loads(json.dumps(first.state_dict()))
    again = walk(seed=99)
    again.load_state_dict(state)
    assert [told(step) for step in again] == whole[done:]


def test_every_sequence_comes_once_an_epoch():
    steps = list(walk())
    assert len(steps) == len(walk()) == 12
    for epoch in range(4):
        index = torch.cat([s.index for s in steps if s.epoch == epoch])
        assert sorted(index.tolist()) == list(range(11))
    assert {s.offset < s.settings.stride for s in steps} == {True}
    assert [s.settings.stride for s in steps[::3]] == [4, 4, 2, 1]


def test_a_walk_has_the_order_of_train(task):
    from timegrain.models.build import build_model
    from timegrain.training import train
    from timegrain.training.plan.settings import StepSettings

    plan = SubsamplingPlan.of([(4, 1), (1, 1)])
    offsets, original = [], StepSettings.offset

    def spy(self, *args):
        offsets.append(original(self, *args))
        return offsets[-1]

    StepSettings.offset = spy
    try:
        model = build_model("gru", d_input=1, d_output=2, d_model=2, n_layers=1, seed=0)
        train(model, task, plan=plan, epochs=4, seed=7)
    finally:
        StepSettings.offset = original
    steps = list(plan.walk(len(task.train), time=24, epochs=4, batch_size=16, seed=7))
    assert [s.offset for s in steps] == offsets


HERE = walk().state_dict()


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (None, "got NoneType, expected"),
        ({}, r"got \[\], expected \['done', 'epoch', 'generator'\]"),
        (HERE | {"seed": 1}, "'seed'"),
        (HERE | {"generator": "00"}, "generator="),
        (HERE | {"generator": 5}, "generator=5"),
        (HERE | {"epoch": 1.5}, "epoch is a whole number"),
        (HERE | {"epoch": 5}, "outside the walk"),
        (HERE | {"done": 3}, "outside the walk"),
    ],
)
def test_positions_of_elsewhere_are_refused_and_change_nothing(state, text):
    found = walk()
    with pytest.raises(ConfigError, match=text):
        found.load_state_dict(state)
    # another position than that of the generator in it
    with pytest.raises(ConfigError, match="outside"):
        found.load_state_dict(walk(seed=9).state_dict() | {"epoch": 5})
    assert [told(step) for step in found] == [told(step) for step in walk()]


@pytest.mark.parametrize("number", [0, -1, 2.5, "3", None, True, float("nan")])
@pytest.mark.parametrize("word", ["n", "time", "epochs", "batch_size", "seed"])
def test_a_walk_of_odd_sizes_is_refused(word, number):
    plan, good = SubsamplingPlan.parse("1:1"), {"n": 3, "time": 4, "epochs": 1, "batch_size": 2}
    if (word, number) == ("seed", 0):
        return
    words = {**good, word: number}
    with pytest.raises(ConfigError, match=f"{word} is a whole number"):
        plan.walk(words.pop("n"), **words)


def test_the_rest_of_a_stage_can_be_left_out():
    walk = SubsamplingPlan.parse("4:3,1:2").walk(5, time=20, epochs=5, batch_size=2)
    assert walk.skip_stage() == 0  # nothing is done yet
    whole = list(SubsamplingPlan.parse("4:3,1:2").walk(5, time=20, epochs=5, batch_size=2))
    first = [next(walk) for _ in range(3)]
    assert [step.number for step in first] == [0, 1, 2]
    assert walk.skip_stage() == 2
    state = walk.state_dict()
    rest = list(walk)
    # numbers, and with them learning rates, are those that the plan gave to the second stage
    assert [(s.number, s.epoch, s.lr_factor) for s in rest] == [
        (s.number, s.epoch, s.lr_factor) for s in whole[9:]
    ]
    resumed = SubsamplingPlan.parse("4:3,1:2").walk(5, time=20, epochs=5, batch_size=2)
    resumed.load_state_dict(state)
    assert [s.index.tolist() for s in resumed] == [s.index.tolist() for s in rest]


def test_a_stage_is_left_at_the_end_of_an_epoch_alone():
    walk = SubsamplingPlan.parse("4:3,1:2").walk(5, time=20, epochs=5, batch_size=2)
    next(walk)
    with pytest.raises(ConfigError, match="end of an epoch"):
        walk.skip_stage()
    for _ in range(8):
        next(walk)
    assert walk.skip_stage() == 0
    for _ in range(3):
        next(walk)
    assert walk.skip_stage() == 1
    assert list(walk) == []
