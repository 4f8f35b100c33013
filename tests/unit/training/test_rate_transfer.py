import math

import numpy as np
import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.core.result import read_result
from timegrain.models.build import build_model
from timegrain.training.rate_transfer import UNTOLD_ONLY_NOTE, transfer


class Integral(nn.Module):
    """Compares the integral of its input over time with a threshold; needs to know its step."""

    takes_tau = True

    def __init__(self, threshold):
        super().__init__()
        self.threshold = threshold
        self.told = []

    def forward(self, x, tau=1.0, *, lengths=None):
        self.told.append(tau)
        area = tau * x[..., 0].sum(1)
        return torch.stack([self.threshold - area, area - self.threshold], 1)


@pytest.fixture
def areas(task):
    from dataclasses import replace

    # level 1 or 2 all along, so that the integral is 24 or 48 whatever the stride
    x = np.broadcast_to((1.0 + task.test.y)[:, None, None], task.test.x.shape).astype(np.float32)
    return replace(task, test=replace(task.test, x=x))


def test_a_network_that_integrates_keeps_its_score_only_when_told(areas):
    curve = transfer(Integral(36.0), areas, strides=(1, 2, 4))
    assert [curve.score(k, told=True).score for k in (1, 2, 4)] == [1.0, 1.0, 1.0]
    assert [curve.score(k, told=False).score for k in (1, 2, 4)] == [1.0, 0.5, 0.5]
    assert [row.tau_told for row in curve.scores] == [1.0, 1.0, 2.0, 1.0, 4.0, 1.0]
    assert [row.told for row in curve.scores] == [True, False] * 3


def test_nothing_is_computed_twice(areas):
    net = Integral(36.0)
    transfer(net, areas, strides=(1, 2, 2))
    assert net.told == [1.0, 2.0, 1.0]


def test_a_network_that_cannot_be_told_has_untold_rows_and_says_so(task):
    net = build_model("gru", d_input=1, d_output=2, d_model=4, n_layers=1, seed=0)
    curve = transfer(net, task, seed=3, plan="full")
    assert {row.told for row in curve.scores} == {False}
    assert UNTOLD_ONLY_NOTE in curve.notes
    assert not curve.takes_tau
    assert read_result(curve.to_json()) == curve
    assert [row["dt"] for row in curve.rows()] == [0.01, 0.02, 0.04]
    assert (curve.layer, curve.seed, curve.plan) == ("gru", 3, "full")


@pytest.mark.parametrize("options", [{"strides": ()}, {"strides": (0, 1)}, {"told": ()}])
def test_rates_that_make_no_sense_are_refused(task, options):
    with pytest.raises(ConfigError):
        transfer(Integral(0.0), task, **options)


@pytest.mark.parametrize("strides", [5, (2.0,), (True,), "1,2"])
def test_strides_of_another_type_are_refused(task, strides):
    with pytest.raises(ConfigError, match="cannot be measured at these strides"):
        transfer(Integral(36.0), task, strides=strides)


def test_strides_that_leave_too_little_are_refused(task, ragged):
    net = Integral(36.0)
    with pytest.raises(ConfigError, match=r"stride 64, which leaves 1 sample of 24[\s\S]*up to 11"):
        transfer(net, task, strides=(1, 64))
    assert not net.told
    curve = transfer(net, ragged, strides=(1, 10))
    assert any("At stride 10" in note and "fewer than 3" in note for note in curve.notes)


def test_an_answer_that_is_not_finite_is_no_score(task):
    with pytest.raises(ModelError, match="answers are not finite, got NaN"):
        transfer(Integral(math.nan), task)
