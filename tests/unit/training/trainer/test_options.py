"""Options of `train`: accumulation, mixed precision, early stopping, determinism, logging."""

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.result import read_result
from timegrain.models.build import build_model
from timegrain.training.loop import train
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.run import EpochRow
from timegrain.training.trainer.state import TrainingState
from timegrain.training.trainer.stopping import EarlyStopping

OPTIONS = {"s4d": {"n_pairs": 4}, "s6": {"n_state": 4}, "gru": {}}


def network(name="gru", **options):
    return build_model(
        name, d_input=1, d_output=2, d_model=8, n_layers=1, seed=0, **OPTIONS[name], **options
    )


def bits(net):
    return torch.cat([p.detach().flatten() for p in net.parameters()])


class Recorder(nn.Module):
    """Answers by the mean of its input and remembers what it was trained on."""

    takes_tau = True

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(1, 2)
        self.trained = []

    def forward(self, x, tau=1.0, *, lengths=None):
        if self.training:
            self.trained.append((tau, x.detach()))
        return self.out(x.mean(1))


def test_options_at_their_defaults_change_nothing(ragged):
    plain, said = network(dropout=0.2), network(dropout=0.2)
    first = train(plain, ragged, stages="2:1,1:2")
    second = train(
        said, ragged, stages="2:1,1:2", amp=False, accumulate=1, patience=None,
        deterministic=False, log=None,
    )  # fmt: skip
    assert torch.equal(bits(plain), bits(said))
    assert first.provenance.parameters == second.provenance.parameters
    assert "amp" not in first.provenance.parameters
    assert first.kept is None


