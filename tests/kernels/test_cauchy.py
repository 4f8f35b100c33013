"""Sums of fractions over conjugate pairs, against all fractions at once."""

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels.cauchy.sums import cauchy_pairs

FAST = pytest.mark.parametrize("backend", ["numba", "torch"])


def system(d=3, r=4, n=5, m=700, dtype=torch.complex128):
    """Poles left of the imaginary axis, some of them real, and nodes on a line right of it."""
    generator = torch.Generator().manual_seed(0)
    weights = torch.randn(d, r, n, generator=generator, dtype=torch.complex128)
    imaginary = 30 * torch.rand(d, n, generator=generator, dtype=torch.float64)
    imaginary[:, 0] = 0
    poles = torch.complex(-torch.rand(d, n, generator=generator, dtype=torch.float64), imaginary)
    nodes = torch.complex(torch.full((m,), 0.1).double(), torch.linspace(-40, 40, m).double())
    return weights.to(dtype), poles.to(dtype), nodes.to(dtype)


@FAST
@pytest.mark.parametrize("m", [1, 256, 700])
def test_values_and_gradients_match_all_fractions(backend, m):
    weights, poles, nodes = system(m=m)
    upstream = torch.randn(3, 4, m, generator=torch.Generator().manual_seed(1), dtype=weights.dtype)
    found = {}
    for name in (backend, "reference"):
        leaves = [t.clone().requires_grad_() for t in (weights, poles)]
        out = cauchy_pairs(*leaves, nodes, backend=name)
        out.backward(upstream)
        found[name] = [out.detach(), *(t.grad for t in leaves)]
    # a node is at least .1 and at most 80 from a pole: squares of fractions are off by 10 eps each
    for got, want in zip(found[backend], found["reference"], strict=True):
        scale = want.abs().max() * m**0.5
        assert (got - want).abs().max() < 100 * torch.finfo(torch.float64).eps * scale


@FAST
def test_gradcheck(backend):
    weights, poles, nodes = system(d=2, r=2, n=3, m=4)
    leaves = (weights.requires_grad_(), poles.requires_grad_())
    assert torch.autograd.gradcheck(lambda w, z: cauchy_pairs(w, z, nodes, backend=backend), leaves)


@FAST
def test_no_tensor_of_all_modes_and_nodes_is_made(backend):
    """2 x 64 x 12,000 complex numbers are 25 MB; torch's profiler sees every allocation."""
    weights, poles, nodes = system(d=2, r=1, n=64, m=12_000)
    leaves = (weights.requires_grad_(), poles.requires_grad_())
    with torch.profiler.profile(profile_memory=True) as profile:
        cauchy_pairs(*leaves, nodes, backend=backend).sum().abs().backward()
    largest = max(e.self_device_memory_usage or e.cpu_memory_usage for e in profile.events())
    assert largest < 2 * 64 * 12_000 * 16 / 2


def test_single_precision_comes_back_as_such():
    wide, narrow = system(), system(dtype=torch.complex64)
    out = cauchy_pairs(*narrow)
    assert out.dtype == torch.complex64
    # rounding of poles near nodes .1 away: 30 eps / .1
    want = cauchy_pairs(*wide)
    assert (out - want).abs().max() < 300 * torch.finfo(torch.float32).eps * want.abs().max()


def test_wrong_arguments_are_errors():
    weights, poles, nodes = system(m=3)
    with pytest.raises(LayoutError, match=r"cannot fit poles .*, got poles of shape \(3, 4\)"):
        cauchy_pairs(weights, poles[:, :4], nodes)
    with pytest.raises(ConfigError, match=r"complex numbers for nodes, got torch\.float64"):
        cauchy_pairs(weights, poles, nodes.real)
