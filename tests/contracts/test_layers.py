"""What every registered layer must keep, whatever its mathematics."""

import itertools
import json

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor

from timegrain.models import build_layer, build_model, models
from timegrain.models.state import State, detach_state, map_state, state_tensors

# Variants whose code path differs count as layers of their own.
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (name, {}) for name in models.names()},
    "s4d-conv": ("s4d", {"form": "conv"}),
    "s4d-scan": ("s4d", {"form": "scan"}),
    "s6-zoh": ("s6", {"discretization": "zoh"}),
    "transformer-sinusoidal": ("transformer", {"positions": "sinusoidal"}),
    "transformer-index": ("transformer", {"positions": "index"}),
}
ANY_TAU = [v for v in VARIANTS if v != "s4d-conv"]
every = pytest.mark.parametrize("variant", VARIANTS)
# Where positions come from makes no difference to what is carried.
STEPPED = [variant for variant in VARIANTS if not variant.startswith("transformer-")]


def layer_of(variant: str, d_model: int = 6, dtype=torch.float64, **options):
    name, own = VARIANTS[variant]
    return build_layer(name, d_model=d_model, seed=3, **own, **options).to(dtype)


TOLD = [variant for variant in VARIANTS if layer_of(variant).takes_tau]


def noise(*shape: int, seed: int = 0, dtype=torch.float64) -> Tensor:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def gap(a: State, b: State) -> float:
    """Largest difference relative to the largest value of `b`, of a tensor or of a state's."""
    return max(
        ((p - q).abs().max() / q.abs().max().clamp(min=1e-300)).item() for p, q in alike(a, b)
    )


def alike(a: State, b: State):
    """Pairs of tensors in one shape: a state that grows has zeros where there is no sample."""
    for p, q in zip(state_tensors(a), state_tensors(b), strict=True):
        shape = [max(sizes) for sizes in zip(p.shape, q.shape, strict=True)]
        yield tuple(padded(t, shape) for t in (p, q))


def padded(t: Tensor, shape: list[int]) -> Tensor:
    out = t.new_zeros(shape)
    out[tuple(slice(n) for n in t.shape)] = t
    return out


def row_of(state: State, row: int) -> State:
    return map_state(lambda t: t[row : row + 1], state)


@pytest.mark.parametrize("variant", ANY_TAU)
@pytest.mark.parametrize("tau", [0.25, 1.0, 3.0])
def test_constant_tau_means_the_same_in_every_shape(variant, tau):
    layer, x = layer_of(variant), noise(3, 300, 6)
    expected, state = layer.scan(x, tau=tau)
    for same in (torch.full((3,), tau), torch.full((3, 300), tau), torch.tensor(tau)):
        y, after = layer.scan(x, tau=same)
        assert gap(y, expected) < 1e-10
        assert gap(after, state) < 1e-10


@pytest.mark.parametrize("variant", ANY_TAU)
def test_tau_belongs_to_its_sequence_and_its_step(variant):
    layer, x = layer_of(variant), noise(3, 40, 6)
    steps = noise(3, 40, seed=1).exp()
    y = layer(x, steps)
    for row in range(3):
        assert gap(layer(x[row : row + 1], steps[row : row + 1]), y[row : row + 1]) < 1e-12
    if layer.takes_tau:
        later = steps.clone()
        later[:, 25] *= 2
        changed = (layer(x, later) - y).abs().amax(dim=(0, 2))
        assert changed[:25].max() == 0
        assert changed[25:].min() > 0
    else:
        assert torch.equal(layer(x, 5.0), y)


