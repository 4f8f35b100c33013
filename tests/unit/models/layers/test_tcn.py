import pytest
import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.parametrizations import weight_norm

from timegrain.core.errors import ConfigError
from timegrain.models import TCN, build_layer, build_model


def layer_of(**options):
    return build_layer("tcn", d_model=4, seed=0, **options).double()


def data(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize(("kernel_size", "n_levels"), [(2, 1), (3, 4), (5, 2)])
def test_is_a_stack_of_torchs_own_convolutions(kernel_size, n_levels):
    layer, x = layer_of(kernel_size=kernel_size, n_levels=n_levels), data(2, 40, 4)
    with torch.no_grad():
        for convolution in layer.convolutions:
            convolution.gain.mul_(1.3)  # away from the norm that it starts as
    h, theirs = x.transpose(1, 2), []
    for level in range(n_levels):
        block = h
        for convolution in layer.convolutions[2 * level : 2 * level + 2]:
            own = weight_norm(nn.Conv1d(4, 4, kernel_size, dilation=2**level).double())
            with torch.no_grad():
                weights = own.parametrizations.weight
                weights.original0.copy_(convolution.gain[:, None, None])
                weights.original1.copy_(convolution.direction)
                own.bias.copy_(convolution.bias)
            theirs.append(own)
            block = F.relu(own(F.pad(block, ((kernel_size - 1) * 2**level, 0))))
        h = F.relu(h + block)
    y = layer(x)
    torch.testing.assert_close(y, h.transpose(1, 2), rtol=0, atol=1e-13)
    (y**2).sum().backward()
    (h**2).sum().backward()
    for mine, own in zip(layer.convolutions, theirs, strict=True):
        weights = own.parametrizations.weight
        torch.testing.assert_close(mine.gain.grad, weights.original0.grad[:, 0, 0])
        torch.testing.assert_close(mine.direction.grad, weights.original1.grad)
        torch.testing.assert_close(mine.bias.grad, own.bias.grad)


def test_starts_as_torchs_convolutions_do():
    layer = TCN(4)
    for convolution in layer.convolutions:
        torch.testing.assert_close(convolution.weight, convolution.direction)
    bound = 1 / (4 * 3) ** 0.5
    assert 0.9 * bound < max(c.weight.abs().max().item() for c in layer.convolutions) <= bound


def test_an_output_depends_on_its_receptive_field_alone():
    layer = layer_of(kernel_size=3, n_levels=3)
    assert layer.receptive_field == 1 + 2 * 2 * (1 + 2 + 4)
    x = data(1, 60, 4).requires_grad_()
    (reached,) = torch.autograd.grad(layer(x)[0, 50].sum(), x)
    first = 50 - layer.receptive_field + 1
    assert not reached[0, :first].any()
    assert not reached[0, 51:].any()
    assert reached[0, first].any()


def test_takes_any_tau_and_uses_none():
    layer, x = layer_of(), data(2, 30, 4)
    assert not layer.takes_tau
    for tau in (0.0, -3.0, float("nan"), torch.ones(7), torch.zeros(2, 30), None, "x"):
        assert torch.equal(layer(x, tau), layer(x))
        assert torch.equal(layer.step(x[:, 0], tau=tau)[0], layer.step(x[:, 0])[0])


def test_the_state_is_the_last_inputs_of_each_convolution():
    layer, x = layer_of(kernel_size=3, n_levels=2), data(2, 30, 4)
    seen = []
    for convolution in layer.convolutions:
        convolution.register_forward_hook(lambda _, args, y: seen.append(args[1]))
    _, state = layer.scan(x, lengths=torch.tensor([30, 3]))
    assert [part.shape[2] for part in state] == [2, 2, 4, 4]
    for part, inputs in zip(state, seen, strict=True):
        reach = part.shape[2]
        assert torch.equal(part[0], inputs[0, :, -reach:])
        before = inputs.new_zeros(4, max(reach - 3, 0))
        assert torch.equal(part[1], torch.cat([before, inputs[1, :, :3]], 1)[:, -reach:])


def test_dropout_takes_whole_channels_in_training_alone():
    layer, x = layer_of(channel_dropout=0.5), data(2, 30, 4)
    seen = []
    layer.dropout.register_forward_hook(lambda _, args, y: seen.append((args[0], y)))
    assert not torch.equal(layer(x), layer(x))
    before, after = seen[0]
    kept = (after == 2 * before).all(2)
    assert torch.equal(kept | (after == 0).all(2), torch.ones_like(kept))
    layer.eval()
    assert torch.equal(layer(x), layer(x))
    assert torch.equal(layer(x), layer_of()(x))
    net = build_model(
        "tcn", d_input=1, d_output=1, d_model=4, n_layers=1, dropout=0.25, channel_dropout=0.5
    )
    assert (net.config["dropout"], net.config["channel_dropout"]) == (0.25, 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kernel_size": 1}, "kernel_size is a whole number, got 1, expected >= 2"),
        ({"n_levels": 0}, r"n_levels is a whole number, got 0, expected 1\.\.16"),
        ({"n_levels": 17}, "n_levels is a whole number, got 17"),
        ({"channel_dropout": 1.0}, "channel_dropout is a share"),
        ({"skip": None}, "skip is a yes or no"),
    ],
)
def test_layers_that_cannot_be_built(options, message):
    with pytest.raises(ConfigError, match=message):
        TCN(4, **options)


def test_parameters_are_counted():
    assert sum(p.numel() for p in TCN(8).parameters()) == 8 * (8 * 8 * 3 + 2 * 8)
    assert not list(TCN(8).dynamics_parameters())
