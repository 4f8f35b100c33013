from dataclasses import replace

import pytest

from timegrain.core.errors import ConfigError, ModelError, UnknownNameError
from timegrain.data.tasks import load_task
from timegrain.study.job import TrainingJob, carry_out
from timegrain.study.trainings import run_trainings
from timegrain.training.stages import parse_stages

JOB = TrainingJob(
    model="gru", stages=parse_stages("2:1,1:2"), d_model=8, n_layers=1, strides=(1, 2), seed=1
)


@pytest.fixture(scope="module")
def power():
    return load_task("ItalyPowerDemand")


def test_jobs_train_and_transfer_in_order(power):
    events = []
    jobs = [JOB, replace(JOB, model="s4d", options={"n_pairs": 3}, strides=())]
    first, second = run_trainings(jobs, power, progress=events.append)
    run, curve = first.results
    assert (run.plan, run.seed, curve.plan, curve.seed) == ("2:1,1:2", 1, "2:1,1:2", 1)
    assert curve.score(1, told=False).score == run.score
    assert [r.kind for r in second.results] == ["training-run"]
    assert second.model.config["n_pairs"] == 3
    assert [e.detail.split(":")[0] for e in events if e.step == 1] == [
        "",
        "epoch 1 of 3 at stride 2",
        "epoch 2 of 3",
        "epoch 3 of 3",
    ]
    assert {(e.step, e.steps, e.label) for e in events} == {
        (1, 2, "gru on ItalyPowerDemand, 2:1,1:2, seed 1"),
        (2, 2, "s4d on ItalyPowerDemand, 2:1,1:2, seed 1"),
    }


def test_a_wrong_option_of_the_last_job_is_found_before_the_first_is_trained(power):
    events = []
    jobs = [JOB, replace(JOB, options={"wings": 2}, seed=2)]
    with pytest.raises(ConfigError, match="wings"):
        run_trainings(jobs, power, progress=events.append)
    assert not events


def test_a_last_job_that_cannot_be_trained_in_parts_is_found_before_the_first_is_trained(power):
    events = []
    ahead = replace(JOB, model="s4d", options={"bidirectional": True}, training={"tbptt": 8})
    with pytest.raises(ModelError, match="cannot be trained in parts"):
        run_trainings([replace(JOB, training={"tbptt": 8}), ahead], power, progress=events.append)
    assert not events


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"strides": (1, 16)}, r"too short for these strides, got stride 16, which leaves 2"),
        ({"stages": parse_stages("16:1,1:1")}, "too short for these stages, got stride 16"),
    ],
)
def test_strides_that_leave_too_little_are_refused_before_training(power, change, message):
    events = []
    with pytest.raises(ConfigError, match=f"{message}[\\s\\S]*strides up to 11"):
        run_trainings([replace(JOB, **change)], power, progress=events.append)
    assert not events
    assert carry_out(replace(JOB, strides=(11,)), power, lambda *a: None).curve is not None


def test_a_job_that_comes_twice_is_refused(power):
    with pytest.raises(ConfigError, match="comes twice, got gru, 2:1,1:2, seed 1"):
        run_trainings([JOB, replace(JOB, d_model=4)], power)


def test_equal_jobs_give_equal_networks(power):
    runs = [carry_out(replace(JOB, strides=()), power, lambda *a: None).run for _ in range(2)]
    assert runs[0].correct == runs[1].correct


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"model": "s4dd"}, UnknownNameError, "s4d"),
        ({"model": "mine:net"}, ConfigError, r"timegrain\.train\(model, task\)"),
        ({"batch_size": 0}, ConfigError, "batch_size is a whole number, got 0"),
        ({"d_model": 0}, ConfigError, "d_model is a whole number, got 0"),
        ({"seed": -1}, ConfigError, "seed is a whole number, got -1"),
        ({"head": "every"}, ConfigError, "head is unknown, got 'every'"),
        ({"lr": 1e300}, ConfigError, "lr=1e\\+300, expected above 0 and at most 10"),
        ({"options": {"seed": 1}}, ConfigError, r"'seed' is no option of the layer"),
        ({"options": {"n_layers": 1}}, ConfigError, r"n_layers=\.\.\. in Python, --layers"),
        ({"options": {"d_input": 1}}, ConfigError, "the task sets it"),
        ({"lr": 0.0}, ConfigError, "lr=0"),
        ({"lr": float("nan")}, ConfigError, "lr=nan"),
        ({"strides": (1, 0)}, ConfigError, r"strides=\(1, 0\)"),
    ],
)
def test_a_job_that_cannot_be_done_is_refused_at_once(change, error, message):
    with pytest.raises(error, match=message):
        replace(JOB, **change)