@every
@pytest.mark.parametrize("poison", [float("nan"), float("inf"), 1e30])
def test_padding_changes_neither_outputs_nor_state_nor_gradients(variant, poison):
    layer, x = layer_of(variant), noise(3, 50, 6)
    lengths = torch.tensor([50, 17, 1])
    padded = x.clone()
    for row, length in enumerate(lengths):
        padded[row, length:] = poison
    padded.requires_grad_()
    y, state = layer.scan(padded, tau=0.5, lengths=lengths)
    assert torch.isfinite(y).all()
    for row, length in enumerate(lengths):
        alone, after = layer.scan(x[row : row + 1, :length], tau=0.5)
        assert gap(y[row : row + 1, :length], alone) < 1e-12
        assert gap(row_of(state, row), after) < 1e-12
    (y[1, :17].sum() + y[2, :1].sum()).backward()
    assert all(torch.isfinite(p.grad).all() for p in layer.parameters() if p.grad is not None)
    assert torch.all(padded.grad[1, 17:] == 0)


@every
def test_a_sequence_without_samples_keeps_its_state(variant):
    layer, x = layer_of(variant), noise(2, 20, 6)
    _, before = layer.scan(x)
    _, after = layer.scan(-x, before, lengths=torch.tensor([0, 20]))
    for t, was in alike(after, before):
        assert torch.equal(t[0], was[0])
        assert not torch.equal(t[1], was[1])


@every
def test_a_batch_of_one_equals_its_row(variant):
    layer, x = layer_of(variant), noise(4, 77, 6)
    y, state = layer.scan(x, tau=2.0)
    for row in range(4):
        alone, after = layer.scan(x[row : row + 1], tau=2.0)
        assert gap(alone[0], y[row]) < 1e-12
        assert gap(after, row_of(state, row)) < 1e-12


@every
def test_scanning_in_chunks_with_carried_state_equals_one_scan(variant):
    layer, x = layer_of(variant), noise(2, 700, 6)
    whole, last = layer.scan(x, tau=0.5)
    parts, state = [], None
    for chunk in x.split([1, 99, 300, 7, 293], dim=1):
        y, state = layer.scan(chunk, state, tau=0.5)
        parts.append(y)
    assert gap(torch.cat(parts, dim=1), whole) < 1e-10
    assert gap(state, last) < 1e-10


@pytest.mark.parametrize("variant", ANY_TAU)
def test_chunks_of_ragged_sequences_with_irregular_steps(variant):
    layer, x = layer_of(variant), noise(2, 60, 6)
    steps, lengths = noise(2, 60, seed=1).exp(), torch.tensor([60, 25])
    whole, last = layer.scan(x, tau=steps, lengths=lengths)
    first, state = layer.scan(x[:, :40], tau=steps[:, :40], lengths=lengths.clamp(max=40))
    second, state = layer.scan(
        x[:, 40:], state, tau=steps[:, 40:], lengths=(lengths - 40).clamp(min=0)
    )
    assert gap(torch.cat([first, second], dim=1)[0], whole[0]) < 1e-12
    assert gap(first[1, :25], whole[1, :25]) < 1e-12
    assert gap(state, last) < 1e-12


@pytest.mark.parametrize("variant", STEPPED)
@torch.no_grad()
def test_four_thousand_steps_equal_one_scan(variant):
    length = 4096
    for dtype, tolerance in (
        # Rounding of 4,096 updates adds like a random walk; 32 covers the sums over modes.
        (torch.float32, 32 * torch.finfo(torch.float32).eps * length**0.5),
        (torch.float64, 1e-10),
    ):
        layer, x = layer_of(variant, dtype=dtype), noise(1, length, 6, dtype=dtype)
        whole, last = layer.scan(x, tau=0.5)
        state, outputs = None, []
        for k in range(length):
            y, state = layer.step(x[:, k], state, tau=0.5)
            outputs.append(y)
        assert gap(torch.stack(outputs, dim=1), whole) < tolerance
        assert gap(state, last) < tolerance


@pytest.mark.parametrize("variant", ANY_TAU)
def test_steps_of_many_sizes_equal_the_scan(variant):
    layer, x, steps = layer_of(variant), noise(3, 50, 6), noise(3, 50, seed=1).exp()
    whole = layer(x, steps)
    state = None
    for k in range(50):
        y, state = layer.step(x[:, k], state, tau=steps[:, k])
        assert gap(y, whole[:, k]) < 1e-10


