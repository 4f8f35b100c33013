"""The kernel and the filter of a diagonal layer with held inputs, against their compositions."""

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from numba import njit

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import explain
from timegrain.kernels.lti import fused as convolution
from timegrain.kernels.lti.filter import fused
from timegrain.kernels.lti.filter.filter import zoh_filter
from timegrain.kernels.lti.zoh.kernel import zoh_kernel
from timegrain.kernels.vectors.memory import load, store
from timegrain.kernels.vectors.sine import sine_and_cosine

EPS = torch.finfo(torch.float64).eps


def parameters(d, n, seed=0):
    """S4D-Lin with steps from .001 to .1, the first mode of the first channel all but at rest."""
    generator = torch.Generator().manual_seed(seed)
    log_dt = torch.linspace(math.log(0.001), math.log(0.1), d).double()
    log_decay = math.log(0.5) + 0.3 * torch.randn(d, n, generator=generator).double()
    log_decay[0, 0] = -800.0  # exp gives 0, and so is the frequency: lambda = 0
    frequency = math.pi * torch.arange(n).double().repeat(d, 1)
    C = torch.randn(d, n, 2, generator=generator, dtype=torch.float64)
    skip = torch.randn(d, generator=generator, dtype=torch.float64)
    return [log_dt, log_decay, frequency, C, skip]


def outcome(function, tensors, upstream, backend):
    """The result and the gradients to all tensors."""
    leaves = [t.clone().requires_grad_() for t in tensors]
    y = function(*leaves, backend)
    y.backward(upstream)
    return [y.detach(), *(t.grad for t in leaves)]


def close(found, wanted, bound):
    for got, want in zip(found, wanted, strict=True):
        assert (got - want).abs().max() <= bound * max(1.0, float(want.abs().max()))


@pytest.mark.parametrize(("d", "n", "length"), [(1, 1, 1), (3, 5, 37), (9, 8, 64), (2, 3, 1000)])
def test_kernel_is_that_of_the_discretised_modes(d, n, length):
    upstream = torch.randn(d, length, dtype=torch.float64)

    def run(*args):
        return zoh_kernel(*args[:4], length, skip=args[4], ratio=1.5, backend=args[5])

    found = outcome(run, parameters(d, n), upstream, "numba")
    assert explain()["zoh_kernel"].backend == "numba"
    # The phase is off by |z| l eps, at most .15 pi n l eps, in both; gradients are sums of l terms
    # of which each is l times as large as a sample.
    bound = 4 * (0.15 * math.pi * n * length + 20) * EPS
    close(found, outcome(run, parameters(d, n), upstream, "reference"), bound)


@pytest.mark.parametrize("short", [True, False])
@pytest.mark.parametrize(("b", "length", "d", "n"), [(1, 1, 1, 1), (3, 37, 9, 5), (2, 100, 20, 3)])
def test_filter_is_the_convolution_with_that_kernel(b, length, d, n, short, monkeypatch):
    if not short:
        monkeypatch.setattr(convolution, "DIRECT", 0)
        monkeypatch.setattr(fused, "DIRECT", 0)
    generator = torch.Generator().manual_seed(1)
    u, upstream = (
        torch.randn(b, length, d, generator=generator, dtype=torch.float64) for _ in range(2)
    )

    def run(*args):
        return zoh_filter(*args[:5], skip=args[5], ratio=0.5, backend=args[6])

    tensors = [u, *parameters(d, n)]
    found = outcome(run, tensors, upstream, "numba")
    assert explain()["zoh_filter"].backend == "numba"
    # as above; a transform adds eps log2(2 l) of the norms of both factors
    scale = float(u.norm(dim=1).max() * upstream.norm(dim=1).max()) * b
    bound = 4 * (0.05 * math.pi * n * length + 20) * EPS * max(1.0, scale)
    close(found, outcome(run, tensors, upstream, "reference"), bound)


def test_filter_gradcheck_without_skip():
    u = torch.randn(2, 7, 2, dtype=torch.float64)
    leaves = [t.requires_grad_() for t in (u, *parameters(2, 3, seed=2)[:4])]
    with torch.no_grad():
        leaves[2][0, 0] = 0.0  # a mode that moves
    assert torch.autograd.gradcheck(lambda *a: zoh_filter(*a, ratio=2.0), leaves)


