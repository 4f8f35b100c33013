"""The scan and the kernel of diagonal plus low rank systems, against one step after another."""

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import use_backend
from timegrain.kernels.dplr.kernel import dplr_kernel
from timegrain.kernels.dplr.scan import dplr_scan
from timegrain.models import build_layer

COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def draw(*shape, seed, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def system(d=3, n=5, dtype=torch.float64):
    """Steps from .01 to 1, poles left of the imaginary axis, random weights."""
    wide = torch.complex128
    Lambda = torch.complex(-draw(d, n, seed=1).exp(), 5 * draw(d, n, seed=2))
    weights = [draw(d, n, seed=seed, dtype=wide) for seed in (3, 4, 5)]
    delta = torch.logspace(-2, 0, d, dtype=torch.float64)
    return [delta.to(dtype), *(t.to(COMPLEX[dtype]) for t in (Lambda, *weights))]


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize(("length", "n"), [(1, 1), (70, 5), (33, 17)])
def test_values_and_gradients_of_the_scan_match_the_loop(length, n, dtype):
    u, steps = draw(2, length, 3, seed=6), draw(2, length, seed=7).exp()
    steps[1, length // 2 :] = 0
    before = draw(2, 3, n, seed=8, dtype=torch.complex128)
    upstream = draw(2, length, 3, seed=9), draw(2, 3, n, seed=10, dtype=torch.complex128)
    found = {}
    for backend, kind in (("numba", dtype), ("torch", dtype), ("reference", torch.float64)):
        leaves = [t.clone().requires_grad_() for t in system(3, n, kind)]
        given = [t.to(kind).requires_grad_() for t in (u, steps)]
        start = before.to(COMPLEX[kind]).requires_grad_()
        y, last = dplr_scan(given[0], *leaves, steps=given[1], initial_state=start, backend=backend)
        heads = [upstream[0].to(kind), upstream[1].to(COMPLEX[kind])]
        torch.autograd.backward([y, last], heads)
        found[backend] = [y.detach(), last.detach(), *(t.grad for t in (*leaves, *given, start))]
    # A step is a contraction and is rounded a few dozen times; gradients of parameters add up
    # all steps, of steps n modes that cancel.
    tolerance = 60 * torch.finfo(dtype).eps * length**0.5
    for backend in ("numba", "torch"):
        for got, want in zip(found[backend], found["reference"], strict=True):
            assert got.dtype == (COMPLEX[dtype] if want.is_complex() else dtype)
            assert (got - want).abs().max() < tolerance * max(1, want.abs().max())


def test_blocks_of_a_stiff_system_match_the_loop():
    """HiPPO-LegS by steps that do not resolve it: the products of a block's steps nearly cancel."""
    layer = build_layer("s4", d_model=2, seed=0).double()
    x, tau = draw(1, 203, 2, seed=6), 50 * draw(1, 203, seed=7).abs()
    found = []
    for backend in ("torch", "reference"):
        with use_backend(backend):
            y = layer(x, tau)
        found.append((y, *torch.autograd.grad(y.square().sum(), layer.parameters())))
    for got, want in zip(*found, strict=True):
        assert (got - want).abs().max() < 1e-12 * want.abs().max()


def test_lazy_negation_is_carried_out():
    u = draw(1, 9, 3, seed=6, dtype=torch.complex128).conj().imag
    assert u.is_neg()
    found = dplr_scan(u, *system(), backend="numba")
    assert torch.equal(found[0], dplr_scan(u.resolve_neg(), *system(), backend="numba")[0])


def test_a_step_of_zero_changes_nothing():
    before = draw(1, 3, 5, seed=8, dtype=torch.complex128)
    for backend in ("numba", "torch", "reference"):
        _, last = dplr_scan(
            draw(1, 40, 3, seed=6),
            *system(),
            steps=torch.zeros(1, 40).double(),
            initial_state=before,
            backend=backend,
        )
        assert torch.equal(last, before)


def test_gradcheck_of_scan_and_kernel():
    leaves = [t.requires_grad_() for t in system(2, 2)]
    u, steps = draw(1, 4, 2, seed=6).requires_grad_(), draw(1, 4, seed=7).exp().requires_grad_()

    def scan(u, steps, *leaves):
        y, last = dplr_scan(u, *leaves, steps=steps)
        return y, torch.view_as_real(last)

    assert torch.autograd.gradcheck(scan, (u, steps, *leaves))
    for backend in ("numba", "torch"):
        assert torch.autograd.gradcheck(lambda *t, b=backend: dplr_kernel(*t, 5, backend=b), leaves)


@pytest.mark.parametrize("length", [1, 2, 37, 1000])
@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_the_kernel_is_the_answer_to_a_pulse(length, dtype):
    leaves = system(dtype=dtype)
    pulse = torch.zeros(1, length, 3, dtype=torch.float64)
    pulse[:, 0] = 1
    want = dplr_scan(pulse, *(t.to(torch.float64 if t.isreal().all() else torch.complex128)
                              for t in leaves), backend="reference")[0][0].mT  # fmt: skip
    for backend in ("numba", "torch", "reference"):
        got = dplr_kernel(*leaves, length, backend=backend)
        assert got.dtype == dtype and got.shape == (3, length)
        # what the circle's docstring says, and rounding to the dtype
        tolerance = 1e-9 + torch.finfo(dtype).eps if dtype == torch.float32 else 1e-12
        assert ((got - want).abs().amax(1) < tolerance * want.abs().amax(1)).all()


def test_wrong_arguments_are_errors():
    delta, *weights = system()
    with pytest.raises(LayoutError, match=r"cannot fit B .*, got B of shape \(3, 4\)"):
        dplr_scan(draw(1, 4, 3, seed=0), delta, *weights[:2], weights[2][:, :4], weights[3])
    with pytest.raises(ConfigError, match=r"complex numbers for C, got torch\.float64"):
        dplr_kernel(delta, *weights[:3], weights[3].real, 5)
    for length in (0, 10**12):
        with pytest.raises(ConfigError, match="needs a length"):
            dplr_kernel(delta, *weights, length)
    with pytest.raises(ConfigError, match=r"floating-point numbers for delta, got torch\.complex"):
        dplr_kernel(delta + 0j, *weights, 5)