@every
def test_gradients(variant):
    layer = layer_of(variant, d_model=2, **SMALL[VARIANTS[variant][0]])
    x, start = noise(2, 5, 2).requires_grad_(), detach_state(layer.scan(noise(2, 3, 2, seed=1))[1])
    names, tensors = [name for name, _ in layer.named_parameters()], list(state_tensors(start))

    def outputs(x: Tensor, *others: Tensor):
        given = iter(others)
        before = map_state(lambda _: next(given), start)
        parameters = {f"layer.{n}": p for n, p in zip(names, given, strict=True)}
        call = torch.func.functional_call
        y, after = call(Scan(layer), parameters, (x, before, torch.tensor([5, 3])))
        parts = [torch.view_as_real(t) if t.is_complex() else t for t in state_tensors(after)]
        return y[0], y[1, :3], *parts

    others = (*tensors, *layer.parameters())
    inputs = (x, *(t.detach().requires_grad_() for t in others))
    assert torch.autograd.gradcheck(outputs, inputs)


SMALL = {
    "s4": {"n_state": 6},
    "s4d": {"n_pairs": 3},
    "s5": {"n_state": 4, "n_blocks": 2},
    "s6": {"n_state": 3},
    "mamba": {"n_state": 3},
    "transformer": {},
    "gru": {},
    "tcn": {"kernel_size": 2, "n_levels": 2},
}


class Scan(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x, start, lengths):
        return self.layer.scan(x, start, tau=0.7, lengths=lengths)


@every
def test_nothing_is_random_after_the_seed(variant):
    x = noise(2, 100, 6)
    assert torch.equal(layer_of(variant)(x), layer_of(variant)(x))


@every
def test_layers_survive_a_file(variant, tmp_path):
    name, options = VARIANTS[variant]
    net = build_model(name, d_input=2, d_output=3, d_model=6, n_layers=2, seed=3, **options)
    with torch.no_grad():
        for parameter in net.parameters():
            parameter.add_(0.1)
    save_file(net.state_dict(), tmp_path / "weights.safetensors")
    twin = build_model(**json.loads(json.dumps(net.config)))
    twin.load_state_dict(load_file(tmp_path / "weights.safetensors"))
    x = noise(2, 30, 2, dtype=torch.float32)
    assert torch.equal(twin(x, 2.0), net(x, 2.0))


@every
def test_dynamics_parameters_are_parameters_and_come_once(variant):
    layer = layer_of(variant)
    chosen, own = [id(p) for p in layer.dynamics_parameters()], {id(p) for p in layer.parameters()}
    assert len(chosen) == len(set(chosen))
    assert set(chosen) < own
    # Attention has no parameter that is a time scale.
    assert bool(chosen) == (layer.takes_tau and VARIANTS[variant][0] != "transformer")


@pytest.mark.parametrize("variant", TOLD)
def test_outputs_converge_at_the_declared_order_as_the_grid_is_refined(variant):
    layer, length, levels = layer_of(variant, skip=False), 64, 7
    generator = torch.Generator().manual_seed(5)
    amplitude = torch.randn(6, 5, generator=generator, dtype=torch.float64) / 5**0.5
    frequency = 0.5 + 4 * torch.rand(6, 5, generator=generator, dtype=torch.float64)
    phase = 6.3 * torch.rand(6, 5, generator=generator, dtype=torch.float64)
    outputs = []
    with torch.no_grad():
        for level in range(levels):
            t = torch.arange((length - 1) * 2**level + 1, dtype=torch.float64) / 2**level
            wave = torch.sin(6.2832 * frequency * t[:, None, None] / length + phase)
            outputs.append(layer((amplitude * wave).sum(-1)[None], 2.0**-level)[:, :: 2**level])
    gaps = [float((a - b).abs().max()) for a, b in itertools.pairwise(outputs)]
    orders = [torch.tensor(a / b).log2().item() for a, b in itertools.pairwise(gaps)]
    # Order p with the next term of size tau beside it: at tau = 2^-5 that is a few hundredths.
    assert orders[-1] == pytest.approx(layer.order, abs=0.05)
