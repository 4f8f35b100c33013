"""Networks of others: what they remember, what they say of themselves, and what they answer."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.build import build_model
from timegrain.training.loop import train
from timegrain.training.trainer.warming import warming_seconds


class Foreign(nn.Module):
    takes_tau = False

    def __init__(self, *, drop=0.0, persistent=False, changed=lambda out: out):
        super().__init__()
        self.inner, self.out = nn.Linear(1, 4), nn.Linear(4, 2)
        self.drop, self.norm = nn.Dropout(drop), nn.BatchNorm1d(4)
        self.register_buffer("mean", torch.zeros(4), persistent=persistent)
        self.changed, self.count = changed, 0

    def forward(self, x, tau=1.0, *, lengths=None):
        hidden = self.norm(torch.tanh(self.inner(x)).mean(1))
        if self.training:
            self.mean = 0.9 * self.mean + 0.1 * hidden.detach().mean(0)
            self.count += 1
        return self.changed(self.out(self.drop(hidden) + self.mean))

    def get_extra_state(self):
        return {"count": self.count}

    def set_extra_state(self, state):
        self.count = state["count"]


def made(**options):
    torch.manual_seed(0)
    return Foreign(**options)


def stop_at(step):
    def log(values, number):
        if number == step and "train/loss" in values:
            raise KeyboardInterrupt

    return log


def test_the_warm_up_leaves_statistics_alone(task):
    net = made()
    train(net, task, epochs=2, batch_size=8)
    assert int(net.norm.num_batches_tracked) == 2 * len(task.train) // 8


@pytest.mark.parametrize("options", [{}, {"patience": 1, "validation": 0.3}])
def test_all_that_a_network_remembers_is_resumed(options, task, tmp_path):
    words = {"epochs": 3, "batch_size": 8, **options}
    whole, broken, resumed = (made(drop=0.3) for _ in range(3))
    first = train(whole, task, **words)
    keep = {"snapshots": tmp_path, "snapshot_every": 0}
    with pytest.raises(KeyboardInterrupt):
        train(broken, task, log=stop_at(5), **keep, **words)
    second = train(resumed, task, resume=True, **keep, **words)
    assert torch.equal(whole.mean, resumed.mean)
    # the count of what was resumed has its own warm-up
    assert whole.state_dict().keys() == resumed.state_dict().keys()
    for name, value in whole.state_dict().items():
        if isinstance(value, torch.Tensor):
            assert torch.equal(value, resumed.state_dict()[name]), name
    assert [row.train_loss for row in first.history] == [row.train_loss for row in second.history]


def test_another_dropout_is_another_training(task, tmp_path):
    train(made(), task, epochs=1, snapshots=tmp_path)
    with pytest.raises(ConfigError, match=r"modules.drop Dropout\(p=0.0.*and Dropout\(p=0.5"):
        train(made(drop=0.5), task, epochs=1, snapshots=tmp_path, resume=True)


def test_a_state_that_cannot_be_stored_is_found_before(task, tmp_path):
    net = made()
    net.get_extra_state = lambda: {"count": object()}
    with pytest.raises(ModelError, match="object in _extra_state"):
        train(net, task, epochs=1, snapshots=tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("config", "said"),
    [
        ({"width": 4}, {"name": "Foreign", "width": 4}),
        ({"name": "mine", "type": torch.float32}, {"name": "mine"}),
        ({"name": 3}, {"name": "Foreign"}),
        (SimpleNamespace(width=4, _hidden=1), {"name": "Foreign", "width": 4}),
        (SimpleNamespace(to_dict=lambda: {"width": 4}), {"name": "Foreign", "width": 4}),
        ("text", {"name": "Foreign"}),
        (None, {"name": "Foreign"}),
    ],
)
def test_any_config_ends_in_a_record(config, said, task, tmp_path):
    net = made()
    net.config = config
    run = train(net, task, epochs=1, snapshots=tmp_path)
    assert run.model == said
    assert run.to_json()


@pytest.mark.parametrize(
    ("net", "words"),
    [
        (lambda: made().double(), r"torch.float64, inputs of torch.float32[\s\S]*model.float\(\)"),
        (lambda: made(changed=lambda out: (out,)), "got tuple"),
        (lambda: made(changed=lambda out: out.detach()), "without a gradient"),
        (lambda: made(changed=lambda out: out.to(torch.complex64)), "torch.complex64"),
    ],
)
def test_answers_that_cannot_be_trained_on_are_refused(net, words, task):
    with pytest.raises(ModelError, match=words):
        train(net(), task, epochs=1, on_epoch=lambda row, left: pytest.fail("trained"))


def test_a_forward_without_lengths_is_refused(task):
    class Short(Foreign):
        def forward(self, x, tau=1.0):
            return super().forward(x)

    with pytest.raises(ModelError, match=r"got forward\(x, tau=1.0\)"):
        train(Short(), task, epochs=1)


def per_sample(task, padding):
    random = np.random.default_rng(0)

    def part(part):
        n, time = part.x.shape[:2]
        lengths = random.integers(4, time + 1, n)
        y = random.normal(size=(n, time, 1)).astype(np.float32)
        y[np.arange(time) >= lengths[:, None]] = padding
        return replace(part, y=y, lengths=lengths)

    return replace(
        task, target_kind="value", metric="r2", n_classes=None,
        train=part(task.train), test=part(task.test),
    )  # fmt: skip


@pytest.mark.parametrize("options", [{}, {"tbptt": 7}, {"patience": 1, "validation": 0.3}])
def test_targets_behind_the_end_do_not_count(options, task):
    def losses(padding):
        net = build_model("gru", d_input=1, d_output=1, d_model=4, n_layers=1, head="step", seed=0)
        run = train(net, per_sample(task, padding), stages="2:1,1:1", **options)
        return [(row.train_loss, row.score, row.validation) for row in run.history]

    assert losses(0.0) == losses(1e6) == losses(float("nan"))


class Seen(nn.Module):
    """A network of this package, and the shapes that it was called with."""

    takes_tau = True

    def __init__(self):
        super().__init__()
        self.net = build_model("s4d", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0)
        self.calls = []

    def forward(self, x, tau=1.0, *, lengths=None):
        if self.training:
            self.calls.append((len(x), x.shape[1], tau))
        return self.net(x, tau, lengths=lengths)


def test_each_stage_is_gone_through_before_the_clock_runs(task):
    net, before = Seen(), warming_seconds()
    options = {"stages": ((4, 1), (1, 1)), "batch_size": 2}
    first = train(net, task, **options)
    time = task.train.x.shape[1]
    assert net.calls[:3] == [(2, time, 1.0), (2, -(-time // 4), 4.0), (2, time, 1.0)]
    assert warming_seconds() > before
    again = Seen()
    second = train(again, task, **options)
    assert len(net.calls) - len(again.calls) == 2
    assert [row.train_loss for row in first.history] == [row.train_loss for row in second.history]
