import itertools
import math

import numpy as np
import pytest
import scipy.linalg
import torch

from timegrain.core.errors import ConfigError
from timegrain.models import S4, build_layer
from timegrain.models.state import state_tensors

PAIR = pytest.mark.parametrize("init", ["legs", "fout"])
RULE = pytest.mark.parametrize("discretization", ["bilinear", "trapezoidal"])


def signal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def randomised(**options):
    """A layer whose parameters are far from where they start."""
    layer = build_layer("s4", d_model=3, seed=1, **{"n_state": 8, **options}).double()
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter += 0.3 * signal(*parameter.shape, seed=parameter.numel())
    return layer


def dense(layer, channel):
    """A, B, C of one channel, over both of each pair."""
    both = lambda t: np.concatenate([t, t.conj()])  # noqa: E731
    modes, P, B, C = (
        both(t[channel].detach().numpy())
        for t in (layer.modes, *(torch.view_as_complex(w) for w in (layer.P, layer.B, layer.C)))
    )
    return np.diag(modes) - np.outer(P, P.conj()), B, C


@PAIR
@RULE
@pytest.mark.parametrize("tau", [1.0, 0.25, 6.0])
def test_convolution_and_scan_equal_the_dense_system(init, discretization, tau):
    layer = randomised(init=init, discretization=discretization, skip=False)
    x = signal(1, 60, 3)
    want = np.empty((60, 3))
    for d in range(3):
        A, B, C = dense(layer, d)
        h = tau * layer.log_dt[d].exp().item() / 2
        left, right = np.eye(8) - h * A, np.eye(8) + h * A
        state, u = np.zeros(8, complex), x[0, :, d].numpy()
        for k in range(60):
            if discretization == "bilinear":
                state = np.linalg.solve(left, right @ state + 2 * h * B * u[k])
            elif k:
                state = np.linalg.solve(left, right @ state + h * B * (u[k] + u[k - 1]))
            want[k, d] = (C @ state).real
    for got in (layer(x, tau), layer.scan(x, tau=tau)[0]):
        assert abs(got[0].detach().numpy() - want).max() < 1e-12 * abs(want).max()


@RULE
def test_outputs_converge_to_the_differential_equation_at_the_declared_order(discretization):
    """Against `expm` of the system and its input, cos(w t), which is exact.

    What is left of the error when its series in the step is taken out term by term (Richardson;
    that of the trapezoidal rule has even powers only) is the product of the steps, all below
    .05 * 15 / 4 beside the fastest mode: far below 1e-8.
    """
    layer = randomised(discretization=discretization, skip=False)
    layer.log_dt.data.fill_(math.log(0.05))
    omega = 0.2
    A, B, C = dense(layer, 0)
    turn = np.array([[0, -omega], [omega, 0]])
    whole = np.block([[0.05 * A, 0.05 * B[:, None], np.zeros((8, 1))], [np.zeros((2, 8)), turn]])
    second, state, exact = scipy.linalg.expm(whole), np.append(np.zeros(8), [1.0, 0.0]), []
    for _ in range(16):
        state = second @ state
        exact.append((C @ state[:8]).real)
    outputs = []
    for level in range(2, 9):
        t = torch.arange(16 * 2**level + 1) / 2**level
        with torch.no_grad():
            y = layer(torch.cos(omega * t.double())[None, :, None].expand(1, -1, 3), 2.0**-level)
        outputs.append(y[0, 2**level :: 2**level, 0].numpy())
    errors = [np.abs(y - exact).max() for y in outputs]
    # at levels 5 and 6 the next term is a share .05 * 15 / 64 of the first
    assert math.log2(errors[3] / errors[4]) == pytest.approx(layer.order, abs=0.05)
    power = layer.order
    while len(outputs) > 1:
        outputs = [b + (b - a) / (2**power - 1) for a, b in itertools.pairwise(outputs)]
        power += layer.order
    np.testing.assert_allclose(outputs[0], exact, atol=1e-8 * np.abs(exact).max(), rtol=0)


