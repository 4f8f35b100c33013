"""What the matrix scan has to do whatever runs it: closed forms, states, gates of 0, arguments."""

import itertools
import math

import pytest
import torch

from timegrain.core.errors import ConfigError, LayoutError
from timegrain.kernels import matrix_scan, matrix_step, selective_scan

BACKENDS = ("numba", "torch", "reference")
KINDS = list(itertools.product(("none", "head", "channel"), (False, True)))
EPS = torch.finfo(torch.float64).eps
B, L, G, H, KEY, VALUE = 2, 37, 2, 4, 5, 7


def draw(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def make(kind, length=L):
    """q, k, v, and options."""
    unit = torch.nn.functional.normalize(draw(B, length, G, KEY, seed=1), dim=-1)
    gates = {
        "none": {},
        "head": {"log_gate": -draw(B, length, H, seed=3).abs()},
        "channel": {"log_gate": -draw(B, length, H, KEY, seed=3).abs()},
    }[kind[0]]
    beta = {"beta": draw(B, length, H, seed=4).sigmoid()} if kind[1] else {}
    return (draw(B, length, G, KEY), unit, draw(B, length, H, VALUE, seed=2)), {**gates, **beta}


def close(got, want, steps=L):
    """Six roundings a step, whose signs are not counted on; relative to the largest number."""
    assert (got - want).abs().max() < 12 * steps * EPS * want.abs().max()


@pytest.mark.parametrize("backend", BACKENDS)
def test_nothing_but_keys_is_linear_attention(backend):
    (q, k, v), _ = make(KINDS[0])
    scores = torch.einsum("blgi,bmgi->bglm", q, k).tril().repeat_interleave(H // G, 1)
    y = matrix_scan(q, k, v, backend=backend, chunk=8)
    close(y, torch.einsum("bhlm,bmhj->blhj", scores, v))


@pytest.mark.parametrize("backend", BACKENDS)
def test_one_gate_a_head_is_the_selective_scan_with_one_pole_a_head(backend):
    """Mamba-2: B, C shared by all heads, steps and poles those of a head."""
    steps, poles = draw(B, L, 3).abs(), -draw(3, seed=1).abs()
    u, write, read = (draw(B, L, 3, VALUE, seed=2), *(draw(B, L, KEY, seed=s) for s in (3, 4)))
    y = matrix_scan(
        read[:, :, None], write[:, :, None], steps[..., None] * u,
        log_gate=steps * poles, backend=backend, chunk=8,
    )  # fmt: skip
    wide = steps.repeat_interleave(VALUE, -1)
    A = poles.repeat_interleave(VALUE)[:, None].expand(-1, KEY).contiguous()
    close(y.flatten(2), selective_scan(u.flatten(2), wide, A, write, read))


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("gate", ["none", "head", "channel"])
def test_the_whole_strength_on_a_unit_key_writes_exactly_the_value(backend, gate):
    (_, k, v), options = make((gate, True))
    options["beta"] = torch.ones_like(options["beta"])
    close(matrix_scan(k, k, v, **options, backend=backend, chunk=8), v)


@pytest.mark.parametrize("backend", BACKENDS)
def test_orthogonal_keys_never_erase_each_other(backend):
    """With beta = 1 then, the delta rule is linear attention."""
    k = torch.linalg.qr(draw(64, 64))[0][None, :, None]
    q, v, beta = draw(1, 64, 1, 64), draw(1, 64, 1, VALUE, seed=1), torch.ones(1, 64, 1)
    close(matrix_scan(q, k, v, beta=beta, backend=backend), matrix_scan(q, k, v), 64 * 64)


@pytest.mark.parametrize("backend", BACKENDS)
def test_consecutive_heads_share_a_group(backend):
    (q, k, v), options = make(("channel", True))
    own = [t[:, :, [0, 0, 1, 1]] for t in (q, k)]
    shared = matrix_scan(q, k, v, **options, backend=backend)
    close(shared, matrix_scan(*own, v, **options, backend="reference"))


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_carried_state_and_single_steps_continue_the_scan(backend, kind):
    inputs, options = make(kind)
    state = draw(B, H, KEY, VALUE, seed=5)
    common = {"return_state": True, "backend": backend, "chunk": 8}
    whole, last = matrix_scan(*inputs, **options, initial_state=state, **common)
    pieces, carried = [], state
    for part in (slice(0, 1), slice(1, 20), slice(20, L)):
        taken = {name: t[:, part] for name, t in options.items()}
        y, carried = matrix_scan(
            *(t[:, part] for t in inputs), **taken, initial_state=carried, **common
        )
        pieces.append(y)
    close(torch.cat(pieces, 1), whole)
    close(carried, last)
    for t in range(L):
        y, state = matrix_step(
            *(x[:, t] for x in inputs), state, **{name: x[:, t] for name, x in options.items()}
        )
        close(y, whole[:, t])
    close(state, last)


@pytest.mark.parametrize("gate", ["head", "channel"])
@pytest.mark.parametrize("delta", [False, True])
@pytest.mark.parametrize("backend", BACKENDS)
def test_a_gate_of_zero_forgets_exactly(backend, delta, gate):
    """Before it, in a chunk and at its start: nothing comes through, to values or gradients."""
    inputs, options = make((gate, delta))
    for at in (1, 8, 21):
        options["log_gate"][:, at] = -torch.inf
    found = []
    for early in (1, 1e3):
        early = early * torch.ones(L, dtype=torch.float64)
        early[21:] = 1
        q, _, v = (t * early[:, None, None] for t in inputs)
        leaves = [t.clone().requires_grad_() for t in (q, inputs[1], v, *options.values())]
        named = dict(zip(options, leaves[3:], strict=True))
        y, state = matrix_scan(*leaves[:3], **named, return_state=True, backend=backend, chunk=8)
        (y[:, 21:].sum() + state.sum()).backward()
        for leaf in leaves:
            assert torch.isfinite(leaf.grad).all() and (leaf.grad[:, :21] == 0).all()
        assert (leaves[3].grad[:, 21] == 0).all() and (leaves[2].grad[:, 21:] != 0).any()
        assert torch.isfinite(y).all()
        found.append((y[:, 21:], state))
    assert all(torch.equal(a, b) for a, b in zip(*found, strict=True))
    fresh = matrix_scan(*(t[:, 21:] for t in inputs), **{n: t[:, 21:] for n, t in options.items()})
    close(found[0][0], fresh)


@pytest.mark.parametrize("kind", [("head", False), ("channel", True)], ids=str)
def test_strong_gates_over_a_long_sequence_stay_finite(kind):
    """65,536 samples in float32 whose gates go from 1 down to exp(-400), which is 0."""
    length, width = 65_536, 4
    generator = torch.Generator().manual_seed(0)

    def normal(*size):
        return torch.randn(*size, generator=generator)

    q, k, v = (normal(1, length, 1, width) for _ in range(3))
    k = torch.nn.functional.normalize(k, dim=-1)
    size = (1, length, 1) + (width,) * (kind[0] == "channel")
    options = {"log_gate": -400 * torch.rand(size, generator=generator) ** 8}
    if kind[1]:
        options["beta"] = normal(1, length, 1).sigmoid()
    found = {}
    for backend in ("numba", "torch"):
        leaves = [t.clone().requires_grad_() for t in (q, k, v, *options.values())]
        y = matrix_scan(*leaves[:3], **dict(zip(options, leaves[3:], strict=True)), backend=backend)
        y.sin().sum().backward()
        found[backend] = [y.detach(), *(t.grad for t in leaves)]
    # of 64 gates in a row one is below exp(-17), which is eps, but for 65,536 chances of 1e-11: a
    # term passes 64 steps, and 64 of the adjoint, of 6 roundings each
    bound = 6 * math.sqrt(12 * 64 * 2) * torch.finfo(torch.float32).eps
    for got, want in zip(*found.values(), strict=True):
        assert torch.isfinite(got).all()
        assert (got - want).abs().max() < bound * want.abs().max()


@pytest.mark.parametrize("backend", BACKENDS)
def test_half_precision_comes_back_and_the_state_keeps_its_own(backend):
    inputs, options = make(("head", True))
    halves = [t.bfloat16() for t in inputs]
    y, state = matrix_scan(*halves, **options, return_state=True, backend=backend)
    assert y.dtype == torch.bfloat16 and state.dtype == torch.float64
    y, state = matrix_scan(*halves, return_state=True, backend=backend)
    assert y.dtype == torch.bfloat16 and state.dtype == torch.float32
    assert torch.equal(y, matrix_scan(*(t.float() for t in halves), backend=backend).bfloat16())
    y, state = matrix_step(*(t[:, 0] for t in halves), state)
    assert y.dtype == torch.bfloat16 and state.dtype == torch.float32


def test_wrong_arguments_are_named():
    (q, k, v), options = make(("head", True))
    with pytest.raises(LayoutError, match=r"cannot fit k .*, got k of shape \(2, 36, 2, 5\)"):
        matrix_scan(q, k[:, 1:], v)
    with pytest.raises(LayoutError, match=r"needs heads .* divide those of v.*2 heads .* 3 of v"):
        matrix_scan(q, k, v[:, :, :3])
    with pytest.raises(LayoutError, match=r"cannot fit log_gate .*expected \(b=2 of q, l=37 of q"):
        matrix_scan(q, k, v, log_gate=options["log_gate"][..., :2])
    with pytest.raises(LayoutError, match=r"cannot fit log_gate .*i=5 of q"):
        matrix_scan(q, k, v, log_gate=options["log_gate"][..., None])
    with pytest.raises(LayoutError, match=r"cannot fit beta .*\n?.*transpose"):
        matrix_scan(q, k, v, beta=options["beta"].mT)
    with pytest.raises(LayoutError, match="cannot fit initial_state"):
        matrix_scan(q, k, v, initial_state=draw(B, H, VALUE, KEY))
    with pytest.raises(ConfigError, match=r"real floating-point numbers for v"):
        matrix_scan(q, k, v + 0j)
    with pytest.raises(LayoutError, match="at least one element along every axis of q"):
        matrix_scan(q[:, :0], k[:, :0], v[:, :0])
    for chunk in (0, 48, 64.0, True):
        with pytest.raises(ConfigError, match=r"a power of 2 for chunk, got"):
            matrix_scan(q, k, v, chunk=chunk)
    with pytest.raises(LayoutError, match=r"matrix_step\(\) cannot fit state"):
        matrix_step(q[:, 0], k[:, 0], v[:, 0], draw(B, H, VALUE, KEY))