def test_accumulated_batches_are_one_step(ragged):
    whole, parts = network("s4d"), network("s4d")
    one = train(whole, ragged, stages="4:1,1:2", batch_size=12)
    several = train(parts, ragged, stages="4:1,1:2", batch_size=3, accumulate=4)
    assert several.batch_size == one.batch_size == 12
    assert several.provenance.parameters["accumulate"] == 4
    # nine steps, each of which AdamW may turn by a rounding of the gradient: where a second moment
    # is about as small as that rounding, by up to the rate of .01; the loss hardly feels it
    losses = [[row.train_loss for row in run.history] for run in (one, several)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    assert one.history[0].train_loss != several.history[-1].train_loss


@pytest.mark.parametrize("name", ["s4d", "s6", "gru"])
def test_mixed_precision_learns_what_single_precision_does(name, ragged):
    runs = [train(network(name), ragged, stages="2:3,1:3", amp=amp) for amp in (False, True)]
    assert runs[1].score >= runs[0].score - 2 / 16  # of 16 test sequences
    first = [run.history[0].train_loss for run in runs]
    # an epoch of two steps: rounded products, see the tests of the rules
    assert first[0] != first[1]
    assert first[0] == pytest.approx(first[1], abs=2 * 4 * 1.5 * 2**-8)
    assert runs[1].provenance.parameters["amp"] == "bfloat16"
    assert any("matrix products in bfloat16, scores in float32" in n for n in runs[1].notes)


def early_stopping(plan, epochs, patience):
    net = nn.Linear(1, 1)
    walk = SubsamplingPlan.parse(plan).walk(4, time=20, epochs=epochs, batch_size=4)
    state = TrainingState(
        model=net, optimiser=torch.optim.AdamW(net.parameters(), lr=0.1), walk=walk
    )
    return EarlyStopping.of(state, patience), state


def go(early, state, scores):
    """Do epochs of one step with these validation scores; return the strides they were done at."""
    strides = []
    for score in scores:
        step = next(state.walk)
        strides.append(step.settings.stride)
        with torch.no_grad():
            state.model.weight.fill_(len(state.history) + 1)
        row = EpochRow(
            epoch=state.walk.epoch, stride=strides[-1], seconds=1.0, train_loss=1.0,
            score=0.0, validation=score,
        )  # fmt: skip
        state.history.append(row)
        early.after_epoch(row)
        assert not state.unscored
    return strides


def test_a_stage_ends_when_it_gets_no_better_and_the_last_ends_the_training():
    early, state = early_stopping("4:6,1:6", 12, patience=2)
    # an equal score of a stage is no better one; the second begins below the first, counts anew
    assert go(early, state, [0.5, 0.6, 0.6, 0.6]) == [4] * 4
    assert go(early, state, [0.1, 0.2, 0.3, 0.3, 0.3]) == [1] * 5
    assert state.finished
    assert state.skipped == 2 + 1
    early.restore()
    assert state.model.weight.item() == 2  # the first of the equal best
    assert early.best_epoch == 2
    assert "epoch 2, which scored best on them (0.600); 9 of 12 epochs" in early.sentence
    # as the plan numbers them: two of the first stage and one of the second were left out
    assert [row.epoch for row in state.history] == [1, 2, 3, 4, 7, 8, 9, 10, 11]


def test_a_stage_that_ends_as_planned_leaves_nothing_out():
    early, state = early_stopping("4:2,1:2", 4, patience=1)
    assert go(early, state, [0.5, 0.4, 0.3, 0.3]) == [4, 4, 1, 1]
    assert (state.skipped, state.finished) == (0, True)


def test_an_equal_score_at_a_finer_stride_is_the_one_kept():
    early, state = early_stopping("4:3,1:3", 6, patience=3)
    go(early, state, [0.9, 1.0, 1.0, 0.8])
    assert early.best_epoch == 2
    assert "stage of stride 4: no epoch at stride 1 scored as well" in early.warning
    go(early, state, [1.0, 1.0])
    early.restore()
    assert (early.best_epoch, state.model.weight.item()) == (5, 5)
    assert early.warning == ""


def test_early_stopping_scores_what_is_held_out_and_keeps_the_best(task):
    net = Recorder()
    run = train(net, task, stages="2:20,1:20", patience=2, validation=0.25, lr=0.3, batch_size=8)
    assert len(run.history) < 40
    assert run.n_train == 24
    seen = {tuple(x[:, :, 0].mean(1).tolist()) for tau, x in net.trained if tau == 1.0}
    means = {round(v, 5) for group in seen for v in group}
    assert len(means) == 24  # eight of the 32 were never trained on
    assert {row.stride for row in run.history} == {1, 2}
    assert all((row.epoch <= 20) == (row.stride == 2) for row in run.history)
    assert run.kept.validation == max(row.validation for row in run.history)
    assert run.score == run.kept.score
    assert run.provenance.parameters["patience"] == 2
    assert any("Early stopping: 8 of 32 training sequences held out" in n for n in run.notes)
    assert not any("final score is that of the last epoch" in n for n in run.notes)
    assert read_result(run.to_json()) == run
    assert run.rows()[0]["validation"] == run.history[0].validation
    assert f"of epoch {run.kept.epoch}, the best on what was held out" in repr(run)


class Interrupt(Exception):
    pass


@pytest.mark.parametrize("done", [0, 4, -1])
def test_early_stopping_is_resumed_with_the_same_bits(done, ragged, tmp_path):
    words = {"stages": "2:4,1:6", "patience": 1, "batch_size": 8, "amp": True, "accumulate": 2}
    whole, steps = network(dropout=0.3), []
    expected = train(whole, ragged, **words, log=lambda values, step: steps.append(step))
    assert len(expected.history) < 10  # at least one stage ended early

    def interrupt(values, step):
        if step >= steps[done]:
            raise Interrupt

    broken = network(dropout=0.3)
    with pytest.raises(Interrupt):
        train(broken, ragged, **words, log=interrupt, snapshots=tmp_path, snapshot_every=0)
    resumed = network(dropout=0.3)
    run = train(resumed, ragged, **words, snapshots=tmp_path, resume=True)
    assert torch.equal(bits(resumed), bits(whole))
    said = [replace(row, seconds=0.0) for row in run.history]
    assert said == [replace(row, seconds=0.0) for row in expected.history]
    assert run.kept.epoch == expected.kept.epoch
    # and one that is over already is only scored
    again = network(dropout=0.3)
    over = train(again, ragged, **words, snapshots=tmp_path, resume=True)
    assert torch.equal(bits(again), bits(whole))
    assert (over.score, len(over.history)) == (run.score, len(run.history))


def test_deterministic_operations_are_used_within_the_training_alone(task):
    states = []
    log = lambda values, step: states.append(torch.are_deterministic_algorithms_enabled())  # noqa: E731
    run = train(network(), task, stages="1:1", deterministic=True, log=log)
    assert states
    assert all(states)
    assert not torch.are_deterministic_algorithms_enabled()
    threads = torch.get_num_threads()
    assert any(f"operations alone, on {threads} thread" in note for note in run.notes)

    class Chance(Recorder):
        def forward(self, x, tau=1.0, *, lengths=None):
            raise RuntimeError("fancy_op does not have a deterministic implementation")

    with pytest.raises(ModelError, match=r"cannot be repeated[\s\S]*fancy_op[\s\S]*CUBLAS"):
        train(Chance(), task, stages="1:1", deterministic=True)
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("name", ["s4d", "s6", "gru"])
def test_deterministic_operations_give_the_bits_that_the_cpu_gives_anyway(name, ragged):
    nets = [network(name, dropout=0.2) for _ in range(2)]
    for net, wanted in zip(nets, (False, True), strict=True):
        train(net, ragged, stages="2:1,1:1", deterministic=wanted)
    assert torch.equal(*map(bits, nets))


def test_numbers_are_logged_by_step_and_by_epoch(task):
    told = []
    run = train(
        Recorder(), task, stages="2:1,1:1", batch_size=12, patience=5, lr=0.1,
        log=lambda values, step: told.append((step, dict(values))),
    )  # fmt: skip
    # 26 of 32 sequences are trained on: three steps an epoch
    assert [step for step, _ in told] == [1, 2, 3, 3, 4, 5, 6, 6]
    assert set(told[0][1]) == {"train/loss", "train/lr"}
    names = {"train/epoch_loss", "test/score", "validation/score", "stage/stride", "time/seconds"}
    assert set(told[3][1]) == names
    rows = [values for _, values in told if "test/score" in values]
    for row, values in zip(run.history, rows, strict=True):
        assert values["test/score"] == row.score
        assert values["validation/score"] == row.validation
        assert (values["stage/stride"], values["time/seconds"]) == (row.stride, row.seconds)
    assert max(values["train/lr"] for _, values in told if "train/lr" in values) == 0.1
    plain = []
    train(Recorder(), task, stages="1:1", log=lambda values, step: plain.append(set(values)))
    assert plain[-1] == names - {"validation/score"}


def test_what_the_users_function_raises_is_raised(task):
    def log(values, step):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        train(Recorder(), task, stages="1:1", log=log)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"amp": "half"}, r"format of mixed precision, got amp='half'[\s\S]*'bfloat16'"),
        ({"amp": "float16"}, "float16 needs a CUDA device"),
        ({"accumulate": 0}, "accumulate is a whole number, got 0"),
        ({"accumulate": 2.0}, "accumulate is a whole number, got 2.0"),
        ({"patience": 0}, "patience is a whole number, got 0"),
        ({"patience": True}, "patience is a whole number, got True"),
        ({"patience": 2, "validation": 1.0}, "validation=1.0"),
        ({"validation": -0.1}, "validation=-0.1"),
        ({"validation": 0.3}, r"validation=0.3 alone[\s\S]*patience=5"),
        ({"lr": "auto"}, r"find_lr\(model, task\).lr"),
        ({"deterministic": "yes"}, "deterministic is a yes or no, got 'yes'"),
        ({"log": "runs"}, r"log is called with a mapping[\s\S]*tensorboard_log"),
    ],
)
def test_wrong_options_are_refused_before_any_work(task, options, words):
    net = Recorder()
    with pytest.raises(ConfigError, match=words):
        train(net, task, **options)
    assert not net.trained


def test_a_value_that_is_held_out_is_scored_as_the_training_scales_it(values):
    net = build_model("gru", d_input=1, d_output=1, d_model=8, n_layers=1, seed=0)
    run = train(net, values, stages="1:6", patience=3)
    assert run.metric == "r2"
    assert np.isfinite([row.validation for row in run.history]).all()
    assert run.kept.validation > 0


@pytest.mark.parametrize("tbptt", [None, 7])
def test_early_stopping_goes_with_a_target_for_each_sample(ragged, tbptt):
    parts = [replace(p, y=(p.x[..., 0] > 0).astype(np.int64)) for p in (ragged.train, ragged.test)]
    wanted = replace(ragged, train=parts[0], test=parts[1])
    words = {"patience": 2, "accumulate": 2, "batch_size": 4, "tbptt": tbptt, "amp": True}
    run = train(network(head="step"), wanted, stages="2:3,1:3", **words)
    assert run.kept.validation > 0.7
    assert run.score == run.history[[r.epoch for r in run.history].index(run.kept.epoch)].score
