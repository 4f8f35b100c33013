"""Values and gradients of every form of the matrix scan against the float64 loop."""

import math
from functools import cache

import pytest
import torch

from timegrain.kernels import explain, matrix_scan
from timegrain.kernels.matrix import fused

CHUNK = 16
GATES = ("none", "head", "channel")
KINDS = [(gate, delta) for gate in GATES for delta in (False, True)]
LENGTHS = (1, CHUNK - 1, CHUNK, CHUNK + 1, 3 * CHUNK + 5)
SHAPES = [(2, length, 2, 4, 5, 7) for length in LENGTHS] + [(1, 53, 1, 2, 36, 41)]
NAMES = ("y", "state", "q", "k", "v", "log_gate", "beta", "initial_state")


def make(shape, kind, dtype=torch.float64, seed=0):
    """q, k of unit length, v, log_gate, beta in (0, 1), state, exact in float32; None if absent."""
    b, length, g, h, i, j = shape
    generator = torch.Generator().manual_seed(seed)

    def normal(*size):
        return torch.randn(*size, generator=generator)

    k = torch.nn.functional.normalize(normal(b, length, g, i), dim=-1)
    per_channel = -torch.nn.functional.softplus(2 * normal(b, length, h, i) - 2)
    gates = {"none": None, "head": per_channel[..., 0].clone(), "channel": per_channel}
    beta = normal(b, length, h).sigmoid() if kind[1] else None
    found = [normal(b, length, g, i), k, normal(b, length, h, j), gates[kind[0]], beta]
    return [t if t is None else t.to(dtype) for t in (*found, normal(b, h, i, j))]


def scan(q, k, v, log_gate, beta, state, **options):
    return matrix_scan(
        q, k, v, log_gate=log_gate, beta=beta, initial_state=state, return_state=True, **options
    )


def results(tensors, **options):
    """y, the last state, and the gradients to every argument that is there."""
    leaves = [t if t is None else t.detach().clone().requires_grad_() for t in tensors]
    y, state = scan(*leaves, **options)
    torch.autograd.backward((y, state), [torch.linspace(-1, 2, t.numel()).view_as(t).to(t)
                                         for t in (y, state)])  # fmt: skip
    return [y.detach(), state.detach(), *(None if t is None else t.grad for t in leaves)]


@cache
def exact(shape, kind):
    return results(make(shape, kind), backend="reference")


def tolerance(shape):
    """The error in eps, relative to the largest result.

    A step multiplies by a gate, whose logarithm below 8 and exponential cost 5 eps at most, by a
    product of keys, which shortens, and adds: 6 roundings forward and 6 in the adjoint, for l
    steps; sums over i and over j follow. So many roundings m of terms that, after the signs of
    random numbers cancel, are no larger than the largest result add up to 6 sqrt(m) eps but for a
    chance of 1e-7 (Higham and Mary, 2019).
    """
    _, length, _, _, i, j = shape
    return 6 * math.sqrt(12 * (length + 2) + i + j)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("backend", ["numba", "torch"])
def test_values_and_gradients_match_the_loop(backend, shape, kind, dtype):
    tensors = make(shape, kind, dtype)
    found = results(tensors, backend=backend, chunk=CHUNK)
    assert torch.equal(found[0], scan(*tensors, backend=backend, chunk=CHUNK)[0])  # untracked
    bound = tolerance(shape) * torch.finfo(dtype).eps
    assert dtype == torch.float32 or bound < 1e-10
    for name, got, want in zip(NAMES, found, exact(shape, kind), strict=True):
        if want is not None:
            assert got.dtype == dtype and got.shape == want.shape
            excess = (got - want).abs().max() / (bound * want.abs().max())
            assert excess < 1, f"{name}: {excess:.2g} times the bound"


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_bound_is_not_so_wide_that_a_small_mistake_fits(kind):
    shape = SHAPES[-1]
    tensors = make(shape, kind)
    tensors[1] = tensors[1] * (1 + 1e-12)
    wrong = scan(*tensors, backend="numba")[0]
    bound = tolerance(shape) * torch.finfo(torch.float64).eps
    assert (wrong - exact(shape, kind)[0]).abs().max() > bound * wrong.abs().max()


@pytest.mark.parametrize("backend", ["numba", "torch"])
def test_gradcheck(backend):
    tensors = [t.requires_grad_() for t in make((1, 5, 1, 2, 2, 3), ("channel", True))]
    assert torch.autograd.gradcheck(lambda *t: scan(*t, backend=backend, chunk=4), tensors)


@pytest.mark.parametrize("kind", [("head", False), ("channel", True)], ids=str)
def test_the_torch_form_is_differentiable_twice(kind):
    tensors = make((1, 5, 1, 1, 2, 2), kind)
    given = [t.requires_grad_() for t in tensors if t is not None]

    def call(*leaves):
        rest = iter(leaves)
        filled = (None if t is None else next(rest) for t in tensors)
        return scan(*filled, backend="torch", chunk=4)

    assert torch.autograd.gradgradcheck(call, given)


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_every_number_is_written(kind, dtype, request):
    """Sizes leave lanes, rows of a group and a chunk over; memory is NaN where nothing is."""
    shapes = [SHAPES[0], SHAPES[4], SHAPES[5], (1, 20, 1, 1, 16, 16)]
    wanted = [results(make(s, kind, dtype), backend="numba", chunk=CHUNK) for s in shapes]
    poisoned = request.getfixturevalue("poisoned")
    for shape, want in zip(shapes, wanted, strict=True):
        found = results(make(shape, kind, dtype), backend="numba", chunk=CHUNK)
        assert len(poisoned) > 5
        for got, expected in zip(found, want, strict=True):
            assert got is expected is None or torch.equal(got, expected)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_no_tensor_holds_all_states(kind, poisoned):
    shape = (2, 1024, 1, 2, 32, 32)
    results(make(shape, kind, torch.float32), backend="numba")
    states = 2 * 1024 * 2 * 32 * 32
    assert max(poisoned) <= states / 32  # q, v and their gradients; checkpoints are half of that


def test_wide_states_are_kept_more_often_so_that_a_chunk_stays_in_the_cache():
    wide, narrow = torch.empty(1, 1, 128, 128), torch.empty(1, 1, 32, 32)
    assert (fused._span(narrow, 64), fused._span(wide, 64), fused._span(wide, 16)) == (64, 32, 16)


@pytest.mark.parametrize("backend", ["numba", "torch"])
def test_any_chunk_gives_the_same(backend):
    shape, kind = SHAPES[4], ("channel", True)
    bound = tolerance(shape) * torch.finfo(torch.float64).eps
    for chunk in (1, 2, 64, 1024):
        found = results(make(shape, kind), backend=backend, chunk=chunk)
        for got, want in zip(found, exact(shape, kind), strict=True):
            assert (got - want).abs().max() < bound * want.abs().max()


def test_threads_share_the_heads_and_change_nothing():
    tensors = make((1, 200, 2, 4, 16, 16), ("channel", True), torch.float32)
    before = torch.get_num_threads()
    found = []
    try:
        for threads in (1, 2):
            torch.set_num_threads(threads)
            found.append(results(tensors, backend="numba"))
    finally:
        torch.set_num_threads(before)
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))


def test_the_compiled_loops_run_where_they_can():
    scan(*make(SHAPES[0], KINDS[0]))
    assert explain()["matrix_scan"].backend == "numba"
