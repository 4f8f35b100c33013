import pytest
import torch

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models import CKConv, build_layer
from timegrain.models.layers import kernel_sums


def signal(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def layer_of(**options):
    return build_layer("ckconv", d_model=3, seed=0, length=20, d_hidden=8, **options).double()


def by_hand(layer, x, times, weights):
    """The sum over all pairs of samples, one at a time, with the network written out."""
    parts = layer.first, layer.second, layer.third
    g = [part.parametrizations.weight.original0 for part in parts]
    v = [part.parametrizations.weight.original1 for part in parts]
    w = [a * b / b.norm(dim=1, keepdim=True) for a, b in zip(g, v, strict=True)]
    y = layer.bias.expand(x.shape).clone()
    for k in range(x.shape[1]):
        for j in range(k + 1):
            lag = times[k] - times[j]
            if lag >= 20:
                continue
            hidden = torch.stack([2 * lag / 19 - 1])
            hidden = torch.sin(30 * (w[0] @ hidden + layer.first.bias))
            hidden = torch.sin(30 * (w[1] @ hidden + layer.second.bias))
            kernel = (w[2] @ hidden + layer.third.bias).view(3, 3) / (3 * 20) ** 0.5
            y[:, k] = y[:, k] + weights[j] * (x[:, j] @ kernel.T)
    return y


@pytest.mark.parametrize("tau", [1.0, 0.5, 3.0])
def test_is_the_sum_over_all_pairs(tau):
    layer, x = layer_of(), signal(2, 50, 3)
    wanted = by_hand(layer, x, tau * torch.arange(50).double(), torch.full((50,), tau).double())
    torch.testing.assert_close(layer(x, tau), wanted, rtol=0, atol=1e-12)


def test_samples_at_any_times():
    layer, x, tau = layer_of(), signal(1, 30, 3), signal(1, 30, seed=1).exp()
    wanted = by_hand(layer, x, tau[0].cumsum(0), tau[0])
    torch.testing.assert_close(layer(x, tau), wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("most", [60, 2**22])
def test_blocks_change_neither_values_nor_gradients(most, monkeypatch):
    monkeypatch.setattr(kernel_sums, "MOST", most)
    layer, x = layer_of(), signal(2, 30, 3)
    even = layer(x, 0.5).square().sum()
    each = layer(x, torch.full((2, 30), 0.5).double()).square().sum()
    torch.testing.assert_close(even, each, rtol=1e-12, atol=0)
    a, b = (torch.autograd.grad(y, list(layer.parameters())) for y in (even, each))
    for p, q in zip(a, b, strict=True):
        torch.testing.assert_close(p, q, rtol=1e-9, atol=1e-11)


def test_outputs_keep_the_size_of_the_input_whatever_the_length():
    sizes = []
    for length in (64, 1024):
        layer = build_layer("ckconv", d_model=16, length=length, seed=0)
        sizes.append(layer(torch.randn(4, 1024, 16))[:, length - 1 :].std().item())
    assert all(0.2 < size < 2 for size in sizes)


def test_needs_the_whole_sequence():
    layer = layer_of()
    assert not layer.steps
    with pytest.raises(ModelError, match="cannot step"):
        layer.step(signal(1, 3))
    with pytest.raises(ModelError, match="keeps no state"):
        layer.scan(signal(1, 5, 3))
    with pytest.raises(ConfigError, match="omega"):
        CKConv(3, omega=-1.0)


def test_jacobians_by_torch_func():
    layer, x = layer_of(), signal(1, 5, 3)
    found = torch.func.jacrev(lambda u: layer(u, 0.5))(x)
    wanted = torch.autograd.functional.jacobian(lambda u: layer(u, 0.5), x)
    torch.testing.assert_close(found, wanted, rtol=0, atol=1e-14)
