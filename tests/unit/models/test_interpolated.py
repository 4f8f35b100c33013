"""Convolutions that read the instants of the trained grid at any step."""

import pytest
import torch
from torch import nn

from timegrain.core.errors import GridError
from timegrain.models import Dilated, Interpolated, build_layer
from timegrain.models.layers.short_convolution import ShortConvolution

GRID = torch.arange(61, dtype=torch.float64)


def sampled(function, tau):
    return function(tau * GRID)[None, :, None].expand(1, -1, 2)


class Net(nn.Module):
    """A convolution over time, of torch or timegrain, whose caller cuts off what is too long."""

    def __init__(self, conv):
        super().__init__()
        self.conv = conv

    def forward(self, x):
        if isinstance(self.conv, ShortConvolution):
            return self.conv(x)
        return self.conv(x.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2)


def nets():
    torch.manual_seed(0)
    return [
        Net(ShortConvolution(2, 4)).double(),
        Net(ShortConvolution(2, 3, dilation=2)).double(),
        Net(nn.Conv1d(2, 2, 4, padding=3, groups=2)).double(),
        Net(nn.Conv1d(2, 3, 5, padding=2)).double(),
        Net(nn.Conv1d(2, 2, 3, padding="same", dilation=2)).double(),
    ]


def by_hand(conv, function, times):
    """What a convolution is in continuous time, its taps one trained step apart."""
    own = isinstance(conv, ShortConvolution)
    taps = conv.weight.shape[-1]
    apart = conv.dilation if own else conv.dilation[0]
    centred = not own and conv.padding != (apart * (taps - 1),)
    newest = (taps - 1) / 2 if centred else taps - 1
    weight = conv.weight.reshape(conv.weight.shape[0], -1, taps).sum(1)  # all channels are alike
    lags = apart * (newest - torch.arange(taps, dtype=torch.float64))
    out = conv.bias + function(times[:, None] - lags) @ weight.T
    return nn.functional.silu(out) if own else out


@pytest.mark.parametrize("net", nets())
@pytest.mark.parametrize("tau", [0.4, 0.75, 1.5, 2.0])
@pytest.mark.parametrize("function", [lambda t: 0.3 - 0.05 * t, torch.sin])
def test_it_reads_between_samples_along_straight_lines(net, tau, function):
    dilation = net.conv.dilation
    inside = slice(15, 45)  # the ends of the grid have zeros within reach
    with torch.no_grad():
        found = Interpolated(net)(sampled(function, tau), tau)[0, inside]
        wanted = by_hand(net.conv, function, tau * GRID[inside])
        # |u''| <= 1 for the sine and 0 for the line; silu is steeper than 1 by a tenth at most
        bound = 0.0 if function is not torch.sin else 1.1 * tau**2 / 8
        weights = net.conv.weight.abs().flatten(1).sum(1)
    assert ((found - wanted).abs() <= bound * weights + 1e-13).all()
    assert net.conv.dilation == dilation


def test_the_layer_is_as_it_was_and_has_gradients():
    layer = build_layer("mamba", d_model=4, seed=0)
    before = dict(layer.conv.__dict__), layer.conv.weight
    Interpolated(layer)(torch.randn(1, 20, 4), 0.7).sum().backward()
    assert (dict(layer.conv.__dict__), layer.conv.weight) == before
    assert float(layer.conv.weight.grad.abs().sum()) > 0


def test_a_step_is_one_positive_number():
    model = Interpolated(nets()[0])
    for tau in (0.0, -1.0, float("nan"), torch.ones(1)):
        with pytest.raises(GridError, match="one step ratio"):
            model(sampled(torch.sin, 1.0), tau)


def test_whole_numbers_are_dilations():
    net, x = nets()[0], sampled(torch.sin, 0.25)
    with torch.no_grad():
        torch.testing.assert_close(Interpolated(net)(x, 0.25), Dilated(net)(x, 0.25))
        torch.testing.assert_close(Interpolated(net)(x), net(x), rtol=0, atol=0)
