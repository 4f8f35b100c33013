"""What each cure does to a model, by the instrument itself."""

import copy

import numpy as np
import pytest
import torch
from torch import nn

from timegrain import certify, remedy, selectivity
from timegrain.continuity import ModelAdapter
from timegrain.continuity.remedies.trapezoidal import TrapezoidalS6
from timegrain.core import Outcome, read_result
from timegrain.core.errors import ConfigError, ModelError
from timegrain.models import Dilated, build_layer, build_model

SMALL = {"length": 32, "levels": 4, "seeds": 1}
S6 = {"n_state": 2, "dt_min": 0.05, "dt_max": 0.1}


def layer(name, **options):
    return build_layer(name, d_model=4, seed=0, skip=False, **options)


def test_dilation_keeps_the_memory_of_a_short_convolution_and_the_trained_output():
    model = layer("mamba", n_state=2)
    before = copy.deepcopy(model.state_dict())
    cured, effect = remedy(model, "dilate", amplitudes=(1.0,), **SMALL)
    assert isinstance(cured, Dilated)
    assert effect.changed == ("conv",)
    assert effect.at("before", "conv").outcome is Outcome.MEMORY_COLLAPSES
    assert effect.at("before", "conv").memory_ratio < 0.2
    assert effect.at("after", "conv").memory_ratio > 0.7
    # the taps read the same instants on every grid, so that the outputs are equal but for rounding
    assert effect.at("after", "conv").error < 1e-12
    assert effect.shift == 0.0
    assert "keep the memory of conv" in repr(effect)
    assert not model._forward_hooks
    assert "select" not in vars(model.ssm)
    for name, value in model.state_dict().items():
        assert torch.equal(value, before[name])


@pytest.mark.parametrize(
    ("name", "cure", "options"),
    [
        ("s6", "trapezoidal", S6),
        ("s4d", "trapezoidal", {"n_pairs": 2, "dt_max": 0.01}),
        ("s4d", "foh", {"n_pairs": 2, "dt_max": 0.01}),
        ("s5", "foh", {"n_state": 4, "n_blocks": 1}),
        ("s4", "trapezoidal", {"n_state": 4}),
    ],
)
def test_both_ends_of_a_step_raise_the_order_to_two(name, cure, options):
    cured, effect = remedy(name, cure, d_model=4, options=options, amplitudes=(1.0,), **SMALL)
    assert cured.order == 2
    # an order has settled where it is within .3 of the declared one
    assert abs(effect.at("before").order - 1) < 0.3
    assert abs(effect.at("after").order - 2) < 0.3
    assert effect.at("after").error < effect.at("before").error / 2
    assert effect.shift > 0.0
    assert "raise the order" in repr(effect)


@pytest.mark.parametrize("varying", [False, True])
def test_the_trapezoidal_scan_is_its_recurrence(varying):
    torch.manual_seed(0)
    model = TrapezoidalS6.of(layer("s6", **S6).double())
    x, tau = torch.randn(2, 9, 4, dtype=torch.float64), 0.5
    steps = 0.2 + torch.rand(2, 9, dtype=torch.float64) if varying else torch.full((2, 9), tau)
    with torch.no_grad():
        delta, B, C = model.select(x)
        A, s = model.A, steps[:, :, None, None]
        h, wanted = torch.zeros(2, 4, 2, dtype=torch.float64), [torch.zeros(2, 4)]
        drive = delta[..., None] * B[:, :, None] * x[..., None]
        for k in range(1, 9):
            decay = torch.exp(s[:, k] * (delta[:, k - 1] + delta[:, k])[..., None] / 2 * A)
            h = decay * h + s[:, k] * (decay * drive[:, k - 1] + drive[:, k]) / 2
            wanted.append((h * C[:, k, None]).sum(-1))
        told = steps if varying else tau
        found = model(x, told)
        short = model(x, told, lengths=torch.tensor([9, 4]))
    torch.testing.assert_close(found, torch.stack(wanted, 1), rtol=0, atol=1e-13, check_dtype=False)
    torch.testing.assert_close(short[1, :4], found[1, :4], rtol=0, atol=1e-13)
    with pytest.raises(ModelError, match="keeps no state"):
        model.scan(x)
    with pytest.raises(ModelError, match="cannot step"):
        model.step(x[:, 0])


