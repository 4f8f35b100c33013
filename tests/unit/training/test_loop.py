import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, DataError, ModelError
from timegrain.core.result import read_result
from timegrain.models.build import build_model
from timegrain.training.loop import train
from timegrain.training.trainer import engine

SMALL = {"s4d": {"n_pairs": 4}, "s6": {"n_state": 4}, "gru": {}}


def network(name="s4d", *, d_output=2, seed=0, **options):
    return build_model(
        name,
        d_input=1,
        d_output=d_output,
        d_model=8,
        n_layers=1,
        seed=seed,
        **SMALL[name],
        **options,
    )


class Recorder(nn.Module):
    """Answers by the mean of its input and remembers how it was called."""

    takes_tau = True

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(1, 2)
        self.calls = []

    def forward(self, x, tau=1.0, *, lengths=None):
        self.calls.append((self.training, tau, x, lengths))
        return self.out(x.sum(1) / (x.shape[1] if lengths is None else lengths[:, None]))


@pytest.mark.parametrize("name", ["s4d", "s6", "gru"])
@pytest.mark.parametrize("stages", ["1:8", "4:4,2:3,1:3"])
def test_a_task_that_can_be_learned_is_learned(name, stages, ragged):
    run = train(network(name), ragged, stages=stages)
    # two levels seven standard deviations apart, classes of equal size
    assert run.score >= 0.9
    assert run.history[-1].train_loss < run.history[0].train_loss
    assert run.low <= run.score <= run.high


def test_values_are_learned_on_their_own_scale(values):
    run = train(network(d_output=1), values, stages="2:4,1:8")
    assert run.metric == "r2"
    assert run.score > 0.7


@pytest.mark.parametrize("name", ["s4d", "s6", "gru"])
def test_equal_seeds_give_equal_bits(name, ragged):
    runs, weights = [], []
    for _ in range(2):
        net = network(name, dropout=0.2)
        runs.append(train(net, ragged, stages="2:1,1:1", seed=3))
        weights.append(torch.cat([p.detach().flatten() for p in net.parameters()]))
        torch.rand(7)  # whatever else draws numbers must not matter
    assert torch.equal(*weights)
    losses = [[row.train_loss for row in run.history] for run in runs]
    assert losses[0] == losses[1]
    other = network(name, dropout=0.2)
    train(other, ragged, stages="2:1,1:1", seed=4)
    assert not torch.equal(torch.cat([p.flatten() for p in other.parameters()]), weights[0])


def test_training_leaves_the_global_generator_alone(task):
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train(network(dropout=0.5), task, stages="1:1")
    assert torch.equal(torch.rand(3), expected)


