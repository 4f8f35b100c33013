"""Values and gradients of the short convolution's backends against the float64 loop."""

import math

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import explain, short_convolution

BACKENDS = ("numba", "torch")
WIDTH = 4


def problem(shape, dtype=torch.float64, seed=0, *, past=True):
    """u (half of a wider tensor), weight, bias, the samples before, and the gradient of y."""
    b, length, d = shape
    generator = torch.Generator().manual_seed(seed)

    def normal(*size):
        return torch.randn(*size, generator=generator, dtype=torch.float32).to(dtype)

    wide = normal(b, length, 2 * d)
    tensors = [wide[..., d:], normal(d, WIDTH), normal(d), normal(b, WIDTH - 1, d)]
    return (tensors if past else [*tensors[:3], None]), normal(b, length, d)


def results(backend, tensors, upstream, activation="silu"):
    tensors = [None if t is None else t.detach().requires_grad_() for t in tensors]
    u, weight, bias, before = tensors
    y = short_convolution(u, weight, bias, before=before, activation=activation, backend=backend)
    y.backward(upstream)
    return [y.detach(), *(t.grad for t in tensors if t is not None)]


# Lengths within the filter's reach, of one piece, and of several; channels of whole vectors and not
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 3, 8), (2, 600, 19)], ids=str)
@pytest.mark.parametrize("past", [True, False])
@pytest.mark.parametrize("backend", BACKENDS)
def test_values_and_gradients_match_the_loop(backend, shape, past):
    tensors, upstream = problem(shape, past=past)
    exact = results("reference", tensors, upstream)
    found = results(backend, tensors, upstream)
    # A sum of n numbers of size one errs by eps sqrt(n); 32 covers the few roundings of each.
    tolerance = 32 * torch.finfo(torch.float64).eps * math.sqrt(shape[0] * shape[1] + WIDTH)
    for got, want in zip(found, exact, strict=True):
        assert (got - want).abs().max() < tolerance * max(1.0, want.abs().max())


def test_float32_is_as_precise_as_float32_can_be():
    tensors, upstream = problem((2, 300, 19))
    exact = results("reference", tensors, upstream)
    single = [t.float() for t in tensors]
    for got, want in zip(results("numba", single, upstream.float()), exact, strict=True):
        bound = 32 * torch.finfo(torch.float32).eps * math.sqrt(600)
        assert got.dtype == torch.float32
        assert (got - want).abs().max() < bound * max(1.0, want.abs().max())


def test_without_an_activation_and_without_a_bias_it_is_a_convolution():
    (u, weight, _, _), upstream = problem((2, 30, 5), past=False)
    ours = results("numba", [u, weight, None, None], upstream, None)
    u, weight = u.detach().requires_grad_(), weight.detach().requires_grad_()
    y = torch.nn.functional.conv1d(u.mT, weight[:, None], padding=WIDTH - 1, groups=5)
    y = y[..., :30].mT
    y.backward(upstream)
    for got, want in zip(ours, (y.detach(), u.grad, weight.grad), strict=True):
        assert (got - want).abs().max() < 1e-13


@pytest.mark.parametrize("backend", BACKENDS)
def test_gradcheck(backend):
    tensors, _ = problem((2, 5, 3))

    def call(u, weight, bias, before):
        return short_convolution(u, weight, bias, before=before, activation="silu", backend=backend)

    assert torch.autograd.gradcheck(call, [t.detach().requires_grad_() for t in tensors])


def test_large_inputs_stay_finite_and_nan_stays_where_it_is():
    (u, weight, bias, _), upstream = problem((1, 40, 8), past=False)
    large = results("numba", [u * 1e30, weight, bias, None], upstream)
    assert all(torch.isfinite(t).all() for t in large)
    u = u.clone()
    u[0, 20] = math.nan
    y = short_convolution(u, weight, bias, activation="silu")
    assert torch.isfinite(y[0, :20]).all()
    assert y[0, 20 : 20 + WIDTH].isnan().all()
    assert torch.isfinite(y[0, 20 + WIDTH :]).all()


def test_every_number_is_written(poisoned):
    for past in (True, False):
        tensors, upstream = problem((2, 300, 19), past=past)
        assert all(torch.isfinite(t).all() for t in results("numba", tensors, upstream))
    assert len(poisoned) > 4


def test_one_sample_is_a_filter_too():
    u, weight = torch.randn(2, 9, 3, dtype=torch.float64), torch.randn(3, 1, dtype=torch.float64)
    assert torch.equal(short_convolution(u, weight, backend="torch"), u * weight[:, 0])
    before = u.new_empty(2, 0, 3)
    assert torch.equal(
        short_convolution(u, weight, before=before, backend="torch"), u * weight[:, 0]
    )


def test_lazy_negation_is_carried_out():
    u = torch.randn(2, 9, 3, dtype=torch.complex128).conj().imag
    assert u.is_neg()
    weight = torch.ones(3, 2, dtype=torch.float64)
    found, exact = (short_convolution(u, weight, backend=b) for b in ("numba", "reference"))
    assert torch.allclose(found, exact, rtol=0, atol=1e-14)


def test_half_precision_is_computed_in_float32():
    tensors, _ = problem((1, 20, 8), torch.bfloat16, past=False)
    y = short_convolution(*tensors[:3], activation="silu")
    assert y.dtype == torch.bfloat16
    single = short_convolution(*(t.float() for t in tensors[:3]), activation="silu")
    assert torch.equal(y, single.to(torch.bfloat16))
    assert explain()["short_convolution"].backend == "numba"


def test_says_what_does_not_fit():
    (u, weight, bias, before), _ = problem((2, 9, 3))
    with pytest.raises(LayoutError, match="bias"):
        short_convolution(u, weight, bias[:2])
    with pytest.raises(LayoutError, match=r"reaches back to.*\(2, 2, 3\).*\(2, 3, 3\)"):
        short_convolution(u, weight, bias, before=before[:, :2])
    with pytest.raises(ConfigError, match="'relu'"):
        short_convolution(u, weight, activation="relu")


def test_threads_share_the_pieces():
    (u, weight, bias, before), upstream = problem((3, 700, 35), torch.float32)
    tensors, threads = [u, weight, bias, before], torch.get_num_threads()
    exact = results("torch", tensors, upstream)
    try:
        torch.set_num_threads(2)
        found = results("numba", tensors, upstream)
    finally:
        torch.set_num_threads(threads)
    for got, want in zip(found, exact, strict=True):
        assert (got - want).abs().max() < 1e-4 * want.abs().max()