def test_selection_by_the_inputs_direction_leaves_no_amplitude():
    _, effect = remedy("s6", "normalise", d_model=4, options=S6, **SMALL)
    was, now = (effect.at(stage).amplitude_exponent for stage in ("before", "after"))
    assert was > 0.1
    # linear in the input but for rounding, which errors of 1e-2 of 2^-4 steps magnify 1e4 times
    assert abs(now) < 1e-6
    first, *others = (row.after for row in effect.errors)
    np.testing.assert_allclose(others, first, rtol=1e-6)


def test_a_limit_of_delta_bounds_the_errors_of_large_inputs():
    _, effect = remedy("s6", "clamp", d_model=4, options=S6, delta_max=0.1, **SMALL)
    assert effect.delta_max == 0.1
    large = effect.errors[-1]
    assert large.amplitude == 10.0
    assert large.after < large.before / 2
    assert effect.at("after").amplitude_exponent < effect.at("before").amplitude_exponent
    assert "delta_max = 0.1" in repr(effect)


def test_a_limit_follows_the_step():
    from timegrain.continuity.remedies.cures import cured

    model, _ = cured(layer("s6", **S6).double(), ["clamp"], delta_max=0.06)
    u = torch.randn(2, 9, 4, dtype=torch.float64)
    free, plain = layer("s6", **S6).double().select(u)[0], model.select(u)[0]
    assert float(plain.detach().max()) == 0.06 < float(free.detach().max())
    torch.testing.assert_close(plain, free.clamp(max=0.06))
    told = model.select(u, torch.full((2, 9), 0.5, dtype=torch.float64))[0]
    torch.testing.assert_close(told, 0.5 * plain)


def test_cures_go_together_in_a_network():
    net = build_model("mamba", d_input=2, d_output=2, d_model=4, n_layers=1, head="step", seed=0)
    cured, effect = remedy(net, "dilate+trapezoidal+clamp", amplitudes=(1.0,), **SMALL)
    assert isinstance(cured.model.mixers[0].ssm, TrapezoidalS6)
    assert {name.rpartition(".")[2] for name in effect.changed} == {"conv", "ssm"}
    stages = [(row.stage, row.module.rpartition(".")[2]) for row in effect.stages]
    assert stages.count(("before", "ssm")) == stages.count(("after", "ssm")) == 1
    assert read_result(effect.to_json()) == effect
    assert effect.to_arrow().num_rows == len(effect.rows()) == len(effect.stages)


