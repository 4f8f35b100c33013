import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models import build_layer, build_model
from timegrain.models.layers.transformer import Transformer

PLACES = ("rope", "sinusoidal", "none")


def layer_of(d_model=8, **options):
    return build_layer("transformer", d_model=d_model, seed=0, **options).double()


def data(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("causal", [False, True])
@pytest.mark.parametrize("n_heads", [1, 4])
def test_is_torchs_multi_head_attention(causal, n_heads):
    layer = layer_of(positions="none", causal=causal, n_heads=n_heads)
    theirs = nn.MultiheadAttention(8, n_heads, bias=False, batch_first=True).double()
    with torch.no_grad():
        theirs.in_proj_weight.copy_(layer.qkv.weight)
        theirs.out_proj.weight.copy_(layer.out.weight)
    x = data(3, 20, 8)
    ahead = torch.ones(20, 20, dtype=torch.bool).triu(1) if causal else None
    expected = theirs(x, x, x, attn_mask=ahead, need_weights=False)[0]
    torch.testing.assert_close(layer(x), expected, rtol=0, atol=1e-14)
    lengths = torch.tensor([20, 7, 1])
    padding = torch.arange(20) >= lengths[:, None]
    expected = theirs(x, x, x, attn_mask=ahead, key_padding_mask=padding, need_weights=False)[0]
    y = layer(x.masked_fill(padding[..., None], float("nan")), lengths=lengths)
    torch.testing.assert_close(y[~padding], expected[~padding], rtol=0, atol=1e-14)


@pytest.mark.parametrize("positions", PLACES)
@pytest.mark.parametrize("causal", [False, True])
def test_outputs_are_quotients_of_sums_weighted_by_the_step(positions, causal):
    layer = layer_of(positions=positions, causal=causal, n_heads=2)
    x, s = data(2, 12, 8), data(2, 12, seed=1).exp()
    y = layer(x, s)
    time = s.cumsum(1) - s[:, :1]
    q, k, v = layer._project(x, time)
    weight = (q @ k.transpose(2, 3) / 2).exp() * s[:, None, None, :]
    weight = weight.tril() if causal else weight
    heads = (weight / weight.sum(-1, keepdim=True)) @ v
    torch.testing.assert_close(y, layer.out(heads.transpose(1, 2).flatten(2)), rtol=0, atol=1e-13)


@pytest.mark.parametrize("positions", ["none", "rope", "sinusoidal"])
def test_a_sample_cut_in_two_counts_as_one(positions):
    """Every key twice, each with half its step and at the same place, changes nothing."""
    layer = layer_of(positions=positions, causal=False)
    x, s = data(2, 12, 8), data(2, 12, seed=1).exp()
    whole = layer(x, s)
    twice, half = x.repeat_interleave(2, 1), (s / 2).repeat_interleave(2, 1)
    if positions == "none":
        torch.testing.assert_close(layer(twice, half)[:, ::2], whole, rtol=0, atol=1e-13)
        causal = layer_of(positions=positions)
        # after the second half
        torch.testing.assert_close(causal(twice, half)[:, 1::2], causal(x, s), rtol=0, atol=1e-13)
        return
    # With positions the two halves are apart in time: as close as they are short.
    near = [
        (layer(x.repeat_interleave(2, 1), torch.stack([s - e, e.expand_as(s)], 2).flatten(1))
         [:, 1::2] - whole).abs().max().item()
        for e in (torch.tensor(1e-3), torch.tensor(1e-4))
    ]  # fmt: skip
    assert near[1] < 0.2 * near[0] < 1e-3


@pytest.mark.parametrize("positions", ["rope", "none"])
def test_a_constant_step_of_another_size_scales_positions_alone(positions):
    layer, x = layer_of(positions=positions), data(2, 20, 8)
    same = torch.allclose(layer(x, 3.0), layer(x), rtol=0, atol=1e-13)
    assert same == (positions == "none")


def test_rotations_do_not_know_when_the_sequence_began():
    layer = layer_of(causal=False)
    x, s = data(1, 20, 8), data(1, 20, seed=1).exp()
    q, k, _ = layer._project(x, s.cumsum(1))
    other_q, other_k, _ = layer._project(x, s.cumsum(1) + 77.0)
    torch.testing.assert_close(
        other_q @ other_k.transpose(2, 3), q @ k.transpose(2, 3), rtol=0, atol=1e-12
    )


@pytest.mark.parametrize("positions", ["rope", "sinusoidal", "index", "none"])
def test_values_carry_no_position(positions):
    layer = layer_of(positions=positions)
    one = data(1, 1, 8)
    y = layer(one.expand(1, 9, 8), 0.5)  # an average of equal values
    torch.testing.assert_close(y, y[:, :1].expand_as(y), rtol=0, atol=1e-14)


def test_numbers_of_samples_ignore_the_step():
    layer = layer_of(positions="index")
    assert not layer.takes_tau
    assert Transformer(8).takes_tau
    x = data(2, 20, 8)
    for tau in (0.0, float("nan"), torch.ones(7), None, "x"):
        assert torch.equal(layer(x, tau), layer(x))
    torch.testing.assert_close(layer(x), layer_of(positions="sinusoidal")(x, 1.0))
    assert not build_model(
        "transformer", d_input=1, d_output=1, d_model=8, n_layers=1, positions="index"
    ).takes_tau


def test_what_sees_later_samples_cannot_step():
    layer, x = layer_of(causal=False), data(2, 20, 8)
    assert not layer.steps
    assert Transformer(8).steps
    with pytest.raises(ModelError, match="Transformer keeps no state"):
        layer.scan(x)
    with pytest.raises(ModelError, match="Transformer cannot step"):
        layer.step(x[:, 0])
    _, seen = layer_of().scan(x)
    with pytest.raises(ModelError, match="cannot go on from a state"):
        layer.scan(x, seen)
    net = build_model("transformer", d_input=8, d_output=1, d_model=8, n_layers=1, causal=False)
    with pytest.raises(ModelError, match="Transformer needs whole sequences"):
        net.scan(x.float())


def test_the_state_has_room_for_what_exists():
    layer, x = layer_of(), data(3, 20, 8)
    _, seen = layer.scan(x, tau=0.5, lengths=torch.tensor([12, 0, 5]))
    assert seen.keys.shape == (3, 4, 12, 2)
    assert seen.weights.sum(1).tolist() == [6.0, 0.0, 2.5]
    assert seen.clock.tolist() == [5.5, 0.0, 2.0]
    assert not seen.keys[2, :, 5:].any()
    _, seen = layer.scan(x[:, :8], seen, tau=0.5, lengths=torch.tensor([0, 3, 8]))
    assert seen.weights.sum(1).tolist() == [6.0, 1.5, 6.5]
    assert seen.clock.tolist() == [5.5, 1.0, 6.0]
    alone = layer(x[1:2, :3], 0.5)
    torch.testing.assert_close(
        layer.scan(x[1:2, 3:4], type(seen)(*(t[1:2] for t in seen)), tau=0.5)[0],
        layer(x[1:2, :4], 0.5)[:, 3:],
    )
    assert alone.shape == (1, 3, 8)


@pytest.mark.parametrize("positions", PLACES)
def test_a_batch_in_which_nothing_has_begun_is_at_rest(positions):
    layer, x = layer_of(positions=positions), data(2, 9, 8)
    _, seen = layer.scan(x, lengths=torch.tensor([0, 0]))
    y, after = layer.step(x[:, 0], seen, tau=0.5)
    torch.testing.assert_close(y, layer.step(x[:, 0], tau=0.5)[0], rtol=0, atol=1e-14)
    assert after.clock.tolist() == [0.0, 0.0]
    torch.testing.assert_close(layer.scan(x, seen)[0], layer(x), rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("d_model", "options", "expected"),
    [
        (64, {}, 4),
        (6, {}, 3),
        (2, {}, 1),
        (5, {"positions": "none"}, 1),
        (6, {"n_heads": 6, "positions": "sinusoidal"}, 6),
    ],
)
def test_heads_fit_the_width(d_model, options, expected):
    assert Transformer(d_model, **options).n_heads == expected


@pytest.mark.parametrize(
    ("d_model", "options", "message"),
    [
        (6, {"n_heads": 4}, "shared out to heads of even width, got d_model=6, n_heads=4.*\n.*=3"),
        (6, {"n_heads": 4, "positions": "none"}, "n_heads=4.*\nTry n_heads=3"),
        (5, {}, "got d_model=5, expected pairs of channels.*\nTry an even d_model, or positions="),
        (8, {"n_heads": 0}, "n_heads is a whole number, got 0"),
        (8, {"positions": "alibi"}, "positions is unknown, got 'alibi', expected one of rope, s"),
        (8, {"causal": "no"}, "causal is a yes or no"),
    ],
)
def test_layers_that_cannot_be_built(d_model, options, message):
    with pytest.raises(ConfigError, match=message):
        Transformer(d_model, **options)


def test_a_long_and_loud_sequence_is_finite():
    torch.manual_seed(0)
    layer, length = Transformer(2), 16_384
    x = 100 * torch.randn(1, length, 2)
    with torch.no_grad():
        y = layer(x, torch.rand(1, length) + 0.5)
    assert torch.isfinite(y).all()


def test_parameters_are_those_of_four_matrices():
    layer = Transformer(8)
    assert sum(p.numel() for p in layer.parameters()) == 4 * 8 * 8
    assert not list(layer.dynamics_parameters())
    bound = (6 / 16) ** 0.5
    for weight in (*layer.qkv.weight.split(8), layer.out.weight):
        assert 0.8 * bound < weight.abs().max() <= bound
