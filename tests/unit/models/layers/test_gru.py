import torch

from timegrain.models import GRU, build_layer


def test_is_torchs_own_recurrence():
    layer = build_layer("gru", d_model=4, seed=0)
    x = torch.randn(2, 30, 4)
    assert torch.equal(layer(x), layer.cell(x)[0])


def test_takes_any_tau_and_uses_none():
    layer = build_layer("gru", d_model=4, seed=0)
    x = torch.randn(2, 30, 4)
    assert not layer.takes_tau
    for tau in (0.0, -3.0, float("nan"), torch.ones(7), torch.zeros(2, 30), None, "x"):
        assert torch.equal(layer(x, tau), layer(x))
        assert torch.equal(layer.step(x[:, 0], tau=tau)[0], layer.step(x[:, 0])[0])
    # not the same bits on every processor: products of one sample are added up otherwise
    torch.testing.assert_close(layer.step(x[:, 0])[0], layer(x)[:, 0])


def test_skip_changes_nothing():
    x = torch.randn(2, 30, 4)
    without = build_layer("gru", d_model=4, seed=0, skip=False)
    assert torch.equal(without(x), build_layer("gru", d_model=4, seed=0)(x))


def test_parameters_are_counted():
    assert sum(p.numel() for p in GRU(8).parameters()) == 3 * (2 * 8 * 8 + 2 * 8)
    assert not list(GRU(8).dynamics_parameters())