def test_every_stage_tells_the_network_its_stride_and_divides_lengths(ragged):
    net = Recorder()
    train(net, ragged, stages="4:2,1:1", batch_size=8)
    batches = [call for call in net.calls if call[0]][1:]  # the first only compiles
    per_epoch = math.ceil(len(ragged.train) / 8)
    assert [tau for _, tau, _, _ in batches] == [4.0] * 2 * per_epoch + [1.0] * per_epoch
    time = ragged.train.x.shape[1]
    widths = {tau: {x.shape[1] for _, t, x, _ in batches if t == tau} for tau in (1.0, 4.0)}
    assert widths == {1.0: {time}, 4.0: {time // 4}}
    for _, tau, x, lengths in batches:
        assert int(lengths.min()) >= 1
        assert int(lengths.max()) <= math.ceil(time / tau)
        beyond = torch.arange(x.shape[1]) >= lengths[:, None]
        assert bool((x[..., 0][beyond] == 0).all())


def test_each_batch_of_a_stage_has_a_phase_of_its_own(task):
    clock = np.arange(task.train.x.shape[1], dtype=np.float32)[:, None]
    train_part = replace(task.train, x=np.broadcast_to(clock, task.train.x.shape).copy())
    net = Recorder()
    train(net, replace(task, train=train_part), stages="4:6", batch_size=8)
    phases = {float(x[0, 0, 0]) for training, _, x, _ in net.calls if training}
    assert phases == {0.0, 1.0, 2.0, 3.0}


def test_scores_are_taken_in_eval_mode_on_all_samples_of_the_test_part(task):
    net = Recorder()
    run = train(net, task, stages="4:2")
    scored = [call for call in net.calls if not call[0]]
    assert {tau for _, tau, _, _ in scored} == {1.0}
    assert {x.shape[1] for _, _, x, _ in scored} == {task.test.x.shape[1]}
    assert not net.training
    assert run.score == run.history[-1].score
    assert run.correct.count("1") / len(run.correct) == run.score


def test_only_training_time_is_counted(task, monkeypatch):
    clock = SimpleNamespace(now=0.0)
    monkeypatch.setattr(engine, "time", SimpleNamespace(perf_counter=lambda: clock.now))

    class Timed(Recorder):
        def forward(self, x, tau=1.0, *, lengths=None):
            clock.now += 1.0 if self.training else 100.0
            return super().forward(x, tau, lengths=lengths)

    left = []
    run = train(
        Timed(), task, stages="2:1,1:2", batch_size=8, on_epoch=lambda row, s: left.append(s)
    )
    # 32 sequences are four steps; an epoch at stride 2 counts half of one at stride 1
    assert [row.seconds for row in run.history] == [4.0, 8.0, 12.0]
    assert left == [2 * (8 + 100), 4 + 100, 0]


def test_progress_is_told_after_every_epoch_and_ends_at_nothing_left(task):
    told = []
    train(Recorder(), task, stages="2:2,1:1", on_epoch=lambda row, left: told.append((row, left)))
    assert [(row.epoch, row.stride) for row, _ in told] == [(1, 2), (2, 2), (3, 1)]
    assert all(left > 0 for _, left in told[:-1])
    assert told[-1][1] == 0


def test_the_record_survives_its_file_and_says_what_was_done(task):
    run = train(network("gru"), task, stages="4:1,1:2", seed=2)
    assert read_result(run.to_json()) == run
    assert (run.plan, run.layer, run.dt_trained, run.unit) == ("4:1,1:2", "gru", 0.01, "s")
    assert [row["epoch"] for row in run.rows()] == [1, 2, 3]
    assert run.to_arrow().num_rows == 3
    assert any("nothing is selected" in note for note in run.notes)
    assert run.score_at(run.history[0].seconds / 2) is None
    assert run.score_at(run.history[1].seconds) == run.history[1].score


def test_a_target_for_every_sample_is_learned(task):
    sign = np.sign(task.train.x[..., 0]) > 0
    per_step = [replace(p, y=(p.x[..., 0] > 0).astype(np.int64)) for p in (task.train, task.test)]
    wanted = replace(task, train=per_step[0], test=per_step[1])
    assert sign.any() and not sign.all()
    run = train(network("gru", head="step"), wanted, stages="2:6,1:6")
    assert run.score > 0.9
    assert run.correct is None


def test_a_loss_that_is_not_finite_names_the_epoch_and_a_cure(task):
    class Lost(Recorder):
        def forward(self, x, tau=1.0, *, lengths=None):
            answer = super().forward(x, tau, lengths=lengths)
            return answer * float("nan") if self.training else answer

    with pytest.raises(ModelError, match=r"not finite, got nan in epoch 1 at stride 2"):
        train(Lost(), task, stages="2:1")


def test_a_network_of_another_width_is_refused(task):
    with pytest.raises(ModelError, match="does not fit the task"):
        train(network(d_output=3), task)


def test_a_network_that_does_not_say_whether_it_takes_tau_is_refused(task):
    with pytest.raises(ModelError, match="takes tau"):
        train(nn.Linear(1, 2), task)


@pytest.mark.parametrize("options", [{"batch_size": 0}, {"clip": 0.0}, {"stages": ()}, {"lr": -1}])
def test_options_outside_their_domain_are_refused(task, options):
    with pytest.raises(ConfigError):
        train(Recorder(), task, **options)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"stages": 5}, ConfigError, r"cannot read the stages, got 5[\s\S]*stages=\(\(1, 5\),\)"),
        ({"stages": ((1, 2.5),)}, ConfigError, "many epochs, got 2.5"),
        ({"stages": "16:1,1:1"}, ConfigError, "stride 16, which leaves 2 samples of 24"),
        ({"seed": -1}, ConfigError, "seed is a whole number, got -1"),
        ({"batch_size": 1.5}, ConfigError, "batch_size is a whole number, got 1.5"),
        ({"lr": 1e300}, ConfigError, "at most 10"),
        ({"lr": "fast"}, ConfigError, "lr=fast"),
        ({"dynamics_lr": math.nan}, ConfigError, "dynamics_lr=nan"),
    ],
)
def test_wrong_options_say_which_before_any_work(task, options, error, words):
    net = Recorder()
    with pytest.raises(error, match=words):
        train(net, task, **options)
    assert not net.calls


def test_what_is_no_task_or_no_network_is_refused(task):
    with pytest.raises(ConfigError, match=r"trained on a task[\s\S]*load_task\('OSULeaf'\)"):
        train(Recorder(), "OSULeaf")
    with pytest.raises(ModelError, match=r"a network is needed, got 's4d'[\s\S]*build_model"):
        train("s4d", task)


def test_answers_at_every_sample_need_targets_at_every_sample(task):
    with pytest.raises(ModelError, match=r"targets of shape \(32,\)[\s\S]*head='mean'"):
        train(network("gru", head="step"), task)


def test_one_class_alone_cannot_be_learned(task):
    alone = replace(task, train=replace(task.train, y=np.zeros_like(task.train.y)))
    with pytest.raises(DataError, match="every training sequence is of one class, got 'low'"):
        train(Recorder(), alone)


def test_a_class_that_is_tested_and_not_trained_is_noted(task):
    test = replace(task.test, y=np.where(np.arange(len(task.test)) < 3, 2, task.test.y))
    run = train(network(d_output=3), replace(task, test=test, n_classes=3), stages="1:1")
    assert any("no case of 2, so that 3 test cases cannot" in note for note in run.notes)
    assert not any("cannot be answered" in n for n in train(network(), task, stages="1:1").notes)


def test_sequences_that_a_stage_leaves_too_short_are_noted(ragged):
    run = train(network(), ragged, stages="4:1,1:1")
    short = int((-(-ragged.train.lengths // 4) < 3).sum())
    assert 0 < short < len(ragged.train)
    assert any(f"At stride 4, {short} of 32 train sequences" in note for note in run.notes)


class Exploding(Recorder):
    """Answers NaN in eval mode, as weights do that overflowed in the last step."""

    def forward(self, x, tau=1.0, *, lengths=None):
        out = super().forward(x, tau, lengths=lengths)
        return out if self.training else out * math.nan


def test_answers_that_are_not_finite_are_no_score(task):
    words = r"diverged: an answer is not finite, got NaN .* after epoch 1 at stride 2[\s\S]*lower"
    with pytest.raises(ModelError, match=words):
        train(Exploding(), task, stages="2:2")
