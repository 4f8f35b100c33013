import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.training import SubsamplingPlan
from timegrain.training.loops import Timetable

PLAN = SubsamplingPlan.parse("4:2,2:1,1:1")


def test_epochs_are_those_of_the_plan_and_the_last_stage_goes_on():
    table = Timetable(plan=PLAN, total=8)
    strides = [PLAN.strides[table.stage(epoch)] for epoch in range(10)]
    assert strides == [4, 4, 4, 4, 2, 2, 1, 1, 1, 1]


def test_steps_are_shared_out_alike():
    table = Timetable(plan=PLAN, total=11, unit="steps")
    assert table.ends == (5, 8, 11)
    compute = SubsamplingPlan.of([(4, 1), (1, 1)], shares="compute")
    assert Timetable(plan=compute, total=10, unit="steps").ends == (8, 10)


def test_a_phase_depends_on_seed_epoch_and_batch_alone():
    def draws(seed, epoch, batch):
        generator = Timetable(plan=PLAN, total=8, seed=seed).generator(epoch, batch)
        return torch.randint(1 << 30, (4,), generator=generator).tolist()

    assert draws(1, 2, 3) == draws(1, 2, 3)
    different = [draws(1, 2, 3), draws(1, 2, 4), draws(1, 3, 3), draws(2, 2, 3)]
    assert len({tuple(d) for d in different}) == 4


def test_a_stored_timetable_is_the_same_or_says_what_differs():
    import json

    table = Timetable(plan=PLAN, total=8, seed=3)
    state = json.loads(json.dumps(table.state_dict()))
    assert Timetable.load_state_dict(state) == table
    table.check_same(state)
    with pytest.raises(ConfigError, match=r"another total, got total=9, expected 8"):
        Timetable(plan=PLAN, total=9, seed=3).check_same(state)
    with pytest.raises(ConfigError, match=r"another plan, got plan=none"):
        Timetable(plan=SubsamplingPlan.none(), total=8, seed=3).check_same(state)
    with pytest.raises(ConfigError, match="no state of a timetable"):
        table.check_same({"total": 8})


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"total": 2}, "fewer epochs than stages"),
        ({"total": 3.5}, "total of epochs is a whole number, got 3.5"),
        ({"total": 0, "unit": "steps"}, "total of steps is a whole number, got 0"),
        ({"total": 8, "unit": "weeks"}, "'epochs' or 'steps'"),
        ({"total": 8, "plan": "8:1"}, r"SubsamplingPlan.parse"),
        ({"total": 8, "plan": SubsamplingPlan.parse("4:1,1:1", place="embedding")}, "walk"),
        ({"total": 8, "plan": SubsamplingPlan.parse("4:1,1:1", grow_batch=True)}, "walk"),
    ],
)
def test_what_a_loop_cannot_follow_is_refused(options, text):
    with pytest.raises(ConfigError, match=text):
        Timetable(**({"plan": PLAN} | options))
