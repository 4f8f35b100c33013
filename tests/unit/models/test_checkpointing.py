"""Layers whose activations are computed again, or kept elsewhere, have the same gradients."""

import pytest
import torch
from torch.autograd.graph import save_on_cpu
from torch.utils.checkpoint import checkpoint

from timegrain.models import build_layer

LAYERS = {
    "s4": ("s4", {"n_state": 4}),
    "s4d": ("s4d", {"n_pairs": 2}),
    "s4d-foh": ("s4d", {"n_pairs": 2, "discretization": "foh"}),
    "s5": ("s5", {"n_state": 4, "n_blocks": 1}),
    "s5-foh": ("s5", {"n_state": 4, "n_blocks": 1, "discretization": "foh"}),
    "s6": ("s6", {"n_state": 2}),
    "mamba": ("mamba", {"n_state": 2}),
    "transformer": ("transformer", {}),
    "gru": ("gru", {}),
    "tcn": ("tcn", {"n_levels": 1}),
}


@pytest.mark.parametrize("name", LAYERS)
def test_activations_computed_again_or_kept_elsewhere_give_the_same_gradients(name):
    layer, options = LAYERS[name]
    model = build_layer(layer, 4, seed=0, **options).double()
    x = torch.randn(2, 9, 4, dtype=torch.float64, requires_grad=True)
    lengths, steps = torch.tensor([9, 4]), torch.rand(2, 9, dtype=torch.float64) + 0.5

    def gradients(call):
        return torch.autograd.grad(call().square().sum(), [x, *model.parameters()])

    def kept(tau):
        with save_on_cpu():
            return model(x, tau, lengths=lengths)

    for tau in (0.5, steps):
        again = gradients(
            lambda tau=tau: checkpoint(model, x, tau, use_reentrant=False, lengths=lengths)
        )
        elsewhere = gradients(lambda tau=tau: kept(tau))
        for one, two, own in zip(
            again, elsewhere, gradients(lambda tau=tau: model(x, tau, lengths=lengths)), strict=True
        ):
            assert torch.equal(one, own) and torch.equal(two, own)
