import pytest
import torch

from timegrain import check_model
from timegrain.core.errors import ConfigError, ModelError
from timegrain.models import GRU, build_layer, build_model
from timegrain.models.layers.bidirectional import Bidirectional

NAMES = ("s4d", "s6", "gru")


def data(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def pair(name):
    ahead, back = (build_layer(name, d_model=4, seed=seed).double() for seed in (0, 1))
    return Bidirectional(ahead, back)


@pytest.mark.parametrize("name", NAMES)
def test_adds_the_reverse_of_the_valid_samples(name):
    layer, x, lengths = pair(name), data(3, 30, 4), torch.tensor([30, 11, 1])
    padded = x.clone()
    padded[1, 11:], padded[2, 1:] = float("nan"), 1e30
    y = layer(padded, 0.5, lengths=lengths)
    for row, n in enumerate(lengths):
        one = x[row : row + 1, :n]
        expected = layer.ahead(one, 0.5) + layer.back(one.flip(1), 0.5).flip(1)
        torch.testing.assert_close(y[row, :n], expected[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["s4d", "s6"])
def test_a_sample_is_brought_in_over_the_step_behind_it(name):
    layer, x = pair(name), data(2, 12, 4)
    steps, lengths = data(2, 12, seed=1).exp(), torch.tensor([12, 7])
    steps[1, 7:] = float("nan")
    y = layer(x, steps, lengths=lengths)
    for row, n in enumerate([12, 7]):
        s, one = steps[row : row + 1, :n], x[row : row + 1, :n]
        reverse = torch.stack([s[0, n - 1], *(s[0, k + 1] for k in range(n - 2, -1, -1))])
        expected = layer.ahead(one, s) + layer.back(one.flip(1), reverse[None]).flip(1)
        torch.testing.assert_close(y[row, :n], expected[0], rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_palindrome_read_by_twins_is_one(name):
    layer = build_layer(name, d_model=4, seed=0).double()
    x = data(2, 12, 4)
    y = Bidirectional(layer, layer)(torch.cat([x, x.flip(1)], 1))
    torch.testing.assert_close(y, y.flip(1), rtol=0, atol=1e-12)


def test_says_what_its_layers_say():
    assert pair("s4d").takes_tau
    assert pair("s4d").order == 1
    assert not pair("gru").takes_tau
    layer = pair("s6")
    assert not layer.steps
    assert len(list(layer.dynamics_parameters())) == 2 * 3
    for call in (layer.scan, lambda x: layer.step(x[:, 0])):
        with pytest.raises(ModelError, match=r"keeps no state|cannot step"):
            call(data(2, 12, 4))
    with pytest.raises(ConfigError, match="same width, got 4 and 3"):
        Bidirectional(GRU(4), GRU(3))


@pytest.mark.parametrize("name", NAMES)
def test_a_network_of_them_needs_the_whole_and_is_told_the_step(name):
    size = {"d_input": 2, "d_output": 3, "d_model": 4, "n_layers": 2, "seed": 0}
    net = build_model(name, bidirectional=True, head="step", **size).double()
    one_way = build_model(name, head="step", **size).double()
    x = data(2, 20, 2)
    assert net.takes_tau == one_way.takes_tau
    assert torch.equal(net(x, 1.0), net(x, 2.0)) == (not net.takes_tau)
    assert not net.steps
    with pytest.raises(ModelError, match="Bidirectional needs whole sequences"):
        net.scan(x)
    later = x.clone()
    later[:, 15] += 1
    assert (net(later)[:, 3] != net(x)[:, 3]).any()
    assert torch.equal(one_way(later)[:, 3], one_way(x)[:, 3])
    padded, lengths = torch.cat([x, data(2, 5, 2)], 1), torch.tensor([20, 20])
    torch.testing.assert_close(
        net(padded, 2.0, lengths=lengths)[:, :20], net(x, 2.0), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize(("name", "discretization"), [("s4d", "zoh"), ("s5", "foh")])
def test_is_of_the_order_of_its_layers(name, discretization):
    layers = [
        build_layer(name, d_model=4, seed=seed, discretization=discretization) for seed in (0, 1)
    ]
    layer = Bidirectional(*layers).double()
    assert layer.order == {"zoh": 1, "foh": 2}[discretization]
    check_model(layer, only=("order", "padding")).raise_if_failed()
