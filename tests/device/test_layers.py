"""On a CUDA device layers do what they do on the CPU, and no operation takes its compiled loops."""

import copy

import pytest
import torch

from timegrain import check_model
from timegrain.kernels.dispatch import recorded
from timegrain.models import build_layer, build_model, models

DEVICE = "cuda"
pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
]
# Variants that reach operations of their own.
VARIANTS = {
    **{name: (name, {}) for name in models.names()},
    "s4-trapezoidal": ("s4", {"discretization": "trapezoidal"}),
    "s4d-conv": ("s4d", {"form": "conv"}),
    "s4d-scan": ("s4d", {"form": "scan"}),
    "s4d-foh": ("s4d", {"discretization": "foh"}),
    "s5-foh": ("s5", {"discretization": "foh"}),
    "s6-zoh": ("s6", {"discretization": "zoh"}),
}
OPERATIONS = {
    "diagonal_scan", "dplr_kernel", "dplr_scan", "held_scan", "linear_scan", "lti_conv",
    "mimo_scan", "selective_scan", "short_convolution", "silu_gate", "softplus_steps",
}  # fmt: skip


@pytest.fixture(autouse=True)
def exact_products(monkeypatch):
    """Keep the ten bits of TF32 out of convolutions; products of matrices are without."""
    monkeypatch.setattr(torch.backends.cudnn, "allow_tf32", False)


def draw(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def outcome(layer, x, tau, upstream, device):
    """Output and gradients, all on the CPU."""
    layer = copy.deepcopy(layer).to(device)
    x, upstream = x.to(device, copy=True).requires_grad_(), upstream.to(device)
    y = layer(x, tau.to(device) if isinstance(tau, torch.Tensor) else tau)
    y.backward(upstream)
    return [t.detach().cpu() for t in (y, x.grad, *(p.grad for p in layer.parameters()))]


def taus(variant):
    """One ratio, and one a sample."""
    return (0.5,) if variant == "s4d-conv" else (0.5, 0.5 + draw(2, 70, seed=2).exp())


@pytest.mark.parametrize("variant", VARIANTS)
def test_values_and_gradients_are_those_of_the_cpu(variant):
    name, options = VARIANTS[variant]
    layer, x = build_layer(name, d_model=6, seed=0, **options), draw(2, 70, 6, seed=0)
    for tau in taus(variant):
        wanted = outcome(layer, x, tau, draw(2, 70, 6, seed=1), "cpu")
        with recorded() as choices:
            found = outcome(layer, x, tau, draw(2, 70, 6, seed=1), DEVICE)
        assert all(choice.backend != "numba" for choice in choices.values())
        for got, want in zip(found, wanted, strict=True):
            assert (got - want).abs().max() < 1e-4 * want.abs().max()


@pytest.mark.parametrize("name", models.names())
def test_the_contract(name):
    layer = build_layer(name, d_model=4, seed=0).to(DEVICE)
    check_model(layer, quick=True).raise_if_failed()


def test_a_network_trains_there():
    net = build_model("s6", d_input=3, d_output=2, d_model=8, n_layers=2, seed=0).to(DEVICE)
    optimiser = torch.optim.AdamW(net.parameters(), lr=0.01)
    x, y = draw(8, 50, 3, seed=0).to(DEVICE), torch.arange(8, device=DEVICE) % 2
    losses = []
    for _ in range(30):
        optimiser.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(x), y)
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    assert losses[-1] < 0.5 * losses[0]


def test_the_variants_reach_every_operation_of_a_layer():
    with recorded() as choices:
        for variant, (name, options) in VARIANTS.items():
            layer = build_layer(name, d_model=6, seed=0, **options).to(DEVICE)
            for tau in taus(variant):
                tau = tau.to(DEVICE) if isinstance(tau, torch.Tensor) else tau
                layer(draw(2, 70, 6, seed=0).to(DEVICE), tau)
    assert choices.keys() >= OPERATIONS