class Slow(nn.Module):
    """A convolution and a leak, told its step in its own words, on an input of its own name."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(4, 4, 3, padding=2, groups=4)
        self.log_dt = nn.Parameter(torch.full((4,), -2.0))

    def forward(self, signal, rate=1.0):
        u = self.conv(signal.mT)[..., : signal.shape[1]].mT
        kept = torch.exp(-rate * self.log_dt.exp()) ** torch.arange(u.shape[1], 0, -1)[:, None]
        return (u * (1 - torch.exp(-rate * self.log_dt.exp())) * kept).cumsum(1) / kept


def test_a_model_that_an_adapter_calls_is_dilated_for_the_call():
    torch.manual_seed(0)
    told = ModelAdapter(Slow(), tau="log_dt", inputs="signal", d_input=4)
    cured, effect = remedy(told, "dilate", amplitudes=(1.0,), **SMALL)
    assert isinstance(cured.model, Slow)
    assert effect.changed == ("conv",)
    assert effect.at("before", "conv").memory_ratio < 0.2
    assert effect.at("after", "conv").memory_ratio > 0.7
    assert effect.at("after", "conv").error < 1e-12
    assert effect.shift == 0.0
    assert told.model.conv.dilation == (1,)
    scaled, ruled = remedy(
        ModelAdapter(layer("s5", n_state=4, n_blocks=1), tau="log_dt"), "foh", **SMALL
    )
    assert ruled.at("after").order > 1.7 > 1.3 > ruled.at("before").order
    assert scaled.tau == "log_dt"


def test_an_adapter_is_returned_for_an_adapter():
    told = ModelAdapter(layer("mamba", n_state=2), trained_dt=1.0, name="mine")
    cured, effect = remedy(told, "dilate", amplitudes=(1.0,), **SMALL)
    assert isinstance(cured, ModelAdapter)
    assert isinstance(cured.model, Dilated)
    assert effect.name == "mine"
    assert effect.at("after", "conv").memory_ratio > 0.7


@pytest.mark.parametrize(
    ("model", "cure", "error", "match"),
    [
        ("gru", "dilate", ModelError, "no convolution over time"),
        ("gru", "trapezoidal", ModelError, "S4, S4D, S5 or S6"),
        ("s6", "foh", ModelError, "Try trapezoidal"),
        ("s4d", "clamp", ModelError, "no S6 in it"),
        ("s6", "dilute", ConfigError, "there is no such cure"),
        ("s6", "clamp+clamp", ConfigError, "change the same thing"),
        ("mamba", "dilate+interpolate", ConfigError, "change the same thing"),
        (np.tanh, "dilate", ModelError, "a function"),
        (nn.Linear(4, 4), "normalise", ModelError, "no S6 in it"),
        (
            ModelAdapter(Slow(), tau="rate"),
            "interpolate",
            ModelError,
            "a call that the adapter makes",
        ),
    ],
)
def test_a_cure_that_does_not_apply_is_declined(model, cure, error, match):
    with pytest.raises(error, match=match):
        remedy(model, cure, d_model=4, d_input=None if isinstance(model, str) else 4, **SMALL)


def test_only_what_would_apply_is_advised_instead():
    with pytest.raises(ModelError, match="S4D or S5") as raised:
        remedy("gru", "foh", d_model=4, **SMALL)
    assert "Try" not in str(raised.value)


def test_one_channel_over_its_size_is_declined():
    with pytest.raises(ModelError, match="its sign, which jumps"):
        remedy("s6", "normalise", d_model=1, **SMALL)
    with pytest.raises(ConfigError, match="delta_max"):
        remedy("s6", "clamp", d_model=4, delta_max=0.0, **SMALL)


@pytest.mark.parametrize("cure", ["trapezoidal", "clamp", "normalise"])
def test_what_is_known_of_s6_is_not_said_of_a_cured_one(cure):
    from timegrain.continuity.remedies.cures import cured

    model, _ = cured(layer("s6", **S6), [cure], delta_max=0.1)
    with pytest.raises(ModelError, match="cured, expected S4D, S5 or S6 as it is"):
        certify(model, lambda t: np.sin(t[:, None] + np.arange(4)))
    with pytest.raises(ModelError, match="a cured layer"):
        selectivity(model, **SMALL)


def test_a_collapse_of_what_is_told_its_step_points_to_the_part_and_its_cure():
    from timegrain import model_continuity

    class Narrow(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(2, 2, 3, padding=2)

        def forward(self, x, tau=1.0):
            return self.conv(x.mT)[..., : x.shape[1]].mT

    found = model_continuity(Narrow(), length=16, levels=4, seeds=1)
    assert found.outcome is Outcome.MEMORY_COLLAPSES
    assert "remedy(model, 'dilate')" in found.cure
    untold = model_continuity("gru", d_model=2, length=16, levels=4, seeds=1)
    assert untold.outcome is Outcome.MEMORY_COLLAPSES
    assert untold.cure == Outcome.MEMORY_COLLAPSES.cure


def test_a_trapezoidal_layer_keeps_the_contract():
    from timegrain import check_model

    result = check_model(TrapezoidalS6.of(layer("s6", **S6)), quick=True)
    assert result.outcome is Outcome.KEEPS_CONTRACT
