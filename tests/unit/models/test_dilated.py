import pytest
import torch
from torch import nn

from timegrain.core.errors import GridError, ModelError
from timegrain.models import Dilated, build_layer, build_model
from timegrain.models.layers.short_convolution import ShortConvolution


def by_hand(conv, u):
    """The filter in a plain loop, its taps `dilation` samples apart."""
    y = torch.zeros_like(u)
    for j in range(conv.width):
        late = (conv.width - 1 - j) * conv.dilation
        if late < u.shape[1]:
            y[:, late:] += conv.weight[:, j] * u[:, : u.shape[1] - late]
    return nn.functional.silu(y + conv.bias)


def convolution(dilation, width=4):
    torch.manual_seed(0)
    return ShortConvolution(3, width, dilation=dilation).double()


@pytest.mark.parametrize("dilation", [1, 2, 3, 8])
@pytest.mark.parametrize("length", [1, 5, 24])
def test_taps_are_so_many_samples_apart(dilation, length):
    conv, u = convolution(dilation), torch.randn(2, length, 3, dtype=torch.float64)
    torch.testing.assert_close(conv(u), by_hand(conv, u), rtol=0, atol=1e-14)


def test_a_dilated_convolution_goes_on_from_what_it_carries():
    conv, u = convolution(3, width=3), torch.randn(2, 20, 3, dtype=torch.float64)
    whole, before, parts = conv(u), None, []
    for piece in u.split([2, 7, 11], 1):
        parts.append(conv(piece, before))
        before = conv.last(piece, before, None)
    torch.testing.assert_close(torch.cat(parts, 1), whole, rtol=0, atol=1e-14)
    before, single = None, []
    for u_t in u.unbind(1):
        y, before = conv.step(u_t, before)
        single.append(y)
    torch.testing.assert_close(torch.stack(single, 1), whole, rtol=0, atol=1e-14)


def test_a_dilated_model_reads_the_same_instants_on_a_finer_grid():
    layer = build_layer("mamba", d_model=4, seed=0).double()
    seen = []
    layer.conv.register_forward_hook(lambda _, __, out: seen.append(out))
    fine = torch.randn(1, 33, 4, dtype=torch.float64)
    model = Dilated(layer)
    with torch.no_grad():
        model(fine, 0.25)
        model(fine[:, ::4])
        layer(fine, 0.25)
    torch.testing.assert_close(seen[0][:, ::4], seen[1], rtol=0, atol=1e-14)
    assert (seen[2][:, ::4] - seen[1]).abs().max() > 0.01
    assert layer.conv.dilation == 1


class Causal(nn.Module):
    """A convolution of torch whose caller cuts off what is too long, as transformers' Mamba."""

    def __init__(self, padding, dilation=1):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 3, padding=padding, dilation=dilation, groups=2)

    def forward(self, x):
        return self.conv(x.transpose(1, 2))[..., : x.shape[1]].transpose(1, 2)


@pytest.mark.parametrize(("padding", "dilation"), [(2, 1), (4, 2), (1, 1), ("same", 1)])
def test_convolutions_of_torch_are_dilated_too(padding, dilation):
    torch.manual_seed(0)
    net = Causal(padding, dilation).double()
    fine = torch.randn(1, 25, 2, dtype=torch.float64)
    model = Dilated(net)
    with torch.no_grad():
        torch.testing.assert_close(model(fine, 0.5)[:, ::2], net(fine[:, ::2]), rtol=0, atol=1e-14)
    assert net.conv.dilation == (dilation,)
    assert net.conv.padding == (padding if padding == "same" else (padding,))


def test_dilation_is_undone_when_the_model_fails():
    net = Causal(2)
    with pytest.raises(RuntimeError):
        Dilated(net)(torch.zeros(1, 9, 5), 0.5)
    assert net.conv.dilation == (1,)


def test_only_named_convolutions_are_dilated():
    net = build_model("mamba", d_input=2, d_output=2, d_model=4, n_layers=2, head="step", seed=0)
    names = Dilated(net).names
    assert len(names) == 2
    assert all(name.endswith("conv") for name in names)
    assert Dilated(net, names=names[1:]).names == names[1:]
    with pytest.raises(ModelError, match="encoder"):
        Dilated(net, names=("encoder",))


def test_a_model_without_convolutions_is_refused():
    with pytest.raises(ModelError, match="no convolution over time"):
        Dilated(nn.Conv1d(2, 2, 3))  # what pads it is not to be seen here


@pytest.mark.parametrize("tau", [2.0, 0.3, 0.0, -1.0, float("nan")])
def test_other_steps_are_refused(tau):
    with pytest.raises(GridError, match="whole"):
        Dilated(Causal(2))(torch.zeros(1, 9, 2), tau)
