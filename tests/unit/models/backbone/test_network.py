import pytest
import torch
from torch import nn

from timegrain.core.errors import ConfigError, GridError, LayoutError, ModelError
from timegrain.models import Backbone, build_model, models
from timegrain.models.backbone.frame import Frame

SIZE = {"d_output": 3, "d_model": 8, "n_layers": 2, "seed": 0}


def net(name="s4d", **options):
    return build_model(name, **{"d_input": 2, **SIZE, **options})


def data(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def test_shapes_of_the_heads():
    x = data(4, 20, 2)
    assert net(head="mean")(x).shape == (4, 3)
    assert net(head="last")(x).shape == (4, 3)
    assert net(head="step")(x).shape == (4, 20, 3)
    assert net().features(x, 2.0).shape == (4, 20, 8)


def test_the_head_reads_the_features():
    x, lengths = data(3, 20, 2), torch.tensor([20, 11, 1])
    for head in ("mean", "last", "step"):
        model = net(head=head)
        features = model.features(x, 0.5, lengths=lengths)
        out = model(x, 0.5, lengths=lengths)
        for row, n in enumerate(lengths):
            valid = features[row, :n]
            pooled = {"mean": valid.mean(0), "last": valid[-1], "step": valid}[head]
            got = out[row, :n] if head == "step" else out[row]
            torch.testing.assert_close(got, model.head(pooled))


@pytest.mark.parametrize("name", models.names())
@pytest.mark.parametrize("head", ["mean", "last", "step"])
def test_padding_never_changes_a_valid_output(name, head):
    model = net(name, head=head, final_norm=True).double()
    x, lengths = data(3, 20, 2).double(), torch.tensor([20, 11, 1])
    padded = x.clone()
    padded[1, 11:], padded[2, 1:] = float("nan"), 1e30
    out = model(padded, 2.0, lengths=lengths)
    for row, n in enumerate(lengths):
        alone = model(x[row : row + 1, :n], 2.0)[0]
        got = out[row, :n] if head == "step" else out[row]
        torch.testing.assert_close(got, alone, rtol=1e-10, atol=1e-12)
    (out[:, 0].sum() if head == "step" else out.sum()).backward()
    assert all(torch.isfinite(p.grad).all() for p in model.parameters())


@pytest.mark.parametrize("name", ["s4d", "s6"])
def test_tau_reaches_every_layer(name):
    model, x, seen = net(name), data(2, 20, 2), []
    for mixer in model.mixers:
        mixer.register_forward_hook(
            lambda m, args, kwargs, y: seen.append((args[1], kwargs["lengths"])), with_kwargs=True
        )
    lengths = torch.tensor([20, 9])
    tau = torch.full((2, 20), 0.5)
    model(x, tau, lengths=lengths)
    assert len(seen) == 2
    assert all(told is tau and given is lengths for told, given in seen)
    assert not torch.equal(model(x, 1.0), model(x, 2.0))


def test_constant_tau_means_the_same_in_every_shape():
    for name in models.names():
        model, x = net(name).double(), data(2, 20, 2).double()
        expected = model(x, 0.5)
        for tau in (torch.full((2,), 0.5), torch.full((2, 20), 0.5)):
            torch.testing.assert_close(model(x, tau), expected, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(("name", "layer"), [("s4d", 8 * 130), ("s6", None), ("gru", None)])
def test_parameters_are_counted(name, layer):
    model = net(name)
    layer = layer or sum(p.numel() for p in model.mixers[0].parameters())
    block = 2 * 8 + layer + (8 * 16 + 16)
    expected = (2 * 8 + 8) + 2 * block + (8 * 3 + 3)
    assert sum(p.numel() for p in model.parameters()) == expected
    assert sum(p.numel() for p in net(name, final_norm=True).parameters()) == expected + 2 * 8
    chosen = {id(p) for p in model.dynamics_parameters()}
    assert chosen == {id(p) for m in model.mixers for p in m.dynamics_parameters()}


def test_tokens():
    model = build_model("s6", vocab=5, **SIZE)
    tokens = torch.tensor([[0, 4, 2, 1], [3, 3, 0, 0]])
    assert isinstance(model.encoder, nn.Embedding)
    out = model(tokens, lengths=torch.tensor([4, 2]))
    torch.testing.assert_close(out[1], model(tokens[1:, :2])[0])
    # What stands in the padding need not even be a token.
    tokens[1, 2:] = -100
    torch.testing.assert_close(model(tokens, lengths=torch.tensor([4, 2])), out)
    with pytest.raises(LayoutError, match=r"tokens are whole numbers, got torch\.float32"):
        model(tokens.float())
    with pytest.raises(LayoutError, match=r"expected \(batch, time\)"):
        model(tokens[..., None])


def test_tokens_that_do_not_exist_are_named():
    model = build_model("s6", vocab=5, **SIZE)
    with pytest.raises(LayoutError, match=r"tokens outside the vocabulary, got 5, expected 0\.\.4"):
        model(torch.tensor([[0, 5]]))
    with pytest.raises(LayoutError, match="got -1"):
        model(torch.tensor([[0, -1]]))


def test_takes_tau_is_the_layers_word():
    assert net("s4d").takes_tau
    assert not net("gru").takes_tau
    x = data(2, 20, 2)
    assert torch.equal(net("gru")(x, float("nan")), net("gru")(x))


def test_dropout_acts_in_training_alone():
    model, x = net(dropout=0.5), data(2, 20, 2)
    assert not torch.equal(model(x), model(x))
    model.eval()
    assert torch.equal(model(x), model(x))
    assert torch.equal(model(x), net().eval()(x))


def test_a_block_is_what_its_docstring_says():
    model, x = net(n_layers=1), data(2, 20, 2)
    (block,), h = model.blocks, model.encoder(x)
    value, gate = block.gate(nn.functional.gelu(block.mixer(block.norm(h)))).chunk(2, dim=-1)
    torch.testing.assert_close(model.features(x), h + value * torch.sigmoid(gate))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"head": "max"}, "head is unknown, got 'max', expected one of mean, last, step"),
        ({"dropout": 1.0}, "dropout is a share, got 1.0"),
        ({"n_layers": 0}, "n_layers is a whole number, got 0"),
        ({"d_output": "3"}, "d_output is a whole number, got '3'"),
        ({"d_input": None}, "needs to know its input, got d_input=None, vocab=None"),
        ({"vocab": 4}, "needs to know its input, got d_input=2, vocab=4"),
        ({"d_input": 0}, "d_input is a whole number, got 0"),
        ({"d_input": None, "vocab": -4}, "vocab is a whole number, got -4"),
    ],
)
def test_frames_that_cannot_be_built(options, message):
    with pytest.raises(ConfigError, match=message):
        net(**options)


