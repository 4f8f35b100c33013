import pytest
import torch

from timegrain.models import LSTM, build_layer


def test_is_torchs_own_recurrence():
    layer = build_layer("lstm", d_model=4, seed=0)
    x = torch.randn(2, 30, 4)
    assert torch.equal(layer(x), layer.cell(x)[0])


def test_takes_any_tau_and_uses_none():
    layer = build_layer("lstm", d_model=4, seed=0)
    x = torch.randn(2, 30, 4)
    assert not layer.takes_tau
    for tau in (0.0, -3.0, float("nan"), torch.ones(7), torch.zeros(2, 30), None, "x"):
        assert torch.equal(layer(x, tau), layer(x))
        assert torch.equal(layer.step(x[:, 0], tau=tau)[0], layer.step(x[:, 0])[0])
    # not the same bits on every processor: products of one sample are added up otherwise
    torch.testing.assert_close(layer.step(x[:, 0])[0], layer(x)[:, 0])


@pytest.mark.parametrize("lengths", [[7, 30, 0], [1, 1, 1], [0, 0, 0]])
def test_a_ragged_batch_keeps_the_cell_of_each_last_sample(lengths):
    layer = build_layer("lstm", d_model=4, seed=0).double()
    x = torch.randn(3, 30, 4, dtype=torch.float64)
    before = layer.scan(torch.randn(3, 5, 4, dtype=torch.float64))[1]
    y, after = layer.scan(x, before, lengths=torch.tensor(lengths))
    for row, length in enumerate(lengths):
        mine = type(before)(*(part[row : row + 1] for part in before))
        for k in range(length):
            out, mine = layer.step(x[row : row + 1, k], mine)
            torch.testing.assert_close(y[row, k], out[0], rtol=0, atol=1e-14)
        torch.testing.assert_close(after.hidden[row], mine.hidden[0], rtol=0, atol=1e-14)
        torch.testing.assert_close(after.cell[row], mine.cell[0], rtol=0, atol=1e-14)


def test_skip_changes_nothing():
    x = torch.randn(2, 30, 4)
    without = build_layer("lstm", d_model=4, seed=0, skip=False)
    assert torch.equal(without(x), build_layer("lstm", d_model=4, seed=0)(x))


def test_parameters_are_counted():
    assert sum(p.numel() for p in LSTM(8).parameters()) == 4 * (2 * 8 * 8 + 2 * 8)
    assert not list(LSTM(8).dynamics_parameters())
