"""The factors of a step with held inputs: compiled gradients against torch's own."""

import math

import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.kernels.mimo.zoh.factors import zoh_factors

EPS = torch.finfo(torch.float64).eps


def parameters(p, d):
    """Steps from .001 to 10, so that both forms of the slope are met; the first pole is 0."""
    generator = torch.Generator().manual_seed(0)
    log_dt = torch.linspace(math.log(0.001), math.log(10.0), p).double()
    log_decay = torch.linspace(-2, 1, p).double()
    frequency = 4 * torch.randn(p, generator=generator, dtype=torch.float64)
    log_decay[0], frequency[0] = -800.0, 0.0
    return [log_dt, log_decay, frequency, torch.randn(p, d, 2, generator=generator).double()]


def outcome(backend, tensors):
    leaves = [t.clone().requires_grad_() for t in tensors]
    u = torch.zeros(1, 1, leaves[-1].shape[1], dtype=torch.float64)
    found = zoh_factors(*leaves, u=u, ratio=1.5, backend=backend)
    torch.autograd.backward(found, [t.detach().cos() for t in found])
    return [*(t.detach() for t in found), *(t.grad for t in leaves)]


def test_values_are_those_of_torch_and_gradients_agree():
    tensors = parameters(11, 3)
    tensors[3] = tensors[3].transpose(0, 1).contiguous().transpose(0, 1)  # of another layout
    found, torch_ = outcome("numba", tensors), outcome("torch", tensors)
    assert all(torch.equal(got, want) for got, want in zip(found[:2], torch_[:2], strict=True))
    wanted = outcome("reference", tensors)
    for got, same, want in zip(found, torch_, wanted, strict=True):
        # beyond |z| = .35 cancellation costs a factor of ten in the slope; sums of 3 channels
        bound = 10 * 16 * EPS * max(1.0, float(want.abs().max()))
        assert (got - want).abs().max() <= bound and (same - want).abs().max() <= bound


def test_second_derivatives_are_refused_with_the_way_out():
    leaf, *rest = (t.requires_grad_() for t in parameters(2, 1))
    decay, _ = zoh_factors(leaf, *rest, u=torch.zeros(1, 1, 1))
    with pytest.raises(ConfigError, match=r"first derivatives only[\s\S]*use_backend"):
        torch.autograd.grad(decay.real.sum(), leaf, create_graph=True)


def test_an_input_with_a_tangent_takes_the_torch_form():
    u = torch.zeros(1, 1, 1, dtype=torch.float64)
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(u, u)
        with pytest.raises(ConfigError, match="u has a forward-mode derivative"):
            zoh_factors(*parameters(2, 1), u=dual, backend="numba")
