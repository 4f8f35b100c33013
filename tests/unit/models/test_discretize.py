"""Discretisations by name, against closed forms."""

import itertools
import math

import pytest
import torch

from timegrain.models.discretize import DISCRETIZATIONS

every = pytest.mark.parametrize("rule", DISCRETIZATIONS.values(), ids=list(DISCRETIZATIONS))
MODES = torch.tensor([-0.5 + 3j, -0.02 + 0.3j, -4 + 0j, 0j], dtype=torch.complex128)
OMEGA = 1.3


def run(rule, n: int, stop: float = 4.0) -> torch.Tensor:
    """States of x' = lambda x + cos(OMEGA t), x(0) = 0, at n + 1 times up to `stop`."""
    dt = torch.tensor(stop / n, dtype=torch.float64)
    u = torch.cos(OMEGA * dt * torch.arange(n + 1))
    z = MODES * dt
    x, states = torch.zeros_like(MODES), []
    for k in range(n + 1):
        if rule.opens:
            if k:
                x = rule.decay(z) * x + rule.now(z, dt) * u[k] + rule.before(z, dt) * u[k - 1]
        else:
            x = rule.decay(z) * x + rule.now(z, dt) * u[k]
        states.append(x)
    return torch.stack(states)


def exact(n: int, stop: float = 4.0) -> torch.Tensor:
    t = (torch.arange(n + 1) * (stop / n)).double()[:, None]
    total = torch.zeros(n + 1, len(MODES), dtype=torch.complex128)
    for w in (1j * OMEGA, -1j * OMEGA):
        total += (torch.exp(w * t) - torch.exp(MODES * t)) / (w - MODES) / 2
    return total


@every
def test_the_declared_order_is_reached_on_a_smooth_input(rule):
    errors = [(run(rule, n) - exact(n))[:: n // 16].abs().amax(0) for n in (256, 512, 1024)]
    orders = [torch.log2(a / b) for a, b in itertools.pairwise(errors)]
    # The next term of the error is a share |lambda| dt of the first: 4 * 4/512 = 3 %.
    assert (orders[-1] - rule.order).abs().max() < 0.05


@every
def test_a_constant_input_leads_to_its_rest(rule):
    """x = -u / lambda, which every rule but euler_b has as its exact rest."""
    z, dt = MODES[:3] * 0.7, torch.tensor(0.7, dtype=torch.float64)
    weight = rule.now(z, dt) + (rule.before(z, dt) if rule.opens else 0)
    rest = weight / (1 - rule.decay(z))
    if rule.name == "euler_b":
        assert (rest + 1 / MODES[:3]).abs().max() > 0.1
    else:
        assert (rest * MODES[:3] + 1).abs().max() < 1e-14


@every
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128], ids=str)
def test_small_steps_have_their_limits(rule, dtype):
    eps = torch.finfo(dtype).eps
    dt = torch.tensor([0.0, 1e-30, 1e-8, 1e-3], dtype=torch.float64)
    z = torch.tensor(-0.5 + 3j, dtype=torch.complex128) * dt
    narrow = rule.now(z.to(dtype), dt.to(z.to(dtype).real.dtype))
    assert (narrow - rule.now(z, dt)).abs().le(8 * eps * dt).all()
    share = 0.5 if rule.opens else 1.0
    # |z| <= .003
    assert ((rule.now(z, dt) - share * dt).abs() <= 4e-3 * dt).all()
    assert rule.decay(z)[0] == 1 and rule.now(z, dt)[0] == 0
    if rule.opens:
        assert rule.before(z, dt)[0] == 0


@every
def test_the_logarithm_is_that_of_the_factor(rule):
    z = torch.cat([MODES * 0.9, torch.tensor([-2.0 + 0j, -7.0 + 0j, -1e-9 + 1e-7j]).to(MODES)])
    gap = (torch.exp(rule.log_decay(z)) - rule.decay(z)).abs()
    assert gap.max() < 4 * torch.finfo(torch.float64).eps


@every
@pytest.mark.parametrize("scale", [1e-3, 0.3, 1.0, 30.0])
def test_gradcheck(rule, scale):
    z = (scale * torch.tensor([-0.5 + 0.7j, -1.0 + 0.1j], dtype=torch.complex128)).requires_grad_()
    dt = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)

    def weights(z, dt):
        own = (rule.decay(z), rule.log_decay(z), rule.now(z, dt))
        return (*own, rule.before(z, dt)) if rule.opens else own

    assert torch.autograd.gradcheck(weights, (z, dt))


def test_foh_is_exact_for_an_input_that_is_linear_between_samples():
    rule, dt = DISCRETIZATIONS["foh"], 1.7
    for lam in (-1.3, -1e-4):
        z, step = torch.tensor([lam * dt, dt], dtype=torch.float64)
        # x' = lambda x + 1 + t from x(0) = 1
        driven = rule.before(z, step) + rule.now(z, step) * (1 + dt)
        series = (lam**k * dt ** (k + 1) / math.factorial(k + 1) for k in range(30))
        rising = (lam**k * dt ** (k + 2) / math.factorial(k + 2) for k in range(30))
        want = math.exp(lam * dt) + sum(series) + sum(rising)
        assert abs(rule.decay(z) + driven - want) < 1e-14