def test_calls_that_cannot_be_answered():
    model = net()
    with pytest.raises(LayoutError, match=r"got shape \(4, 20, 3\), expected \(batch, time, 2\)"):
        model(data(4, 20, 3))
    with pytest.raises(LayoutError, match="cannot take this input"):
        model(data(20, 2))
    with pytest.raises(ModelError, match=r"got torch.float64 for a torch.float32 network"):
        model(data(4, 20, 2).double())
    with pytest.raises(LayoutError, match="without samples"):
        model(data(2, 20, 2), lengths=torch.tensor([0, 20]))
    with pytest.raises(GridError, match="tau"):
        model(data(2, 20, 2), -1.0)


def test_a_backbone_takes_layers_that_no_registry_knows():
    from timegrain.models import S4D

    frame = Frame(d_input=1, d_output=1, d_model=4, n_layers=3)
    model = Backbone(lambda: S4D(4, n_pairs=2), frame, config={"name": "own"})
    assert len({id(m) for m in model.mixers}) == 3
    assert model.config == {"name": "own"}


@pytest.mark.parametrize(
    ("weights", "given", "cure"),
    [
        (torch.float32, torch.float64, "Try x.to(torch.float32) or model.to(torch.float64)."),
        (torch.float32, torch.int64, "Try x.to(torch.float32)."),
        (torch.float32, torch.float16, "Try x.to(torch.float32), with torch.autocast("),
        (torch.bfloat16, torch.float32, "Try model.to(torch.float32)."),
        (torch.bfloat16, torch.float16, "Try model.float() and x.float()."),
    ],
)
def test_no_cure_for_unlike_precision_leads_to_weights_of_half_precision(weights, given, cure):
    with pytest.raises(ModelError, match="differ in precision") as caught:
        net("gru").to(weights)(torch.ones(1, 4, 2, dtype=given))
    assert str(caught.value).partition("\n")[2].startswith(cure)
