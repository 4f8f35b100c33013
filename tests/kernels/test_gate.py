"""Values and gradients of the gate's backends against the formula in float64."""

import pytest
import torch

from timegrain.core.errors import LayoutError
from timegrain.kernels import silu_gate

BACKENDS = ("numba", "torch")


def problem(shape, dtype=torch.float64):
    """y, z (half of a wider tensor) and the gradient of the output."""
    b, length, d = shape
    generator = torch.Generator().manual_seed(0)
    y, wide, g = (
        torch.randn(b, length, n, generator=generator, dtype=torch.float32).to(dtype)
        for n in (d, 2 * d, d)
    )
    return y, 3 * wide[..., d:], g


def results(backend, y, z, g):
    y, z = (t.detach().requires_grad_() for t in (y, z))
    out = silu_gate(y, z, backend=backend)
    out.backward(g)
    return out.detach(), y.grad, z.grad


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 9, 16), (3, 5, 19)], ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_values_and_gradients_match_the_formula(backend, shape, dtype):
    tensors = problem(shape)
    exact = results("reference", *tensors)
    found = results(backend, *(t.to(dtype) for t in tensors))
    scale = max(float(t.abs().max()) for t in tensors) ** 3
    for got, want in zip(found, exact, strict=True):
        assert got.dtype == dtype
        # an exponential within 2 ulp, a quotient, and some six products and sums
        assert (got - want).abs().max() < 12 * torch.finfo(dtype).eps * scale


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradcheck(backend):
    y, z, _ = problem((2, 3, 3))
    inputs = [t.detach().requires_grad_() for t in (y, z)]
    assert torch.autograd.gradcheck(lambda y, z: silu_gate(y, z, backend=backend), inputs)


def test_a_gate_far_from_zero_is_open_or_shut():
    z = torch.tensor([[[-1e30, -200.0, 0.0, 200.0, 1e30]]], requires_grad=True)
    out = silu_gate(torch.ones(1, 1, 5), z, backend="numba")
    out.sum().backward()
    assert out.flatten().tolist() == [0.0, 0.0, 0.0, 200.0, torch.tensor(1e30).item()]
    assert z.grad.flatten().tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]


def test_every_number_is_written_and_threads_share_the_samples(poisoned):
    y, z, g = problem((4, 900, 35), torch.float32)
    exact = results("reference", y, z, g)
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        found = results("numba", y, z, g)
    finally:
        torch.set_num_threads(threads)
    assert len(poisoned) == 3
    for got, want in zip(found, exact, strict=True):
        assert (got - want).abs().max() < 1e-4


def test_half_precision_comes_back_as_it_was():
    y, z, _ = problem((1, 4, 8), torch.bfloat16)
    for backend in BACKENDS:
        wide = silu_gate(y.float(), z.float(), backend=backend)
        assert torch.equal(silu_gate(y, z, backend=backend), wide.to(torch.bfloat16))


def test_says_what_does_not_fit():
    with pytest.raises(LayoutError, match="fit z"):
        silu_gate(torch.zeros(2, 3, 4), torch.zeros(2, 3, 5))


def test_the_wider_dtype_is_kept_whichever_argument_has_it():
    y, z = torch.ones(1, 1, 2), torch.ones(1, 1, 2, dtype=torch.float64)
    assert silu_gate(y, z).dtype == silu_gate(z, y).dtype == torch.float64
    assert silu_gate(y.half(), z.float()).dtype == torch.float16
