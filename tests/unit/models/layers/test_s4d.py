import math

import numpy as np
import pytest
import torch

from timegrain.core.errors import ConfigError, GridError, LayoutError
from timegrain.models import S4D, build_layer
from timegrain.models.discretize import DISCRETIZATIONS
from timegrain.models.hippo import legs
from timegrain.models.state import map_state, state_tensors


def signal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def test_convolution_and_scan_agree():
    conv = build_layer("s4d", d_model=5, seed=1, form="conv").double()
    scan = build_layer("s4d", d_model=5, seed=1, form="scan").double()
    x, lengths = signal(3, 1000, 5), torch.tensor([1000, 613, 2])
    _, start = scan.scan(signal(3, 10, 5, seed=1))
    for tau in (0.125, 1.0, 4.0):
        for state in (None, start):
            y, after = conv.scan(x, state, tau=tau, lengths=lengths)
            expected, expected_after = scan.scan(x, state, tau=tau, lengths=lengths)
            for row, length in enumerate(lengths):
                error = (y - expected)[row, :length].abs().max()
                assert error < 1e-10 * expected.abs().max()
            assert (after - expected_after).abs().max() < 1e-10 * expected_after.abs().max()


@pytest.mark.parametrize("form", ["conv", "scan"])
@pytest.mark.parametrize("tau", [1.0, 0.01, 7.0])
def test_one_mode_answers_a_step_as_its_equation_says(form, tau):
    layer = S4D(1, n_pairs=1, skip=False, form=form).double()
    with torch.no_grad():
        layer.frequency.fill_(2.0)
    mode, weight = layer.modes[0, 0].item(), complex(*layer.C[0, 0].tolist())
    y = layer(torch.ones(1, 200, 1, dtype=torch.float64), tau)[0, :, 0].detach().numpy()
    # x' = lambda x + 1 from rest; sample k is held over the step that ends at its update.
    t = layer.log_dt.exp().item() * tau * np.arange(1, 201)
    np.testing.assert_allclose(y, 2 * np.real(weight * np.expm1(mode * t) / mode), atol=1e-12)


def test_held_input_gives_the_same_state_however_the_time_is_cut():
    layer = build_layer("s4d", d_model=2, seed=0, skip=False).double()
    cuts = torch.tensor([[0.1, 2.0, 0.4, 1.5]], dtype=torch.float64)
    irregular = layer(torch.ones(1, 4, 2, dtype=torch.float64), cuts)[0, -1]
    one = layer(torch.ones(1, 1, 2, dtype=torch.float64), float(cuts.sum()))[0, -1]
    torch.testing.assert_close(irregular, one, rtol=1e-12, atol=1e-13)


def test_starts_as_the_paper_says():
    layer = build_layer("s4d", d_model=400, seed=0)
    modes = layer.modes.detach()
    torch.testing.assert_close(modes.real, torch.full((400, 32), -0.5))
    torch.testing.assert_close(modes.imag[7], math.pi * torch.arange(32.0))
    dt = layer.log_dt.exp().detach()
    assert dt.min() >= 0.001
    assert dt.max() <= 0.1
    # Log-uniform on two decades: the mean of 400 draws has standard error 1/sqrt(3 * 400).
    assert dt.log10().mean().item() == pytest.approx(-2.0, abs=4 / (3 * 400) ** 0.5)
    assert layer.C.shape == (400, 32, 2)
    # Variance 1 in total; 12,800 complex draws, standard error of the mean square 1/sqrt(12,800).
    square = layer.C.detach().square().sum(-1).mean().item()
    assert square == pytest.approx(1.0, abs=4 / 12800**0.5)


def test_parameters_are_real_and_counted():
    layer = S4D(64)
    assert not any(p.is_complex() for p in layer.parameters())
    assert sum(p.numel() for p in layer.parameters()) == 64 * (1 + 32 * 4 + 1)
    assert sum(p.numel() for p in S4D(64, skip=False).parameters()) == 64 * (1 + 32 * 4)
    assert sum(p.numel() for p in layer.dynamics_parameters()) == 64 * (1 + 32 * 2)


def test_the_skip_term_is_all_that_skip_removes():
    with_skip = build_layer("s4d", d_model=3, seed=0).double()
    without = build_layer("s4d", d_model=3, seed=0, skip=False).double()
    x = signal(1, 20, 3)
    torch.testing.assert_close(with_skip(x), without(x) + with_skip.D * x)


def test_a_long_float32_convolution_keeps_its_phase():
    layer = build_layer("s4d", d_model=4, seed=0)
    x = signal(1, 8192, 4)
    exact = build_layer("s4d", d_model=4, seed=0).double()(x)
    # A phase of 10 radians a step, rounded once a step: 10 eps a step, over a memory of 1/(Delta/2)
    # at most 2,000 steps, adding like a random walk.
    tolerance = 10 * torch.finfo(torch.float32).eps * 2000**0.5
    assert (layer(x.float()) - exact).abs().max() / exact.abs().max() < tolerance


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_pairs": 0}, "n_pairs is a whole number, got 0"),
        ({"n_pairs": 2.0}, "n_pairs is a whole number, got 2.0"),
        ({"dt_min": 0.0}, "0 < dt_min <= dt_max"),
        ({"dt_min": 0.2}, "dt_min=0.2, dt_max=0.1"),
        ({"init": "hippo"}, "init is unknown, got 'hippo', expected one of lin, inv, legs, real"),
        ({"init": "legs", "n_pairs": 513}, "got 1026 states, expected at most 1024"),
        ({"discretization": "euler"}, "expected one of zoh, bilinear, euler_b, foh, trapezoidal"),
        ({"form": "fft"}, "form is unknown, got 'fft', expected one of auto, conv, scan"),
    ],
)
def test_options_outside_their_domain(options, message):
    with pytest.raises(ConfigError, match=message):
        S4D(4, **options)


