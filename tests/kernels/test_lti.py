"""The kernel of a diagonal state space and the causal convolution, against their loops."""

import math

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import lti_conv, s4d_kernel

COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def modes(d, n, dtype=torch.float64, seed=0):
    """S4D-Lin at steps from .001 to .1, and random weights."""
    generator = torch.Generator().manual_seed(seed)
    delta = torch.logspace(-3, -1, d, dtype=torch.float64).unsqueeze(-1)
    lam = torch.complex(torch.full((n,), -0.5).double(), math.pi * torch.arange(n).double())
    weight = torch.randn(d, n, generator=generator, dtype=torch.complex128)
    return (delta * lam).to(COMPLEX[dtype]), weight.to(COMPLEX[dtype])


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("length", [1, 2, 3, 16, 37, 4097])
def test_kernel_matches_the_loop(length, dtype):
    exponent, weight = modes(3, 5, dtype)
    got = s4d_kernel(exponent, weight, length)
    wide = exponent.to(torch.complex128), weight.to(torch.complex128)
    want = s4d_kernel(*wide, length, backend="reference")
    assert got.dtype == dtype and got.shape == (3, length)
    # Powers are taken in float64: their phase is off by |exponent| l eps64 / 2. Then a few
    # roundings in dtype for each factor and product, and n = 5 to add up.
    phase = exponent.abs().max() * length * torch.finfo(torch.float64).eps
    bound = 2 * weight.abs().sum(1) * (phase + 10 * torch.finfo(dtype).eps)
    assert ((got - want).abs() <= bound.unsqueeze(-1)).all()


def test_kernel_makes_no_tensor_of_all_modes_and_samples():
    """2 x 64 x 100,000 complex numbers would be 205 MB; torch's profiler sees every allocation."""
    exponent, weight = modes(2, 64, torch.float64)
    with torch.profiler.profile(profile_memory=True) as profile:
        s4d_kernel(exponent, weight, 100_000)
    total = sum(max(0, e.self_device_memory_usage or e.cpu_memory_usage) for e in profile.events())
    assert total < 2 * 64 * 100_000 * 16 / 8


def test_kernel_gradcheck():
    exponent, weight = (t.requires_grad_() for t in modes(2, 3))
    assert torch.autograd.gradcheck(lambda e, w: s4d_kernel(e, w, 11), (exponent, weight))


def test_kernel_gradients_match_the_loop_for_long_kernels():
    upstream = torch.randn(3, 500, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    grads = {}
    for backend in ("torch", "reference"):
        leaves = [t.requires_grad_() for t in modes(3, 5)]
        s4d_kernel(*leaves, 500, backend=backend).backward(upstream)
        grads[backend] = [t.grad for t in leaves]
    for got, want in zip(grads["torch"], grads["reference"], strict=True):
        # sums of 500 terms whose phase is off by at most |exponent| l eps = 785 eps
        scale = want.abs().max()
        assert (got - want).abs().max() < 2000 * torch.finfo(torch.float64).eps * scale


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize(("length", "taps"), [(1, 1), (37, 37), (37, 5), (5, 37), (1000, 1000)])
def test_convolution_matches_the_loop(length, taps, dtype):
    generator = torch.Generator().manual_seed(0)
    u = torch.randn(2, length, 3, generator=generator, dtype=dtype)
    K = torch.randn(3, taps, generator=generator, dtype=dtype)
    upstream = torch.randn(2, length, 3, generator=generator, dtype=torch.float64)
    found = {}
    for backend, kind in (("torch", dtype), ("reference", torch.float64)):
        leaves = [t.detach().to(kind).requires_grad_() for t in (u, K)]
        y = lti_conv(*leaves, backend=backend)
        y.backward(upstream.to(kind))
        found[backend] = [y.detach(), *(t.grad for t in leaves)]
    # An FFT of N points is off by about eps log2 N in the 2-norm; three of them. The gradient to K
    # adds up two sequences. Norms bound the largest error.
    assert found["torch"][0].dtype == dtype
    eps = 3 * torch.finfo(dtype).eps * (math.log2(length + taps) + 2)
    norms = (
        u.norm(dim=1).max() * K.norm(dim=1).max(),
        upstream.norm(dim=1).max() * K.norm(dim=1).max(),
        2 * upstream.norm(dim=1).max() * u.norm(dim=1).max(),
    )
    for got, want, norm in zip(found["torch"], found["reference"], norms, strict=True):
        assert (got - want).abs().max() < eps * norm


def test_convolution_is_causal_and_gradcheck_passes():
    u = torch.zeros(1, 20, 2, dtype=torch.float64)
    u[0, 7, 1] = 1
    K = torch.rand(2, 20, dtype=torch.float64) + 1
    y = lti_conv(u, K)
    assert y[0, :7].abs().max() < 1e-14 and y[0, :, 0].abs().max() == 0
    assert torch.allclose(y[0, 7:, 1], K[1, :13], rtol=1e-14)
    leaves = [torch.rand(2, 6, 2).double().requires_grad_(), torch.rand(2, 6).double()]
    leaves[1].requires_grad_()
    assert torch.autograd.gradcheck(lti_conv, leaves)


def test_half_precision_is_computed_in_float32():
    u, K = torch.randn(1, 50, 2).bfloat16(), torch.randn(2, 50).bfloat16()
    y = lti_conv(u, K)
    assert y.dtype == torch.bfloat16
    assert torch.equal(y, lti_conv(u.float(), K.float()).bfloat16())


def test_wrong_arguments_are_errors():
    exponent, weight = modes(2, 3)
    with pytest.raises(LayoutError, match=r"cannot fit weight .*, got weight of shape \(2, 2\)"):
        s4d_kernel(exponent, weight[:, :2], 5)
    with pytest.raises(ConfigError, match=r"complex numbers for weight, got torch\.float64"):
        s4d_kernel(exponent, weight.real, 5)
    for length in (0, -3, 2.0, True, 10**12, 10**30):
        with pytest.raises(ConfigError, match="needs a length"):
            s4d_kernel(exponent, weight, length)
    with pytest.raises(LayoutError, match=r"(?s)fit K.*expected \(d=3 of u, k\)"):
        lti_conv(torch.zeros(2, 5, 3), torch.zeros(5, 4))
    with pytest.raises(LayoutError, match=r"Try K\.mT"):
        lti_conv(torch.zeros(2, 5, 3), torch.zeros(4, 3))
    with pytest.raises(ConfigError, match=r"floating-point numbers for u, got torch\.int64"):
        lti_conv(torch.zeros(2, 5, 3, dtype=torch.long), torch.zeros(3, 5))
