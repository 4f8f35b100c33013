"""The block against an independent implementation of Mamba, weights copied."""

import pytest
import torch

from timegrain.models import build_layer

mamba = pytest.importorskip(
    "mambapy.mamba", reason="mambapy is a benchmark dependency: pip install mambapy"
)


def pair(d_model: int = 24, **options):
    """Our block and theirs with its weights."""
    torch.manual_seed(0)
    theirs = mamba.MambaBlock(mamba.MambaConfig(d_model=d_model, n_layers=1, **options))
    ours = build_layer("mamba", d_model=d_model, bias=options.get("bias", False))
    weights = theirs.state_dict()
    weights["conv1d.weight"] = weights["conv1d.weight"][:, 0]
    inner = ("A_log", "D", "x_proj", "dt_proj")
    ours.load_state_dict(
        {
            f"ssm.{name}" if name.startswith(inner) else name.replace("conv1d", "conv"): value
            for name, value in weights.items()
        }
    )
    return ours, theirs


@torch.no_grad()
@pytest.mark.parametrize("options", [{}, {"pscan": False}, {"bias": True}], ids=str)
def test_equals_the_block_of_mambapy(options):
    ours, theirs = pair(**options)
    x = torch.randn(2, 333, 24, generator=torch.Generator().manual_seed(0))
    expected = theirs(x)
    assert (ours(x) - expected).abs().max() < 1e-5 * expected.abs().max()


@torch.no_grad()
def test_steps_as_the_block_of_mambapy():
    ours, theirs = pair()
    x = torch.randn(2, 9, 24, generator=torch.Generator().manual_seed(0))
    state, cache = None, (None, torch.zeros(2, 48, 3))
    for k in range(9):
        y, state = ours.step(x[:, k], state)
        expected, cache = theirs.step(x[:, k], cache)
        assert (y - expected).abs().max() < 1e-5 * expected.abs().max()
    assert torch.equal(state[0], cache[1].mT)


def test_has_the_gradients_of_mambapy():
    ours, theirs = pair()
    x = torch.randn(2, 100, 24, generator=torch.Generator().manual_seed(0))
    ours(x).square().sum().backward()
    theirs(x).square().sum().backward()
    expected = {
        name.replace("conv1d", "conv"): p.grad[:, 0] if name == "conv1d.weight" else p.grad
        for name, p in theirs.named_parameters()
    }
    for name, parameter in ours.named_parameters():
        want = expected[name.removeprefix("ssm.")]
        # sums over 200 samples of terms of either sign, in float32
        assert (parameter.grad - want).abs().max() < 1e-4 * want.abs().max(), name
