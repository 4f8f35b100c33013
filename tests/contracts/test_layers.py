"""What every registered layer must keep, whatever its mathematics."""

import pytest
import torch
from torch import Tensor

from timegrain import check_model
from timegrain.models import build_layer, models
from timegrain.models.state import State, state_tensors

# Variants whose code path differs count as layers of their own.
VARIANTS: dict[str, tuple[str, dict[str, object]]] = {
    **{name: (name, {}) for name in models.names()},
    "s4d-conv": ("s4d", {"form": "conv"}),
    "s4d-scan": ("s4d", {"form": "scan"}),
    "s4d-foh": ("s4d", {"discretization": "foh", "init": "legs"}),
    "s4-trapezoidal": ("s4", {"discretization": "trapezoidal", "init": "fout", "n_state": 16}),
    "s5-foh": ("s5", {"discretization": "foh", "n_state": 16, "n_blocks": 2}),
    "s6-zoh": ("s6", {"discretization": "zoh"}),
    "transformer": ("transformer", {"n_heads": 1}),
    "transformer-heads": ("transformer", {"n_heads": 3}),
    "transformer-sinusoidal": ("transformer", {"positions": "sinusoidal"}),
    "transformer-index": ("transformer", {"positions": "index"}),
}
ANY_TAU = [v for v in VARIANTS if v != "s4d-conv"]
NO_SCALE = ("transformer", "linear_attention")
# A kernel over all of the past: no state to go on from.
WHOLE = ("ckconv",)
every = pytest.mark.parametrize("variant", VARIANTS)
# Some 10 to 30 s each: torch's own loop over samples, eight convolutions a step, and attention,
# whose time grows with the square of the length and with the heads.
LONG = ("gru", "lstm", "tcn", "transformer")
# At two channels these are other variants, but for what has no gradient.
ALIKE = ("transformer-heads", "transformer-index")
# Few enough numbers that the gradient of each one is compared.
SMALL: dict[str, dict[str, object]] = {
    "s4": {"n_state": 6},
    "s4d": {"n_pairs": 3},
    "s5": {"n_state": 4, "n_blocks": 2},
    "s6": {"n_state": 3},
    "mamba": {"n_state": 3},
    "transformer": {},
    "gru": {},
    "lru": {"n_state": 3},
    "lstm": {},
    "ckconv": {"length": 8, "d_hidden": 3},
    "linear_attention": {},
    "gla": {"rank": 2},
    "b2s6": {"n_state": 3},
    "mamba2": {"n_state": 2, "expand": 1},
    "mamba3": {"n_state": 4, "expand": 1, "rank": 2},
    "deltanet": {},
    "gated_deltanet": {"expand_v": 1},
    "tcn": {"kernel_size": 2, "n_levels": 2},
}


def layer_of(variant: str, d_model: int = 6, dtype=torch.float64, **options):
    name, own = VARIANTS[variant]
    return build_layer(name, d_model=d_model, seed=3, **own, **options).to(dtype)


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


@pytest.mark.parametrize(
    "variant", [pytest.param(v, marks=pytest.mark.slow) if v in LONG else v for v in VARIANTS]
)
def test_the_contract(variant):
    name, options = VARIANTS[variant]
    quick = name != variant
    result = check_model(name, d_model=6, options=options, skip=("gradients",), quick=quick)
    result.raise_if_failed()
    if not quick:
        said = {row.label: row.reason for row in result.checks}
        for dtype in ("float32", "float64"):
            assert said.get(f"steps {dtype}", "4,096 steps") == "4,096 steps"
            assert said[f"finite {dtype}"] == "65,536 samples at amplitude 100"
        assert said["finite bfloat16"] == "65,536 samples at amplitude 100"
    # what it says does not apply is what its options say, and nothing else
    silent = {row.label for row in result.checks if row.verdict == "not applicable"}
    if variant == "s4d-conv":
        assert silent == {
            "tau-forms per sequence",
            "tau-forms per sample",
            "tau-reaches own sequence",
            "steps of many sizes",
        }
    elif variant in WHOLE:
        assert silent == {"forward", "chunks", "steps", "padding state"}
    else:
        assert silent == (set() if result.told else {"tau-reaches", "order"})


@pytest.mark.parametrize("variant", [v for v in VARIANTS if v not in ALIKE])
def test_the_gradient_of_each_number(variant):
    name, own = VARIANTS[variant]
    result = check_model(name, d_model=2, options={**own, **SMALL[name]}, only=("gradients",))
    result.raise_if_failed()
    assert result.checks[0].reason.endswith("each")


def test_what_needs_the_whole_sequence_says_so():
    slow = ("finite", "gradients", "order")
    result = check_model("transformer", options={"causal": False}, skip=slow)
    result.raise_if_failed()
    silent = {row.check: row.reason for row in result.checks if row.verdict == "not applicable"}
    assert {"forward", "chunks", "steps"} <= set(silent)
    assert "steps = False" in silent["steps"]


@pytest.mark.parametrize("variant", ANY_TAU)
def test_tau_belongs_to_its_step(variant):
    layer, x, steps = layer_of(variant), noise(3, 40, 6), noise(3, 40, seed=1).exp()
    y, later = layer(x, steps), steps.clone()
    later[:, 25] *= 2
    changed = (layer(x, later) - y).abs().amax(dim=(0, 2))
    if layer.takes_tau:
        assert changed[:25].max() == 0
        assert changed[25:].min() > 0
    else:
        assert changed.max() == 0


@pytest.mark.parametrize("variant", [v for v in ANY_TAU if v not in WHOLE])
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


@every
def test_dynamics_parameters_are_parameters_and_come_once(variant):
    layer = layer_of(variant)
    chosen, own = [id(p) for p in layer.dynamics_parameters()], {id(p) for p in layer.parameters()}
    assert len(chosen) == len(set(chosen))
    assert set(chosen) < own
    # Attention has no parameter that is a time scale.
    assert bool(chosen) == (layer.takes_tau and VARIANTS[variant][0] not in NO_SCALE)


@pytest.mark.parametrize("variant", ["s4", "s4d-foh", "s5-foh", "s6", "mamba", "transformer"])
def test_a_gradient_reaches_a_tau_of_one_number(variant):
    layer, x = layer_of(variant), noise(2, 5, 6)
    one = torch.tensor(1.3, dtype=torch.float64, requires_grad=True)
    each = torch.full((2,), 1.3, dtype=torch.float64, requires_grad=True)
    for tau in (one, each):
        y, state = layer.scan(x, tau=tau)
        stepped, _ = layer.step(x[:, 0], state, tau=tau)
        (y.square().sum() + stepped.square().sum()).backward()
    assert one.grad is not None
    assert each.grad is not None
    assert each.grad.abs().min() > 1e-9
    assert one.grad.item() == pytest.approx(each.grad.sum().item(), rel=1e-9)


@pytest.mark.parametrize("variant", ["s4", "s4d", "s4d-foh", "s5", "s5-foh", "s6", "mamba"])
@pytest.mark.parametrize(("tau", "dt"), [(1e9, 1e6), (1e-20, 1e-12)])
def test_the_ends_of_the_range_of_steps_give_numbers(variant, tau, dt):
    layer = layer_of(variant, dtype=torch.float32, dt_min=dt, dt_max=dt)
    x = noise(2, 40, 6, dtype=torch.float32)
    y, state = layer.scan(x, tau=tau)
    each, _ = layer.scan(x, tau=torch.full((2,), tau))
    stepped, _ = layer.step(x[:, 0], state, tau=tau)
    for out in (y, each, stepped, *state_tensors(state)):
        assert out.isfinite().all()
