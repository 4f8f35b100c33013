"""The layer against an independent implementation of Mamba, weights copied."""

import pytest
import torch

from timegrain.models import build_layer

mamba = pytest.importorskip(
    "mambapy.mamba", reason="mambapy is a benchmark dependency: pip install mambapy"
)


@torch.no_grad()
@pytest.mark.parametrize("pscan", [True, False])
def test_equals_the_core_of_mambapy(pscan):
    config = mamba.MambaConfig(d_model=32, n_layers=1, dt_rank=4, pscan=pscan)
    block = mamba.MambaBlock(config)
    layer = build_layer("s6", d_model=config.d_inner, seed=0)
    assert layer.rank == config.dt_rank
    block.load_state_dict(layer.state_dict(), strict=False)
    assert torch.equal(block.dt_proj.bias, layer.dt_proj.bias)
    length = 333
    x = torch.randn(2, length, config.d_inner, generator=torch.Generator().manual_seed(0))
    expected = block.ssm(x, None)
    # Both round 333 updates in float32; mambapy's parallel scan sums in another order.
    tolerance = 32 * torch.finfo(torch.float32).eps * length**0.5
    assert (layer(x) - expected).abs().max() < tolerance * expected.abs().max()


def test_starts_with_the_weights_mambapy_starts_with():
    block = mamba.MambaBlock(mamba.MambaConfig(d_model=32, n_layers=1, dt_rank=4))
    layer = build_layer("s6", d_model=64)
    theirs, ours = block.state_dict(), layer.state_dict()
    assert ours.keys() <= theirs.keys()
    assert all(ours[name].shape == theirs[name].shape for name in ours)
    assert torch.equal(theirs["A_log"], ours["A_log"])
    assert torch.equal(theirs["D"], ours["D"])
