"""Layers as torch.export and torch.compile record them, told an uneven step."""

import pytest
import torch

from timegrain.core.errors import LayoutError
from timegrain.kernels import use_backend
from timegrain.models import build_layer, models
from timegrain.models.steps import read_steps


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", models.names())
def test_an_exported_layer_gives_the_same_and_still_checks_its_step(name):
    layer, tau = build_layer(name, d_model=4, seed=0), torch.tensor([[0.5, 1.0, 2.0]])
    x = torch.randn(1, 3, 4, generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        exported = torch.export.export(layer, (x, tau)).module()
        want = layer(x, tau)
        # the torch form adds three terms in another order
        assert (exported(x, tau) - want).abs().max() < 1e-5 * want.abs().max()
        if layer.takes_tau:
            with pytest.raises(RuntimeError, match="positive and finite"):
                exported(x, -tau)


def test_a_compiled_layer_has_one_graph_for_any_steps_and_lengths():
    layer, x = build_layer("s4", d_model=2, seed=0), torch.ones(2, 3, 2)
    compiled = torch.compile(layer, backend="eager", fullgraph=True)
    with use_backend("torch"):  # loads what the graph is to hold
        layer(x), layer(x, torch.ones(2, 3))
    for tau in (1.0, torch.tensor([[0.5, 1.0, 2.0]] * 2)):
        for lengths in (None, torch.tensor([3, 1])):
            want = layer(x, tau, lengths=lengths)
            found = compiled(x, tau, lengths=lengths)
            assert (found - want).abs().max() < 1e-5 * want.abs().max()
    with pytest.raises(RuntimeError, match="lengths points outside"):
        compiled(x, tau, lengths=torch.tensor([3, 4]))
    with pytest.raises(LayoutError, match=r"0\.\.3"):
        read_steps(x, 1.0, torch.tensor([3, 4]))
    torch.compiler.reset()
