"""Inputs, error scales and poisoned memory shared by the kernels' tests."""

import math
from functools import cache

import numpy as np
import pytest
import torch

from timegrain.kernels import scratch
from timegrain.kernels.phi import phi1
from timegrain.kernels.selective.reference import selective_scan_reference


def make_inputs(shape, dtype=torch.float64, seed=0):
    """Arguments of a selective scan, in the order of the backends.

    All numbers are exact in float32, so that float64 and float32 see the same problem.
    """
    b, length, d, n = shape
    generator = torch.Generator().manual_seed(seed)

    def normal(*size):
        return torch.randn(*size, generator=generator, dtype=torch.float32)

    delta = torch.nn.functional.softplus(normal(b, length, d) - 3)
    A = -5 * torch.rand(d, n, generator=generator, dtype=torch.float32)
    tensors = [normal(b, length, d), delta, A, normal(b, length, n), normal(b, length, n)]
    return [t.to(dtype) for t in (*tensors, normal(d), normal(b, d, n))]


def results(function, tensors, discretization, upstream):
    """y, the last state, and the gradients with respect to every argument."""
    tensors = [t.detach().clone().requires_grad_() for t in tensors]
    y, state = function(*tensors, discretization)
    torch.autograd.backward((y, state), [g.to(y.dtype) for g in upstream])
    return [y.detach(), state.detach(), *(t.grad for t in tensors)]


def absolute_terms(tensors, discretization, upstream):
    """The results with every term of every sum taken positive: what rounding is relative to.

    Decays and weights keep their values; only the signs of factors and of derivatives go.
    """
    A = tensors[2]

    def scan(u, delta, size, B, C, D, h, discretization):
        a = A + (size - size.detach())  # the value A, the derivative of |A|
        y = []
        for k in range(u.shape[1]):
            step = delta[:, k, :, None]
            z = step.detach() * a + (step - step.detach()) * size.detach()
            weight = step * phi1(step * a) if discretization == "zoh" else step
            h = torch.exp(z) * h + weight * B[:, k, None, :] * u[:, k, :, None]
            y.append((h * C[:, k, None, :]).sum(-1))
        return torch.stack(y, 1) + D * u, h

    positive = [t.abs() for t in tensors]
    return results(scan, positive, discretization, [g.abs() for g in upstream])


@cache
def _problem(shape, discretization):
    tensors = make_inputs(shape)
    other = make_inputs(shape, seed=1)
    upstream = (other[0], other[6])
    exact = results(selective_scan_reference, tensors, discretization, upstream)
    return tensors, upstream, exact, absolute_terms(tensors, discretization, upstream)


@pytest.fixture(scope="session")
def problem():
    """From a shape and a discretization to inputs, upstream gradients, exact results and scales."""
    return _problem


@pytest.fixture(scope="session")
def run():
    return results


@pytest.fixture(scope="session")
def scan_inputs():
    return make_inputs


class _Forgetful(dict):
    """In the place of the scratch memory that is kept: none is."""

    def setdefault(self, key, default=None):
        return default


def _poison(fresh):
    """Fill with NaN; bytes with ones, which are NaN in every precision."""
    if isinstance(fresh, torch.Tensor):
        if fresh.is_floating_point() or fresh.is_complex():
            fresh.fill_(complex(math.nan, math.nan) if fresh.is_complex() else math.nan)
        elif fresh.dtype == torch.uint8:
            fresh.fill_(255)
    elif fresh.dtype.kind in "fc":
        fresh.fill(complex(math.nan, math.nan) if fresh.dtype.kind == "c" else math.nan)
    elif fresh.dtype == np.uint8:
        fresh.fill(255)
    return fresh


@pytest.fixture
def poisoned(monkeypatch):
    """Fill all fresh memory with NaN and record how many numbers each tensor or array holds."""
    sizes = []

    def from_now_on(owner, name):
        make = getattr(owner, name)

        def made(*args, **kwargs):
            fresh = _poison(make(*args, **kwargs))
            floats = "float" in str(fresh.dtype) or "complex" in str(fresh.dtype)
            sizes.append(math.prod(fresh.shape) // (1 if floats else 8))
            return fresh

        monkeypatch.setattr(owner, name, made)

    for owner, name in (
        (torch.Tensor, "new_empty"),
        (torch, "empty_like"),
        (torch, "empty"),
        (np, "empty"),
    ):
        from_now_on(owner, name)
    monkeypatch.setattr(scratch, "_free", _Forgetful())
    monkeypatch.setattr(scratch, "_made", [0])
    return sizes
