"""Values and gradients of the time scale's backends against exact arithmetic."""

import math

import pytest
import torch

from timegrain.core.errors import LayoutError
from timegrain.kernels import explain, softplus_steps

BACKENDS = ("numba", "torch")


def problem(shape, dtype=torch.float64):
    """x from -30 to 50, the ratios, one of them zero, and the gradient of the output."""
    b, length, d = shape
    generator = torch.Generator().manual_seed(0)
    x, g = (torch.rand(b, length, d, generator=generator) for _ in range(2))
    ratio = torch.rand(b, length, generator=generator)
    ratio[0, 0] = 0
    return tuple(t.to(dtype) for t in (80 * x - 30, ratio, g))


def results(backend, x, ratio, g):
    x = x.detach().requires_grad_()
    y = softplus_steps(x, ratio, backend=backend)
    y.backward(g)
    return y.detach(), x.grad


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32], ids=["float64", "float32"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 9, 16), (3, 5, 19)], ids=str)
@pytest.mark.parametrize("told", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_small_values_are_as_precise_as_large_ones(backend, told, shape, dtype):
    x, ratio, g = (t.to(dtype) for t in problem(shape, torch.float32))
    y, slope = results(backend, x, ratio if told else None, g)
    for got, want, at, s, up in zip(
        y.flatten().tolist(),
        slope.flatten().tolist(),
        x.flatten().tolist(),
        (ratio[..., None] if told else torch.ones(())).expand(shape).flatten().tolist(),
        g.flatten().tolist(),
        strict=True,
    ):
        # 2 ulp of the exponential, 1 of the series, and some three products, sums and quotients
        close = {"rel": 8 * torch.finfo(dtype).eps, "abs": 0}
        exact = max(at, 0) + math.log1p(math.exp(-abs(at)))
        assert got == pytest.approx(s * exact, **close)
        assert want == pytest.approx(up * s / (1 + math.exp(-at)), **close)


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradcheck(backend):
    x, ratio, _ = problem((2, 3, 3))
    x = (x / 10).requires_grad_()
    assert torch.autograd.gradcheck(lambda x: softplus_steps(x, ratio, backend=backend), [x])


def test_a_gradient_to_the_ratio_takes_the_torch_form():
    x, ratio, _ = problem((2, 3, 3))
    ratio.requires_grad_()
    softplus_steps(x, ratio).sum().backward()
    assert torch.allclose(ratio.grad, torch.nn.functional.softplus(x, threshold=40).sum(-1))
    assert "ratio needs a gradient" in explain()["softplus_steps"].rejected["numba"]


def test_extremes():
    x = torch.tensor([[[-math.inf, -1e30, -100.0, 0.0, 1e30, math.inf, math.nan]]])
    y = softplus_steps(x, backend="numba").flatten().tolist()
    assert y[:2] == [0.0, 0.0]
    assert 0 <= y[2] < 1e-37
    assert y[3] == pytest.approx(math.log(2), rel=1e-7)
    assert y[4:6] == [x[0, 0, 4].item(), math.inf]
    assert math.isnan(y[6])


def test_every_number_is_written_and_threads_share_the_samples(poisoned):
    x, ratio, g = problem((4, 900, 35), torch.float32)
    exact = results("torch", x, ratio, g)
    threads = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        found = results("numba", x, ratio, g)
    finally:
        torch.set_num_threads(threads)
    assert len(poisoned) == 2
    for got, want in zip(found, exact, strict=True):
        assert (got - want).abs().max() < 1e-5 * want.abs().max()


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_slope_at_zero_is_a_half(backend):
    x = torch.tensor([[[0.0, -0.0]]], dtype=torch.float64)
    assert results(backend, x, None, torch.ones_like(x))[1].tolist() == [[[0.5, 0.5]]]


def test_says_what_does_not_fit():
    with pytest.raises(LayoutError, match="fit ratio"):
        softplus_steps(torch.zeros(2, 3, 4), torch.zeros(2, 4))
