"""One state space for all channels: every backend against its loop."""

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import mimo_scan

BACKENDS = ("numba", "torch", "reference")
NAMES = ("y", "state", "u", "decay", "B", "C", "D", "initial_state")
EPS = torch.finfo(torch.float64).eps


def make(b, length, d, p):
    """u, decay, B, C, D and the state before."""
    generator = torch.Generator().manual_seed(0)

    def normal(*size):
        return torch.randn(*size, generator=generator, dtype=torch.float64)

    def mixed(*size):
        return torch.complex(normal(*size), normal(*size))

    decay = torch.polar(0.9 * torch.rand(p, generator=generator).double(), normal(p))
    return [normal(b, length, d), decay, mixed(p, d), mixed(d, p), normal(d), mixed(b, p)]


def scan(u, decay, B, C, D, state, counts=None, **options):
    return mimo_scan(
        u, decay, B, C, D, initial_state=state, counts=counts, return_state=True, **options
    )


@pytest.mark.parametrize("counts", [None, (70, 0)], ids=["whole", "ragged"])
@pytest.mark.parametrize("skip", [True, False])
def test_values_and_gradients_match_the_loop(counts, skip):
    found, counts = {}, counts and torch.tensor(counts)
    for backend in BACKENDS:
        leaves = [t.requires_grad_() for t in make(2, 70, 3, 11)]
        leaves[4] = leaves[4] if skip else None
        y, state = scan(*leaves, counts, backend=backend)
        weights = torch.linspace(-1, 1, y.numel(), dtype=torch.float64).view(y.shape)
        ((y * weights).sum() + (2 * state.real + state.imag).sum()).backward()
        grads = [t.grad for t in leaves if t is not None]
        found[backend] = [y.detach(), state.detach(), *grads]
    names = NAMES if skip else [name for name in NAMES if name != "D"]
    # each of 70 steps a complex product and a sum, forward and adjoint; sums over 3 channels, 11
    # modes and 2 sequences; no partial sum exceeds the result by more than ten times
    bound = 10 * (8 * 72 + 16) * EPS
    for backend in ("numba", "torch"):
        for name, got, want in zip(names, found[backend], found["reference"], strict=True):
            assert (got - want).abs().max() <= bound * want.abs().max(), (backend, name)


@pytest.mark.parametrize("skip", [True, False])
def test_gradcheck(skip):
    leaves = [t.requires_grad_() for t in make(2, 4, 2, 3)]
    leaves[4] = leaves[4] if skip else None
    assert torch.autograd.gradcheck(scan, [*leaves, torch.tensor([4, 2])])


@pytest.mark.parametrize("result", [0, 1])
def test_gradients_where_one_result_is_not_used(result):
    found = []
    for backend in ("numba", "reference"):
        leaves = [t.requires_grad_() for t in make(2, 9, 3, 4)]
        out = scan(*leaves, backend=backend)[result]
        grads = torch.autograd.grad(out.real.sum(), leaves, materialize_grads=True)
        found.append(grads)
    for got, want in zip(*found, strict=True):
        assert (got - want).abs().max() <= 10 * (8 * 11 + 16) * EPS * max(1, want.abs().max())


def test_inputs_of_any_layout_and_untracked_calls_give_the_same():
    u, *rest = make(2, 9, 3, 4)
    want, state = scan(u.clone().requires_grad_(), *rest)
    for same in (u.transpose(0, 1).contiguous().transpose(0, 1), u.mT.contiguous().mT):
        for conjugate in (False, True):
            decay, *others = rest
            decay = decay.conj().resolve_conj().conj() if conjugate else decay
            y, last = scan(same, decay, *others)
            assert torch.equal(y, want) and torch.equal(last, state)
    upstream, gradients = make(2, 9, 3, 1)[0], []
    for given in (upstream, upstream.mT.contiguous().mT):
        leaf = u.clone().requires_grad_()
        scan(leaf, *rest)[0].backward(given)
        gradients.append(leaf.grad)
    assert torch.equal(*gradients)


@pytest.mark.parametrize("backend", BACKENDS)
def test_lazily_conjugated_arguments_give_the_same(backend):
    given = make(2, 9, 3, 4)
    want = scan(*given, backend=backend)
    for at in (1, 2, 3, 5):
        other = list(given)
        other[at] = given[at].conj().resolve_conj().conj()
        for one, same in zip(scan(*other, backend=backend), want, strict=True):
            assert torch.equal(one, same)


def test_half_precision_is_computed_in_single():
    tensors = make(2, 9, 3, 4)
    single = [t.to(torch.complex64 if t.is_complex() else torch.float32) for t in tensors]
    single[0] = single[0].bfloat16()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        y, state = scan(*single)
    assert y.dtype == torch.bfloat16 and state.dtype == torch.complex64
    exact, _ = scan(single[0].double(), *tensors[1:])
    assert (y.double() - exact).abs().max() < 2**-8 * exact.abs().max()


def test_wrong_arguments():
    u, decay, B, C, D, state = make(2, 9, 3, 4)
    with pytest.raises(ConfigError, match=r"complex numbers for B, got torch\.float64"):
        scan(u, decay, B.real, C, D, state)
    with pytest.raises(LayoutError, match=r"cannot fit C .*expected \(d=3 of u, p=4 of decay\)"):
        scan(u, decay, B, C.mT, D, state)
    with pytest.raises(ConfigError, match=r"counts samples, got torch\.float32"):
        scan(u, decay, B, C, D, state, torch.zeros(2))
    for counts, said in (([10, 1], r"1\.\.10, expected 0\.\.9"), ([3, -1], r"-1\.\.3")):
        with pytest.raises(ConfigError, match=said):
            scan(u, decay, B, C, D, state, torch.tensor(counts))
    with pytest.raises(ConfigError, match=r"counts samples, got torch\.bool"):
        scan(u, decay, B, C, D, state, torch.ones(2, dtype=torch.bool))
    for dtype in (torch.uint8, torch.uint16, torch.int32):
        _, last = scan(u, decay, B, C, D, state, torch.tensor([0, 9], dtype=dtype))
        assert torch.equal(last[0], state[0])


@pytest.mark.parametrize("skip", [True, False])
def test_gradients_inside_autocast_are_those_outside(skip):
    leaves = [t.to(torch.complex64 if t.is_complex() else torch.float32) for t in make(2, 9, 3, 4)]
    leaves = [t.requires_grad_() for t in leaves]
    leaves[4] = leaves[4] if skip else None
    wanted, found = [t for t in leaves if t is not None], []
    for half in (False, True):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=half):
            y, _ = scan(*leaves)
            found.append(torch.autograd.grad(y.float().square().sum(), wanted))
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_outputs_can_be_changed_in_place_and_a_state_owns_its_memory():
    leaves = [t.requires_grad_() for t in make(2, 9, 3, 4)]
    y, state = scan(*leaves)
    y += 1
    state *= 2
    (y.sum() + state.real.sum()).backward()
    with torch.no_grad():
        _, state = scan(*leaves)
    assert state.untyped_storage().nbytes() == state.nbytes
