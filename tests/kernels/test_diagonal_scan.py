"""The scan form of a diagonal state space: against its loop, and against the convolution."""

import math

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import diagonal_scan, lti_conv, s4d_kernel

COMPLEX = {torch.float32: torch.complex64, torch.float64: torch.complex128}


def make(b, length, d, n, dtype=torch.float64):
    """S4D-Lin; u, delta, Lambda, C, steps (b, l), state, exact in float32."""
    generator = torch.Generator().manual_seed(0)

    def normal(*size):
        return torch.randn(*size, generator=generator, dtype=torch.float32).to(dtype)

    def mixed(*size):
        return torch.complex(normal(*size), normal(*size))

    delta = torch.logspace(-3, -1, d, dtype=torch.float32).to(dtype)
    lam = torch.complex(torch.full((d, n), -0.5), math.pi * torch.arange(n).float().repeat(d, 1))
    steps = 4 * torch.rand(b, length, generator=generator, dtype=torch.float32).to(dtype)
    return normal(b, length, d), delta, lam.to(COMPLEX[dtype]), mixed(d, n), steps, mixed(b, d, n)


def scan(u, delta, lam, C, steps, state, **options):
    return diagonal_scan(
        u, delta, lam, C, steps=steps, initial_state=state, return_state=True, **options
    )


@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
@pytest.mark.parametrize("form", ["none", "l", "bl"])
@pytest.mark.parametrize("shape", [(2, 37, 19, 5), (1, 1, 1, 1), (2, 300, 3, 4)], ids=str)
def test_values_and_gradients_match_the_loop(shape, form, dtype):
    exact = make(*shape)
    steps = {"none": None, "l": exact[4][0], "bl": exact[4]}[form]
    upstream = torch.linspace(-1, 1, exact[0].numel()).double().reshape(exact[0].shape)
    found = {}
    for backend, kind in (("numba", dtype), ("torch", dtype), ("reference", torch.float64)):
        leaves = [
            t if t is None else t.to(COMPLEX[kind] if t.is_complex() else kind).clone()
            for t in (*exact[:4], steps, exact[5])
        ]
        tracked = [t.requires_grad_() for t in leaves if t is not None]
        y, state = scan(*leaves, backend=backend)
        (y * upstream.to(kind)).sum().add(state.real.sum()).backward()
        found[backend] = [y.detach(), state.detach(), *(t.grad for t in tracked)]
    # Each of the l steps multiplies by a decay, adds and reads: 6 roundings. The phase of a block,
    # up to |lambda| delta sum(steps) radians, is off by eps / 2 of itself in each of its sum, its
    # product and its exponential. Relative to the largest result: terms do not exceed it by more
    # than the factor these counts leave.
    phase = math.pi * shape[3] * 0.1 * 4 * min(shape[1], 64)
    bound = (6 * shape[1] + 3 * phase) * torch.finfo(dtype).eps
    for backend in ("numba", "torch"):
        for got, want in zip(found[backend], found["reference"], strict=True):
            assert got.dtype in (dtype, COMPLEX[dtype])
            assert (got - want).abs().max() < bound * want.abs().max() + 1e-30, backend


def test_scan_and_convolution_are_the_same_map():
    """Length 4001 in float64: the phase reaches |z| l = 4e4 radians, whose rounding is 1e-11."""
    u, delta, lam, C, _, _ = make(2, 4001, 4, 32)
    z = delta.unsqueeze(-1) * lam
    y = lti_conv(u, s4d_kernel(z, C * torch.expm1(z) / lam, 4001))
    assert (diagonal_scan(u, delta, lam, C) - y).abs().max() < 1e-10 * y.abs().max()


def test_gradcheck():
    leaves = [t.requires_grad_() for t in make(2, 4, 2, 2)]
    assert torch.autograd.gradcheck(scan, leaves)


@pytest.mark.parametrize("backend", ["numba", "torch", "reference"])
def test_a_carried_state_continues_the_scan(backend):
    u, delta, lam, C, steps, state = make(2, 150, 3, 4)
    whole, last = scan(u, delta, lam, C, steps, state, backend=backend)
    pieces = []
    for part in (slice(0, 1), slice(1, 90), slice(90, 150)):
        y, state = scan(u[:, part], delta, lam, C, steps[:, part], state, backend=backend)
        pieces.append(y)
    # 150 steps of a few roundings, phases of up to 190 radians
    tolerance = 1000 * torch.finfo(torch.float64).eps * float(whole.abs().max())
    assert (torch.cat(pieces, 1) - whole).abs().max() < tolerance
    assert (state - last).abs().max() < tolerance


@pytest.mark.parametrize("backend", ["numba", "torch", "reference"])
@pytest.mark.parametrize("dtype", COMPLEX, ids=str)
def test_a_step_of_zero_freezes_the_state(backend, dtype):
    u, delta, lam, C, steps, state = make(2, 150, 3, 4, dtype)
    steps[:, 90:] = 0
    _, last = scan(u, delta, lam, C, steps, state, backend=backend)
    short = scan(u[:, :90], delta, lam, C, steps[:, :90], state, backend=backend)[1]
    assert torch.equal(last, short)


def test_a_mode_at_zero_adds_up_the_input_times_the_step():
    u, delta, lam, C, steps, _ = make(1, 70, 2, 1)
    y = diagonal_scan(u, delta, lam * 0, C * 0 + 0.5, steps=steps)
    want = (u * steps.unsqueeze(-1) * delta).cumsum(1)
    assert torch.allclose(y, want, rtol=0, atol=70 * 2.3e-16 * float(want.abs().max()))


def test_half_precision_and_wrong_arguments():
    u, delta, lam, C, steps, state = make(2, 9, 3, 4, torch.float32)
    y, last = scan(u.half(), delta, lam, C, steps, state)
    assert y.dtype == torch.float16 and last.dtype == torch.complex64
    with pytest.raises(LayoutError, match=r"cannot fit steps .*, got steps of shape \(2, 8\)"):
        scan(u, delta, lam, C, steps[:, :8], state)
    with pytest.raises(LayoutError, match=r"cannot fit steps .*expected \(l=9 of u\)"):
        scan(u, delta, lam, C, steps[0, :8], state)
    with pytest.raises(
        LayoutError, match=r"delta .*, got delta of shape \(4,\), expected \(d=3 of u"
    ):
        scan(u, torch.zeros(4), lam, C, steps, state)
    with pytest.raises(ConfigError, match=r"complex numbers for Lambda, got torch\.float32"):
        scan(u, delta, lam.real, C, steps, state)
    with pytest.raises(LayoutError, match="at least one element along every axis of u"):
        scan(u[:0], delta, lam, C, steps, state)
