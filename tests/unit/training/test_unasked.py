"""Answers at some samples only: neither losses, nor gradients, nor scores see the others."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from timegrain import build_model, load_task, train
from timegrain.core.errors import DataError
from timegrain.data import Dataset, make_task
from timegrain.training.batch import Batch, decimate
from timegrain.training.held_out import hold_out
from timegrain.training.objective import Objective
from timegrain.training.plan.settings import StepSettings
from timegrain.training.score import evaluate
from timegrain.training.targets import asked, asked_after
from timegrain.training.trainer.accumulation import AccumulatedGradient, answers
from timegrain.training.trainer.gradient import PlainGradient
from timegrain.training.truncated.gradient import TruncatedGradient

FEW = {"n_train": 24, "n_validation": 2, "n_test": 12}


class Constant(nn.Module):
    """Answers the same at every sample: zeros, but `at` for one class."""

    takes_tau = True
    pooling = "step"

    def __init__(self, classes, at=0.0):
        super().__init__()
        self.config = {"head": "step"}
        self.logits = nn.Parameter(torch.zeros(classes))
        self.logits.data[0] = at

    def forward(self, x, tau=1.0, *, lengths=None):
        return self.logits.expand(*x.shape[:2], -1)


def objective(classes):
    return Objective(
        target_kind="class",
        d_output=classes,
        center=torch.zeros(classes),
        scale=torch.ones(classes),
    )


def batch(y, lengths=None):
    y = torch.tensor(y)
    lengths = None if lengths is None else torch.tensor(lengths)
    return Batch(x=torch.zeros(*y.shape, 1), y=y, lengths=lengths, per_step=True)


def settings(stride=1, size=4):
    return StepSettings(
        stage=0, stride=stride, tau=1.0, decimator="phase", place="input", batch_size=size
    )


def test_a_loss_is_the_mean_over_what_is_asked():
    some = batch([[-1, 1, -1, 2], [0, -1, 2, 1]], lengths=[4, 2])
    assert asked(some).tolist() == [[False, True, False, True], [True, False, False, False]]
    out = torch.zeros(2, 4, 3)
    out[0, 1, 1] = out[0, 3, 2] = out[1, 0, 0] = 2.0
    # -log of e^2 / (e^2 + 2), three times
    wanted = math.log(math.exp(2) + 2) - 2
    assert float(objective(3).loss(out, some)) == pytest.approx(wanted, rel=1e-6)
    out[0, 0] = out[0, 2] = out[1, 1:] = 1e30  # nobody asks
    assert float(objective(3).loss(out, some)) == pytest.approx(wanted, rel=1e-6)
    lost, possible = objective(3).shortfall(-out, some, middle=np.zeros(3))
    assert lost.tolist() == [2, 1] and possible.tolist() == [2, 1]


def test_where_nothing_is_asked_a_loss_and_its_gradient_are_zero():
    out = torch.randn(1, 3, 2, requires_grad=True)
    loss = objective(2).loss(out, batch([[-1, -1, -1]]))
    loss.backward()
    assert float(loss.detach()) == 0 and not out.grad.any()


def test_parts_of_a_batch_weigh_as_much_as_they_ask():
    whole = batch([[-1, 1, -1, -1], [0, 0, 2, 1], [-1, -1, -1, -1], [1, -1, -1, 2]])
    model, rule = Constant(3, at=0.3), None
    rule = PlainGradient(model, objective(3))
    expected = rule(whole, settings(), 0)
    gradient = model.logits.grad.clone()
    for parts in (2, 4):
        model.zero_grad()
        found = AccumulatedGradient(model, rule, parts)(whole, settings(), 0)
        assert found == pytest.approx(expected, rel=1e-6)
        torch.testing.assert_close(model.logits.grad, gradient)


@pytest.mark.parametrize("decimator", ["phase", "mean"])
def test_answers_are_counted_after_samples_are_dropped(decimator):
    some = batch([[-1, 1, -1, 2, 0], [0, -1, 2, 1, 1]], lengths=[5, 3])
    for stride, offset in ((1, 0), (2, 0), (2, 1), (3, 2)):
        thin = decimate(some, stride, offset=offset, decimator=decimator)
        count = int(asked(thin).sum())
        assert asked_after(some, stride, offset, decimator) == count
        assert answers(some, stride, offset, decimator) == count
    assert asked_after(batch([[0, 1]]), 1, 0) is None


def tagged(head="step", seed=0):
    return build_model(
        "gru", d_input=32, d_output=16, d_model=4, n_layers=1, head=head, seed=seed
    ).double()


def test_chunks_of_time_add_up_to_the_whole():
    task = load_task("mqar", answer="every", pairs=4, length=24, symbols=32, **FEW)
    some = batch(task.train.y[:4].tolist())
    some = Batch(x=torch.tensor(task.train.x[:4]).double(), y=some.y, per_step=True)
    model = tagged()
    expected = PlainGradient(model, objective(16))(some, settings(), 0)
    found = TruncatedGradient(model=model, objective=objective(16), size=5)(some, settings(), 0)
    # sums of float32 losses in another order
    assert found == pytest.approx(expected, rel=1e-6)


def test_a_task_trains_and_scores_on_what_is_asked_alone():
    task = load_task("mqar", answer="every", pairs=4, length=24, symbols=32, **FEW)
    asked_for = task.test.y >= 0
    model = Constant(task.d_output, at=1.0)
    score = evaluate(model, task)
    assert score.score == pytest.approx(np.mean(task.test.y[asked_for] == 0))
    assert score.n == 12 and score.low <= score.score <= score.high
    for words in ({}, {"tbptt": 7}, {"accumulate": 2}, {"patience": 1}):
        model = build_model(
            "gru", d_input=task.d_input, d_output=task.d_output, d_model=4, n_layers=1,
            head="step", seed=0,
        )  # fmt: skip
        run = train(model, task, stages=((2, 1), (1, 1)), batch_size=8, seed=0, **words)
        assert 0 <= run.score <= 1 and all(np.isfinite(row.train_loss) for row in run.history)
    inner = hold_out(task).task
    assert len(inner.train) + len(inner.test) == 24


def test_a_rate_at_which_nothing_is_asked_has_no_score():
    y = np.full((6, 8), -1)
    y[:, 1::2] = np.arange(6)[:, None] % 2
    data = Dataset(
        name="odd",
        sequences=tuple(np.random.default_rng(0).standard_normal((6, 8, 1))),
        targets=tuple(y),
        class_names=("a", "b"),
        n_train=4,
    )
    task = make_task(data, each_sample=True)
    with pytest.raises(DataError, match="at which no answer is asked"):
        evaluate(Constant(2), task, stride=2)
