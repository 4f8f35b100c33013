"""A rough input is measured, and said to be the cause where no order settles."""

import numpy as np
import pytest
from torch import nn

from timegrain import localise, model_continuity
from timegrain.continuity.model.roughness import UNSETTLED, own_order
from timegrain.core import Outcome
from timegrain.core.result import read_result

N = 16 * 24 + 1
T = np.arange(N) / 16


def leaky(x, tau=1.0):
    y, kept = np.zeros_like(x), np.exp(-tau / 4)
    for k in range(1, x.shape[1]):
        y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k - 1]
    return y


class Leaky(nn.Module):
    def __init__(self):
        super().__init__()
        self.core = nn.Identity()

    def forward(self, x, tau=1.0):
        kept = np.exp(-tau / 4)
        powers = x.new_tensor(kept ** np.arange(x.shape[1], 0, -1))[:, None]
        return self.core(x * powers).cumsum(1) / powers * (1 - kept)


def signals():
    rng = np.random.default_rng(0)
    return {
        "smooth": np.sin(T)[:, None],
        "kinks": np.abs(np.sin(T))[:, None],
        "jumps": np.sign(np.sin(0.7 * T + 1))[:, None],
        "brownian": rng.normal(size=(N, 8)).cumsum(0),
        "noise": rng.normal(size=(N, 8)),
    }


@pytest.mark.parametrize(
    ("name", "order"),
    [("smooth", 2.0), ("kinks", 1.5), ("jumps", 0.5), ("brownian", 0.5), ("noise", 0.0)],
)
def test_a_signals_own_order_is_that_of_its_roughness(name, order):
    # of 3,000 increments with neighbours in common the ratio of mean squares is off by a tenth
    found = own_order(signals()[name])
    assert found == pytest.approx(order, abs=0.12)
    # neither units nor a channel's share of the size matter
    assert own_order(1e6 * signals()[name] + 3) == pytest.approx(found, abs=1e-3)


@pytest.mark.parametrize("values", [np.ones((N, 1)), T[:, None], np.zeros((3, 1))])
def test_what_is_straight_or_short_has_none(values):
    assert own_order(values) is None


def noisy():
    return np.sin(0.3 * T)[:, None] + 0.3 * np.random.default_rng(3).normal(size=(N, 1))


FEW = {"refine": "recorded", "dt": 1 / 16, "levels": 4}


def test_a_noisy_recording_is_said_to_limit_the_order():
    found = model_continuity(leaky, signal=noisy(), **FEW)
    assert found.outcome in UNSETTLED or found.order < 0.9
    assert found.signal_order < 0.3
    assert found.message.endswith("the input is rough, which limits the order")
    assert "decimator='fir'" in found.cure
    assert "signal='sines'" in found.cure
    (note,) = [n for n in found.notes if n.startswith("The input is rough")]
    assert "noise and quantisation" in note
    assert read_result(found.to_json()).message == found.message


def test_a_smooth_recording_is_not_and_says_nothing():
    found = model_continuity(leaky, signal=np.sin(0.3 * T)[:, None], **FEW)
    assert found.outcome is Outcome.CONVERGES
    assert found.signal_order == pytest.approx(2.0, abs=0.01)
    assert not any("rough" in note for note in found.notes)


def test_a_rough_path_on_nested_grids_is_said_to_be_one():
    told = [
        model_continuity(
            leaky, signal="ou", refine="resimulate", dt=0.1, length=16, levels=4, seeds=2, seed=s
        )
        for s in range(4)
    ]
    rough = [found for found in told if found.outcome is not Outcome.CONVERGES]
    assert rough
    for found in rough:
        assert found.signal_order == pytest.approx(0.5, abs=0.2)
        assert "rough" in found.message
        assert any("Brownian motion" in n and "0.5 to 1.0" in n for n in found.notes) or (
            abs(found.signal_order - 0.5) > 0.05
        )


def test_localise_says_it_too_in_the_place_of_a_part_to_look_for():
    found = localise(Leaky(), signal=noisy(), **FEW)
    assert any(n.startswith("The input is rough") for n in found.notes)
    assert "decimator='fir'" in dict(found.summary_lines())["try"]
