import pytest
import torch
from torch import nn

from timegrain.models import build_model
from timegrain.models.backbone.batch_norm import MaskedBatchNorm

LENGTHS = torch.tensor([9, 4, 1])


def data(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def valid():
    return torch.arange(9) < LENGTHS[:, None]


@pytest.mark.parametrize("poison", [0.0, 1e30, float("nan")])
def test_is_torchs_own_on_the_samples_that_exist(poison):
    mine, theirs = MaskedBatchNorm(5).double(), nn.BatchNorm1d(5).double()
    mine.load_state_dict(theirs.state_dict())
    h = data(3, 9, 5).masked_fill(~valid()[..., None], poison).requires_grad_()
    alone = h.detach()[valid()].requires_grad_()
    for _ in range(2):  # running statistics are of both
        y, expected = mine(h, valid()), theirs(alone)
    torch.testing.assert_close(y[valid()], expected, rtol=0, atol=1e-14)
    torch.testing.assert_close(mine.running_mean, theirs.running_mean, rtol=0, atol=1e-15)
    torch.testing.assert_close(mine.running_var, theirs.running_var, rtol=0, atol=1e-15)
    (y[valid()] ** 3).sum().backward()
    (expected**3).sum().backward()
    torch.testing.assert_close(h.grad[valid()], alone.grad, rtol=0, atol=1e-13)
    assert torch.all(h.grad[~valid()] == 0)
    assert torch.equal(mine.eval()(h.detach(), valid())[valid()], theirs.eval()(alone.detach()))


def test_all_samples_count_where_no_mask_is_given():
    mine, theirs = MaskedBatchNorm(5).double(), nn.BatchNorm1d(5).double()
    h = data(3, 9, 5)
    expected = theirs(h.transpose(1, 2)).transpose(1, 2)
    torch.testing.assert_close(mine(h), expected, rtol=0, atol=1e-14)
    torch.testing.assert_close(mine.running_var, theirs.running_var, rtol=0, atol=1e-15)


def test_a_single_sample_has_no_variance():
    norm, one = MaskedBatchNorm(5).double(), torch.tensor([1, 0, 0])
    norm(data(3, 9, 5))
    before = {name: value.clone() for name, value in norm.state_dict().items()}
    h, mask = data(3, 9, 5, seed=1), torch.arange(9) < one[:, None]
    y = norm(h, mask)
    assert all(torch.equal(value, before[name]) for name, value in norm.state_dict().items())
    torch.testing.assert_close(y[0, 0], norm.eval()(h)[0, 0])


@pytest.mark.parametrize("position", ["pre", "post"])
def test_a_network_in_training_never_counts_padding(position):
    net = build_model(
        "gru", d_input=2, d_output=3, d_model=4, n_layers=2, seed=0,
        norm="batch", norm_position=position, mix="mlp", final_norm=True,
    ).double()  # fmt: skip
    start = {name: value.clone() for name, value in net.state_dict().items()}
    x = data(3, 9, 2)
    seen = []
    for padding in (0.0, 1e3):
        net.load_state_dict(start)
        padded = torch.cat([x, data(3, 4, 2, seed=1)], 1) if padding else x
        mask = torch.arange(padded.shape[1]) < LENGTHS[:, None]
        out = net(padded.masked_fill(~mask[..., None], padding), lengths=LENGTHS)
        seen.append((out, {name: value.clone() for name, value in net.state_dict().items()}))
    torch.testing.assert_close(seen[0][0], seen[1][0], rtol=0, atol=1e-13)
    torch.testing.assert_close(seen[0][1], seen[1][1], rtol=0, atol=1e-13)
    moved = [name for name in start if not torch.equal(start[name], seen[0][1][name])]
    assert len(moved) == 3 * (2 + 2 + 1)  # mean, variance and count of every norm
    rows = [net.eval()(x[i : i + 1, :n])[0] for i, n in enumerate(LENGTHS)]
    torch.testing.assert_close(net(x, lengths=LENGTHS), torch.stack(rows), rtol=0, atol=1e-13)
