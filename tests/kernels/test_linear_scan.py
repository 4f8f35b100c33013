"""The recurrence of shared complex modes: every backend against its loop."""

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import explain, linear_scan

BACKENDS = ("numba", "torch", "reference")
EPS = torch.finfo(torch.float64).eps


def make(b, length, p, *, varying=False, dtype=torch.complex128):
    """Decays within the unit circle, any phase; drive and state normal."""
    generator = torch.Generator().manual_seed(0)

    def uniform(*size):
        return torch.rand(*size, generator=generator, dtype=torch.float64)

    shape = (b, length, p) if varying else (p,)
    decay = torch.polar(0.8 + 0.2 * uniform(*shape), 6.3 * uniform(*shape))
    drive = torch.complex(uniform(b, length, p) - 0.5, uniform(b, length, p) - 0.5)
    return [t.to(dtype) for t in (decay, drive, torch.complex(uniform(b, p), uniform(b, p)))]


def scan(decay, drive, state, **options):
    return linear_scan(decay, drive, initial_state=state, **options)


@pytest.mark.parametrize("varying", [False, True], ids=["one-decay", "decay-a-step"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 70, 11)], ids=str)
def test_values_and_gradients_match_the_loop(shape, varying):
    found = {}
    for backend in BACKENDS:
        leaves = [t.requires_grad_() for t in make(*shape, varying=varying)]
        states = scan(*leaves, backend=backend)
        weights = torch.linspace(-1, 1, states.numel(), dtype=torch.float64).view(shape)
        (states.real * weights + states.imag).sum().backward()
        found[backend] = [states.detach(), *(t.grad for t in leaves)]
        assert explain()["linear_scan"].backend == backend
    # a product and a sum of complex numbers are 4 roundings, forward and adjoint together twice
    # that; no state or adjoint exceeds the largest by more than 1 / (1 - .9)
    bound = 8 * (shape[1] + 2) * EPS
    for backend in ("numba", "torch"):
        for got, want in zip(found[backend], found["reference"], strict=True):
            assert (got - want).abs().max() <= bound * want.abs().max(), backend


def test_single_precision_is_as_close_as_its_rounding():
    decay, drive, state = make(2, 70, 11, dtype=torch.complex64)
    exact = scan(*(t.to(torch.complex128) for t in (decay, drive, state)))
    got = scan(decay, drive, state)
    assert got.dtype == torch.complex64
    assert (got - exact).abs().max() < 4 * 72 * torch.finfo(torch.float32).eps * exact.abs().max()


@pytest.mark.parametrize("varying", [False, True])
def test_gradcheck(varying):
    leaves = [t.requires_grad_() for t in make(2, 4, 3, varying=varying)]
    assert torch.autograd.gradcheck(scan, leaves)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_carried_state_continues_the_scan(backend):
    decay, drive, state = make(2, 150, 5)
    whole = scan(decay, drive, state, backend=backend)
    pieces = []
    for part in drive.split([1, 89, 60], 1):
        pieces.append(scan(decay, part, state, backend=backend))
        state = pieces[-1][:, -1]
    joined = torch.cat(pieces, 1)
    if backend == "torch":  # blocks lie elsewhere
        assert (joined - whole).abs().max() < 4 * 150 * EPS * whole.abs().max()
    else:
        assert torch.equal(joined, whole)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_decay_of_one_without_drive_freezes_the_state(backend):
    decay, drive, state = make(2, 150, 3, varying=True)
    decay[:, 90:], drive[:, 90:] = 1, 0
    states = scan(decay, drive, state, backend=backend)
    assert torch.equal(states[:, -1], states[:, 89])


def test_threads_share_the_sequences_and_lose_no_gradient():
    """In a thread of OpenMP's the grad mode is on, whatever it is here."""
    before = torch.get_num_threads()
    try:
        torch.set_num_threads(2)
        results = []
        for rows in (slice(0, 2), slice(0, 1)):
            decay, drive, state = make(2, 200, 300)
            leaves = [decay.requires_grad_(), drive[rows].requires_grad_(), state[rows]]
            states = scan(*leaves)
            states.real.sum().backward()
            results.append((states.detach(), leaves[1].grad))
    finally:
        torch.set_num_threads(before)
    for both, alone in zip(*results, strict=True):
        assert torch.equal(both[:1], alone)


def test_lazy_conjugates_are_carried_out():
    decay, drive, state = make(2, 9, 3)
    got = scan(decay.conj(), drive.conj(), state.conj())
    assert torch.allclose(got, scan(decay, drive, state).conj(), rtol=0, atol=1e-14)


def test_wrong_arguments():
    decay, drive, state = make(2, 9, 3)
    with pytest.raises(ConfigError, match=r"complex numbers for drive, got torch\.float64"):
        scan(decay, drive.real, state)
    with pytest.raises(LayoutError, match=r"cannot fit decay .*expected \(p=3 of drive\)"):
        scan(decay[:2], drive, state)
    with pytest.raises(LayoutError, match=r"cannot fit initial_state"):
        scan(decay, drive, state[:1])