@PAIR
def test_a_long_float32_convolution_is_as_precise_as_its_parameters(init):
    layer = build_layer("s4", d_model=2, seed=0, init=init, skip=False)
    x = signal(1, 16384, 2)
    with torch.no_grad():
        narrow, exact = layer(x.float()), layer.double()(x)
    # Kernel to 1e-9 and rounded to eps; an FFT of 2^15 points is off by eps log2(2^15) in the
    # 2-norm, three of them; exp, sqrt and products of parameters are rounded a few times.
    pulse = torch.eye(1, 16384).double()[:, :, None].expand(1, -1, 2)
    norms = x.norm(dim=1).max() * layer(pulse).detach().norm(dim=1).max()
    assert (narrow - exact).abs().max() < 60 * torch.finfo(torch.float32).eps * norms


@RULE
def test_scanning_in_parts_of_many_sizes_with_ragged_lengths(discretization):
    layer, x = randomised(discretization=discretization), signal(3, 40, 3)
    steps, lengths = signal(3, 40, seed=1).exp(), torch.tensor([40, 11, 0])
    whole, last = layer.scan(x, tau=steps, lengths=lengths)
    first, state = layer.scan(x[:, :15], tau=steps[:, :15], lengths=lengths.clamp(max=15))
    later = (lengths - 15).clamp(min=0)
    second, state = layer.scan(x[:, 15:], state, tau=steps[:, 15:], lengths=later)
    assert (torch.cat([first, second], 1)[0] - whole[0]).abs().max() < 1e-12
    assert (first[1, :11] - whole[1, :11]).abs().max() < 1e-12
    for a, b in zip(state_tensors(state), state_tensors(last), strict=True):
        assert (a - b).abs().max() < 1e-12
    # the sequence that had no sample yet begins with the next one
    alone = layer.scan(x[2:, :9])[0]
    late = layer.scan(x[:, :9], state)[0]
    assert (late[2] - alone[0]).abs().max() < 1e-12


def test_nothing_makes_it_unstable():
    layer = S4(4, n_state=6, skip=False)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.copy_(10 * signal(*parameter.shape, seed=parameter.numel()))
        layer.log_dt.clamp_(max=3.0)
        bound = layer(torch.randn(1, 2000, 4), 0.5)
    assert torch.isfinite(bound).all()
    late = layer.scan(torch.cat([torch.ones(1, 1, 4), torch.zeros(1, 2000, 4)], 1))[1]
    early = layer.scan(torch.ones(1, 1, 4))[1]
    assert (late.square().sum((-2, -1)) <= early.square().sum((-2, -1))).all()


def test_starts_as_the_papers_say():
    layer = build_layer("s4", d_model=100, seed=0)
    assert layer.C.shape == layer.P.shape == (100, 32, 2)
    assert torch.allclose(layer.modes.real, torch.tensor(-0.5))
    assert layer.B.max() == 2 and torch.allclose(layer.B[:, :16], 2**0.5 * layer.P[:, :16])
    assert (
        layer.order == 1 and build_layer("s4", d_model=1, discretization="trapezoidal").order == 2
    )
    square = layer.C.detach().square().sum(-1).mean().item()
    assert square == pytest.approx(1.0, abs=4 / 3200**0.5)
    assert sum(p.numel() for p in layer.parameters()) == 100 * (2 + 32 * 8)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_state": 7}, "n_state counts conjugate pairs twice, got 7, expected even"),
        ({"n_state": 0}, "n_state is a whole number, got 0"),
        ({"n_state": 10**12}, r"got 1000000000000, expected 2\.\.1024"),
        ({"init": "lin"}, "init is unknown, got 'lin', expected one of legs, fout"),
        ({"discretization": "zoh"}, "expected one of bilinear, trapezoidal"),
    ],
)
def test_options_outside_their_domain(options, message):
    with pytest.raises(ConfigError, match=message):
        S4(4, **options)
