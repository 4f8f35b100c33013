"""Values and gradients of every backend against the float64 loop."""

import itertools
import math

import pytest
import torch

from timegrain.core.errors import ConfigError
from timegrain.kernels.selective.fused import selective_scan_numba
from timegrain.kernels.selective.torch_ import selective_scan_torch

BACKENDS = {"numba": selective_scan_numba, "torch": selective_scan_torch}
NAMES = ("y", "state", "u", "delta", "A", "B", "C", "D", "initial_state")
SHAPES = ((2, 37, 19, 5), (1, 1, 1, 1), (1, 4097, 7, 3), (3, 64, 16, 16))
BOTH = ("euler_b", "zoh")


def tolerance(shape, gradient):
    """The error in eps, relative to the sum of absolute terms.

    A term passes at most l steps, forward and adjoint together. One step multiplies by a decay:
    2 ulp for the exponential and |z| / 2 for the rounding of its argument z = delta A (ZOH), or
    1 ulp for the power of two and |z| / 2 each for that and for A in units of log 2 (Euler), z
    below 4 here but for a few steps; half an ulp each for product and sum: under 6 eps, or twice
    that where the series of a derivative comes in. Adding up costs half an eps a summand: n for
    y, and for gradients d (B, C) or b and l (A, D). So many roundings m add up to 6 sqrt(m) eps
    but for a chance of 1e-7 (Higham and Mary, A new approach to probabilistic rounding error
    analysis, 2019).
    """
    b, length, d, n = shape
    return 6 * math.sqrt((12 if gradient else 6) * (length + 2) + b + d + n)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("discretization", BOTH)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_values_and_gradients_match_the_loop(problem, run, backend, shape, discretization, dtype):
    tensors, upstream, exact, scales = problem(shape, discretization)
    tensors = [t.to(dtype) for t in tensors]
    found = run(BACKENDS[backend], tensors, discretization, upstream)
    assert torch.equal(found[0], BACKENDS[backend](*tensors, discretization)[0])  # untracked
    eps = torch.finfo(dtype).eps
    for name, got, want, scale in zip(NAMES, found, exact, scales, strict=True):
        assert got.dtype == dtype
        bound = tolerance(shape, name not in ("y", "state")) * eps * scale + 1e-37
        excess = ((got - want).abs() / bound).max()
        assert excess < 1, f"{name}: {excess:.2g} times the bound"


def test_the_bound_is_not_so_wide_that_a_small_mistake_fits(problem):
    shape = SHAPES[0]
    tensors, _, exact, scales = problem(shape, "euler_b")
    wrong, _ = selective_scan_numba(*tensors[:1], tensors[1] * (1 + 1e-12), *tensors[2:], "euler_b")
    bound = tolerance(shape, False) * torch.finfo(torch.float64).eps * scales[0]
    assert ((wrong - exact[0]).abs() > bound).any()


@pytest.mark.parametrize("discretization", BOTH)
@pytest.mark.parametrize("backend", BACKENDS)
def test_gradcheck(scan_inputs, backend, discretization):
    tensors = [t.requires_grad_() for t in scan_inputs((2, 5, 3, 2))]
    assert torch.autograd.gradcheck(
        lambda *t: BACKENDS[backend](*t, discretization), tensors, fast_mode=False
    )


@pytest.mark.parametrize("discretization", BOTH)
def test_the_torch_form_is_differentiable_twice(scan_inputs, discretization):
    tensors = [t.requires_grad_() for t in scan_inputs((1, 3, 2, 2))]
    assert torch.autograd.gradgradcheck(
        lambda *t: selective_scan_torch(*t, discretization), tensors
    )


def test_second_derivatives_of_the_compiled_loops_are_refused(scan_inputs):
    u, *rest = scan_inputs((1, 3, 2, 2))
    y, _ = selective_scan_numba(u.requires_grad_(), *rest, "euler_b")
    with pytest.raises(ConfigError, match=r"first derivatives only[\s\S]*backend='torch'"):
        torch.autograd.grad((y**2).sum(), u, create_graph=True)


@pytest.mark.parametrize("discretization", BOTH)
def test_every_number_is_written(scan_inputs, poisoned, discretization):
    """d = 19 leaves lanes over in both dtypes, and l = 37 a chunk over."""
    for dtype, length in itertools.product((torch.float32, torch.float64), (1, 32, 37)):
        tensors = [t.requires_grad_() for t in scan_inputs((2, length, 19, 5), dtype)]
        y, state = selective_scan_numba(*tensors, discretization)
        (y.sum() + state.sum()).backward()
        assert len(poisoned) > 5
        for value in (y, state, *(t.grad for t in tensors)):
            assert torch.isfinite(value).all()


def test_no_tensor_holds_all_states(scan_inputs, poisoned):
    shape = (2, 4096, 32, 16)
    tensors = [t.requires_grad_() for t in scan_inputs(shape, torch.float32)]
    y, _ = selective_scan_numba(*tensors, "euler_b")
    states = 2 * 4096 * 32 * 16
    assert max(poisoned) <= max(states / 32, y.numel())
    y.sum().backward()
    assert max(poisoned) <= states / 16