def test_threads_change_no_bit(monkeypatch):
    u = torch.randn(4, 50, 20, dtype=torch.float64)
    tensors, upstream = [u, *parameters(20, 3)], torch.randn_like(u)

    def run(*args):
        return zoh_filter(*args[:5], skip=args[5], backend=args[6])

    alone = outcome(run, tensors, upstream, "numba")
    monkeypatch.setattr(fused, "_ALONE", 0)
    threads = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        together = outcome(run, tensors, upstream, "numba")
    finally:
        torch.set_num_threads(threads)
    assert all(torch.equal(a, b) for a, b in zip(alone, together, strict=True))


def test_a_write_in_place_is_seen():
    u = torch.randn(1, 5, 2, dtype=torch.float64)
    log_dt, *others = (t.requires_grad_() for t in parameters(2, 3)[:4])
    y = zoh_filter(u, log_dt, *others)
    with torch.no_grad():
        log_dt.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def test_transform_lengths_hold_what_they_have_to():
    sizes = [convolution.transform_size(n) for n in range(1, 3000)]
    assert all(size >= n for n, size in enumerate(sizes, 1))
    assert max(size / n for n, size in enumerate(sizes, 1) if n > 6) < 1.5


@njit
def _sine_and_cosine(x, out):
    for k in range(0, x.shape[0], 8):
        sine, cosine = sine_and_cosine(load(x, (k,)))
        store(out, (0, k), sine)
        store(out, (1, k), cosine)


def test_sine_and_cosine_are_those_of_numpy():
    small = np.linspace(-30, 30, 4000)
    x = np.concatenate([small, small * 5e4, [0.0, -0.0, 1e-300, math.pi / 4, 1.5e6, 1e9, 0, 0]])
    out = np.empty((2, len(x)))
    _sine_and_cosine(x, out)
    # two roundings of the result, and beyond 1.6e6 that of n pi/2
    bound = 2 * EPS + np.where(np.abs(x) > 1.6e6, np.abs(x) * EPS, 0)
    assert (np.abs(out[0] - np.sin(x)) <= bound).all()
    assert (np.abs(out[1] - np.cos(x)) <= bound).all()


def test_wrong_arguments_are_errors():
    log_dt, log_decay, frequency, C, _ = parameters(2, 3)
    with pytest.raises(ConfigError, match=r"real and the imaginary part of C.*\(2, 3, 1\)"):
        zoh_kernel(log_dt, log_decay, frequency, C[..., :1], 5)
    for length in (0, 10**12, 10**5000):
        with pytest.raises(ConfigError, match="needs a length"):
            zoh_kernel(log_dt, log_decay, frequency, C, length)
    u = torch.zeros(1, 4, 2, dtype=torch.float64)
    for ratio in (-1.0, 0, math.nan, math.inf, 10**400, Fraction(1, 10**400), True, "1"):
        with pytest.raises(ConfigError, match="a positive, finite number"):
            zoh_kernel(log_dt, log_decay, frequency, C, 5, ratio=ratio)
        with pytest.raises(ConfigError, match="a positive, finite number"):
            zoh_filter(u, log_dt, log_decay, frequency, C, ratio=ratio)
    with pytest.raises(LayoutError, match="cannot fit frequency"):
        zoh_kernel(log_dt, log_decay, frequency[:1], C, 5)
    with pytest.raises(LayoutError, match="cannot fit log_dt"):
        zoh_filter(torch.zeros(1, 4, 3, dtype=torch.float64), log_dt, log_decay, frequency, C)


def test_what_backward_needs_goes_through_the_hooks_of_saved_tensors():
    tensors = [t.requires_grad_() for t in parameters(2, 3)[:4]]
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(
        lambda t: saved.append(t.shape) or t, lambda t: t
    ):
        y = zoh_filter(torch.ones(1, 4, 2, dtype=torch.float64), *tensors)
    assert saved.count((1, 4, 2)) == 2  # the input, and the kernel of each channel
    assert set(vars(y.grad_fn)) == {"ratio", "has_skip"}  # which outlives backward
