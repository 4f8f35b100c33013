"""Shared complex modes over held inputs with a step a sample: every backend against the loop."""

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import held_scan

BACKENDS = ("numba", "torch", "reference")
EPS = torch.finfo(torch.float64).eps


def make(b, length, p, dtype=torch.float64):
    """Drive, z from thousandths to 8, with a 0 among them; steps up to 4, some alike; state."""
    generator = torch.Generator().manual_seed(0)

    def uniform(*size):
        return torch.rand(*size, generator=generator, dtype=torch.float64)

    size = torch.logspace(-3, 0.9, p, dtype=torch.float64)
    z = torch.complex(-0.1 * size, size)
    z[p // 2] = 0
    steps = 4 * uniform(b, length)
    steps[:, 3:6] = steps[:, 3:4]
    drive = torch.complex(uniform(b, length, p) - 0.5, uniform(b, length, p) - 0.5)
    kind = torch.promote_types(dtype, torch.complex64)
    state = torch.complex(uniform(b, p), uniform(b, p))
    return [drive.to(kind), z.to(kind), steps.to(dtype), state.to(kind)]


def scan(drive, z, steps, state, **options):
    return held_scan(drive, z, steps, initial_state=state, **options)


@pytest.mark.parametrize("form", ["l", "bl"])
@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 70, 11), (2, 9, 40)], ids=str)
def test_values_and_gradients_match_the_loop(shape, form):
    found = {}
    for backend in BACKENDS:
        leaves = make(*shape)
        leaves[2] = leaves[2][0].clone() if form == "l" else leaves[2]
        leaves = [t.requires_grad_() for t in leaves]
        states = scan(*leaves, backend=backend)
        weights = torch.linspace(-1, 1, states.numel(), dtype=torch.float64).view(shape)
        (states.real * weights + states.imag).sum().backward()
        found[backend] = [states.detach(), *(t.grad for t in leaves)]
    # a step is exp(z s), good to 5 eps, a weight, and two complex products; the phases of a block,
    # up to 8 times 4 radians a step, are off by half an eps of themselves
    bound = (16 * (shape[1] + 2) + 32 * min(shape[1], 64)) * EPS
    for backend in ("numba", "torch"):
        for got, want in zip(found[backend], found["reference"], strict=True):
            assert (got - want).abs().max() <= bound * want.abs().max(), backend


def test_gradcheck():
    leaves = [t.requires_grad_() for t in make(2, 7, 3)]
    assert torch.autograd.gradcheck(scan, leaves)


@pytest.mark.parametrize("backend", BACKENDS)
def test_a_step_of_zero_freezes_the_state(backend):
    drive, z, steps, state = make(2, 100, 5)
    steps[:, 60:] = 0
    states = scan(drive, z, steps, state, backend=backend)
    assert torch.equal(states[:, -1], states[:, 59])


def test_a_carried_state_continues_the_scan():
    drive, z, steps, state = make(2, 100, 5)
    whole = scan(drive, z, steps, state)
    first = scan(drive[:, :37], z, steps[:, :37], state)
    rest = scan(drive[:, 37:], z, steps[:, 37:], first[:, -1])
    assert torch.equal(torch.cat([first, rest], 1), whole)


def test_wrong_arguments():
    drive, z, steps, state = make(2, 9, 3)
    with pytest.raises(ConfigError, match=r"complex numbers for z, got torch\.float64"):
        scan(drive, z.real, steps, state)
    with pytest.raises(ConfigError, match=r"real floating-point numbers for steps"):
        scan(drive, z, steps.to(torch.complex128), state)
    with pytest.raises(LayoutError, match=r"cannot fit steps"):
        scan(drive, z, steps[:, :8], state)
