"""A task whose samples are further apart than the step a network knows as tau = 1."""

import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.build import build_model
from timegrain.training import evaluate, train
from timegrain.training.scaling import Scaling


class Probe(nn.Module):
    takes_tau = True

    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(1, 2))
        self.told = []

    def forward(self, x, tau=1.0, *, lengths=None):
        self.told.append((self.training, x.shape[1], tau))
        return x.mean(1) @ self.weight


def test_every_stage_is_told_its_stride_times_tau(task):
    probe = Probe()
    run = train(probe, task, stages="4:1,1:1", tau=2.5)
    assert {told for told in probe.told if told[0]} == {(True, 6, 10.0), (True, 24, 2.5)}
    assert {told for told in probe.told if not told[0]} == {(False, 24, 2.5)}
    assert run.dt_trained == task.dt / 2.5
    assert run.provenance.parameters["tau"] == 2.5


def test_the_score_is_taken_at_tau(task):
    net = build_model("s4d", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0)
    run = train(net, task, stages="1:1", tau=3.0)
    assert run.score == evaluate(net, task, tau=3.0).score


def test_the_scale_of_the_targets_can_be_said(values):
    net = build_model("s4d", d_input=1, d_output=1, d_model=4, n_layers=1, seed=0)
    scaling = Scaling(center=(100.0,), scale=(0.5,))
    run = train(net, values, stages="1:1", lr=1e-9, targets=scaling)
    # targets around 5 are -190 in these units, so the first losses are about 190 squared
    assert run.history[0].train_loss == pytest.approx(190.0**2, rel=0.05)
    assert run.provenance.parameters["targets"] == {"center": [100.0], "scale": [0.5]}


def test_a_network_that_cannot_be_told_is_not(task):
    net = build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1)
    with pytest.raises(ModelError, match=r"tau=2 and takes_tau = False"):
        train(net, task, stages="1:1", tau=2.0)
    with pytest.raises(ConfigError, match=r"tau is a ratio of steps, got tau=0"):
        train(Probe(), task, stages="1:1", tau=0)


def test_defaults_are_not_said(task):
    parameters = train(Probe(), task, stages="1:1").provenance.parameters
    assert not {"tau", "targets"} & set(parameters)