def test_calls_that_cannot_be_answered():
    with pytest.raises(ConfigError, match="d_model is a whole number"):
        S4D(0)
    with pytest.raises(ConfigError, match="a convolution has one step"):
        S4D(4, form="conv")(torch.zeros(2, 5, 4), torch.ones(2))
    with pytest.raises(LayoutError, match=r"got shape \(2, 5, 3\), expected .* with 4 channels"):
        S4D(4)(torch.zeros(2, 5, 3))
    with pytest.raises(LayoutError, match="no empty axis"):
        S4D(4)(torch.zeros(2, 0, 4))
    with pytest.raises(LayoutError, match=r"expected \(batch, channel\)"):
        S4D(4).step(torch.zeros(2, 5, 4))
    with pytest.raises(GridError, match="tau"):
        S4D(4)(torch.zeros(2, 5, 4), 0.0)


RULES = pytest.mark.parametrize(
    "discretization", ["zoh", "bilinear", "euler_b", "foh", "trapezoidal"]
)


@RULES
@pytest.mark.parametrize("init", ["lin", "real"])
def test_every_discretisation_gives_the_same_by_convolution_scan_and_steps(init, discretization):
    options = {"d_model": 3, "seed": 1, "n_pairs": 4, "dt_max": 2.0}
    options |= {"init": init, "discretization": discretization}
    conv = build_layer("s4d", form="conv", **options).double()
    scan = build_layer("s4d", form="scan", **options).double()
    x, lengths = signal(3, 90, 3), torch.tensor([90, 41, 0])
    for start in (None, conv.scan(signal(3, 7, 3), tau=0.5)[1]):
        y, after = conv.scan(x, start, tau=0.5, lengths=lengths)
        expected, expected_after = scan.scan(x, start, tau=0.5, lengths=lengths)
        scale = expected.abs().max()
        for row in (0, 1):
            assert (y - expected)[row, : lengths[row]].abs().max() < 1e-12 * scale
        pairs = zip(state_tensors(after), state_tensors(expected_after), strict=True)
        assert all((a - b).abs().max() < 1e-12 * max(1, b.abs().max()) for a, b in pairs)
        state = None if start is None else map_state(lambda t: t[:1], start)
        for k in range(20):
            y_k, state = conv.step(x[:1, k], state, tau=0.5)
            assert (y_k - expected[:1, k]).abs().max() < 1e-12 * scale


@RULES
def test_a_real_system_is_that_of_its_equation(discretization):
    layer = build_layer(
        "s4d", d_model=1, n_pairs=1, seed=0, init="real", skip=False, discretization=discretization
    ).double()
    rule, x = DISCRETIZATIONS[discretization], signal(1, 30, 1)
    dt = layer.log_dt.exp().detach()
    z, states, want = -layer.log_decay.detach().exp()[0] * dt, torch.zeros(2).double(), []
    for k in range(30):
        if not rule.opens:
            states = rule.decay(z) * states + rule.now(z, dt) * x[0, k]
        elif k:
            states = rule.decay(z) * states + rule.now(z, dt) * x[0, k]
            states = states + rule.before(z, dt) * x[0, k - 1]
        want.append(layer.C.detach()[0] @ states)
    want = torch.stack(want)
    assert (layer(x)[0, :, 0] - want).abs().max() < 1e-13 * want.abs().max()


def test_inits_are_those_of_the_paper():
    make = lambda init: build_layer("s4d", d_model=300, n_pairs=8, seed=0, init=init)  # noqa: E731
    n = torch.arange(8)
    inv = make("inv").modes[3].detach()
    assert torch.allclose(inv.real, torch.tensor(-0.5))
    assert torch.allclose(inv.imag, 16 / math.pi * (16 / (2 * n + 1) - 1), rtol=1e-6)
    # the asymptotics that S4D-Inv approximates: within a tenth for the fastest mode
    fastest = make("legs").modes[0].imag.max().item()
    assert fastest == pytest.approx(inv.imag.max().item(), rel=0.1)
    form = legs(8)
    layer = make("legs")
    assert torch.allclose(layer.modes[5].detach().imag.double(), torch.tensor(form.poles.imag))
    spread = layer.C.detach().square().sum(-1).mean(0).sqrt()
    # 300 complex draws of variance (B/2)^2: standard error of a root mean square 1/(2 sqrt 300)
    assert torch.allclose(spread.double(), torch.tensor(form.P) / 2**0.5, rtol=4 / (2 * 300**0.5))
    with torch.device("meta"):  # as sizes are counted before memory is taken
        assert make("legs").C.shape == (300, 8, 2)
    real = make("real")
    assert torch.allclose(real.modes[0].detach().real, -torch.arange(1.0, 17))
    assert real.C.shape == (300, 16) and "frequency" not in dict(real.named_parameters())
    assert sum(p.numel() for p in real.parameters()) == 300 * (2 + 16 * 2)
