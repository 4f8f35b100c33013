"""What is advised is what would be done: `localise` and `remedy` go by one predicate."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from timegrain import ModelAdapter, localise, model_continuity, remedy
from timegrain.core import Outcome
from timegrain.core.errors import GridError, ModelError
from timegrain.core.result import read_result

FEW = {"length": 16, "levels": 3, "seeds": 1, "amplitudes": (1.0,)}


class Block(nn.Module):
    """A short convolution before a leak that is told its step by `dt`, if at all."""

    def __init__(self, *, itself=True):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 4, padding=3 if itself else 0)

    def mixed(self, x, tau):
        padded = x.mT if self.conv.padding[0] else F.pad(x.mT, (3, 0))
        u, kept = self.conv(padded)[..., : x.shape[1]].mT, 0.8**tau
        powers = kept ** torch.arange(u.shape[1], 0, -1, dtype=u.dtype)[:, None]
        return (1 - kept) * (u * powers).cumsum(1) / powers


class Told(Block):
    def forward(self, x, dt=1.0):
        return self.mixed(x, dt)


class Untold(Block):
    def forward(self, x):
        return self.mixed(x, 1.0)


@pytest.fixture(autouse=True)
def _seeded():
    torch.manual_seed(0)


def advised(model, **options):
    found = localise(model, **FEW, **options)
    assert found.first == "conv"
    assert read_result(found.to_json()).advice == found.advice
    return dict(found.summary_lines())["try"]


def test_a_convolution_that_pads_is_dilated_for_a_model_told_by_an_argument():
    adapter = ModelAdapter(Told(), tau="dt")
    assert advised(adapter).startswith("remedy(model, 'dilate'), which")
    cured, effect = remedy(adapter, "dilate", **FEW)
    assert effect.at("after", "conv").memory_ratio > 0.7 > effect.at("before", "conv").memory_ratio
    # what comes back is told its step, and dilated, in one call
    finer = model_continuity(cured, **FEW)
    assert finer.errors[0].error == effect.at("after").error


def test_one_that_its_caller_pads_is_to_be_changed_by_hand():
    model = ModelAdapter(Told(itself=False), tau="dt")
    assert advised(model).startswith("a change by hand, since remedy(model, 'dilate') reaches")
    with pytest.raises(ModelError, match="no convolution over time to dilate"):
        remedy(model, "dilate", **FEW)


def test_a_function_is_to_be_passed_as_the_module_it_calls():
    inner = Told()
    assert advised(lambda x, tau=1.0: inner(x, tau), d_input=2).startswith("passing the module")
    with pytest.raises(ModelError, match="Try passing the module that it calls"):
        remedy(lambda x, tau=1.0: inner(x, tau), "dilate", d_input=2, **FEW)


def test_a_grid_that_cannot_be_dilated_on_is_the_true_cause():
    adapter = ModelAdapter(Told(), tau="dt", trained_dt=0.1)
    assert advised(adapter).endswith("dt=0.1")
    with pytest.raises(GridError, match=r"step of 1 for a model .* at 0.1") as raised:
        remedy(adapter, "dilate", **FEW)
    assert raised.value.hint == "dt=0.1"
    assert "d_input" not in str(raised.value)
    assert "tau" not in str(raised.value)
    assert remedy(adapter, "dilate", dt=0.1, **FEW).effect.at("after", "conv").memory_ratio > 0.7


def test_nothing_is_advised_for_a_model_that_is_not_to_be_told():
    found = localise(Untold(), protocol="native", **FEW)
    assert found.advice == ""


def test_a_model_untold_before_its_cure_says_so_of_that_measurement():
    effect = remedy(Untold(), "dilate", **FEW).effect
    told = dict(effect.summary_lines())["measured"]
    assert told.startswith("not told its step (native) before the cure, told its step (tau) after")
    assert any(n.startswith("Before: Measured natively") for n in effect.notes)
    assert any(n.startswith("After: the convolutions alone are told") for n in effect.notes)
    assert not any(n.startswith("Measured natively") for n in effect.notes)
    assert read_result(effect.to_json()) == effect


class Deaf(nn.Module):
    """Takes tau, and makes nothing of it."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def forward(self, x, tau=1.0):
        return self.inner(x)


def deaf(x, tau=1.0):
    return x + np.pad(x, ((0, 0), (2, 0), (0, 0)))[:, :-2]


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Deaf(Told()), "remedy(model, 'dilate') cures a short convolution"),
        (lambda: Deaf(Told(itself=False)), "localise(model) names the part"),
        (lambda: deaf, "if it runs any"),
    ],
)
def test_a_collapse_points_to_what_this_model_can_be_asked(make, words):
    found = model_continuity(make(), d_input=2, **FEW)
    assert found.outcome is Outcome.MEMORY_COLLAPSES
    assert words in found.cure
    assert ("dilate" in found.cure) is ("dilate" in words)
    assert read_result(found.to_json()).cure == found.cure


def test_few_pairs_say_why_they_have_no_interval_and_twenty_have_one():
    few = localise(Untold(), **FEW)
    assert "1 pair, no interval: 20 needed; seeds=20" in dict(few.summary_lines())["measured"]
    many = localise(Untold(), length=16, levels=3, seeds=20)
    low, high = many.at("").interval
    assert low <= many.at("").order <= high
    assert many.rows()[-1]["order_low"] == low
    assert "interval" not in dict(many.summary_lines())["measured"]
    effect = remedy(Untold(), "dilate", **FEW).effect
    assert "no interval: 20 needed; seeds=20" in dict(effect.summary_lines())["measured"]
    assert effect.rows()[0]["order_low"] is None
