import itertools
import json

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from timegrain.core.errors import ConfigError
from timegrain.models import build_model

SIZE = {"d_input": 2, "d_output": 3, "d_model": 6, "n_layers": 1, "seed": 0}
NORM = {
    "layer": lambda h: F.layer_norm(h, h.shape[-1:]),
    "rms": lambda h: h / (h.square().mean(-1, keepdim=True) + 1e-5).sqrt(),
    # in eval mode, never trained: mean 0, variance 1
    "batch": lambda h: h / (1 + 1e-5) ** 0.5,
}


def net(name="s4d", **options):
    return build_model(name, **{**SIZE, **options}).double().eval()


def data(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("norm", ["layer", "batch", "rms"])
@pytest.mark.parametrize("position", ["pre", "post"])
@pytest.mark.parametrize("mix", ["glu", "mlp", "none"])
def test_a_block_is_what_its_docstring_says(norm, position, mix):
    model, x, N = net(norm=norm, norm_position=position, mix=mix), data(2, 20, 2), NORM[norm]
    (block,), h = model.blocks, model.encoder(x)

    def branch(h, f):
        return h + f(N(h)) if position == "pre" else N(h + f(h))

    if mix == "glu":
        expected = branch(h, lambda u: F.glu(block.gate(F.gelu(block.mixer(u)))))
    else:
        expected = branch(h, block.mixer)
    if mix == "mlp":
        up, _, down = block.mlp
        assert up.out_features == 4 * 6
        expected = branch(expected, lambda u: down(F.gelu(up(u))))
    torch.testing.assert_close(model.features(x), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("bidirectional", [False, True])
@pytest.mark.parametrize("mix", ["glu", "mlp", "none"])
def test_a_network_of_any_kind_comes_back_from_its_config(mix, bidirectional):
    model = net(mix=mix, bidirectional=bidirectional, norm="batch", norm_position="post")
    twin = build_model(**json.loads(json.dumps(model.config))).double().eval()
    x = data(2, 20, 2)
    assert torch.equal(twin(x), model(x))


def test_networks_stored_before_there_were_such_options_come_back():
    model = net(n_layers=2)
    new = {"norm", "norm_position", "mix", "bidirectional"}
    old = {k: v for k, v in model.config.items() if k not in new}
    assert len(old) == len(model.config) - len(new)
    assert torch.equal(build_model(**old).double()(data(2, 20, 2)), model(data(2, 20, 2)))
    names = [n.removeprefix("blocks.0.") for n in model.state_dict() if n.startswith("blocks.0.")]
    assert {n for n in names if not n.startswith("mixer.")} == {
        "norm.weight", "norm.bias", "gate.weight", "gate.bias",
    }  # fmt: skip


@pytest.mark.parametrize("mix", ["mlp", "none"])
@pytest.mark.parametrize("position", ["pre", "post"])
def test_parts_have_the_features_of_the_whole(mix, position):
    model = net("gru", n_layers=2, mix=mix, norm_position=position, norm="rms")
    x, lengths = data(2, 20, 2), torch.tensor([20, 9])
    whole, parts, state = model.features(x, lengths=lengths), [], None
    for first, last in itertools.pairwise((0, 7, 20)):
        part, state = model.scan(
            x[:, first:last], state, lengths=(lengths - first).clamp(0, last - first)
        )
        parts.append(part)
    parts = torch.cat(parts, 1)
    torch.testing.assert_close(parts[0], whole[0], rtol=0, atol=1e-12)
    torch.testing.assert_close(parts[1, :9], whole[1, :9], rtol=0, atol=1e-12)


def test_dropout_ends_each_branch():
    model = net(mix="mlp", dropout=0.5).train()
    seen = []
    model.blocks[0].dropout.register_forward_hook(lambda *_: seen.append(1))
    model(data(2, 20, 2))
    assert len(seen) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"norm": "group"}, "norm is unknown, got 'group', expected one of layer, batch, rms"),
        ({"norm_position": "mid"}, "norm_position is unknown, got 'mid', expected one of pre, p"),
        ({"mix": None}, "mix is unknown, got None, expected one of glu, mlp, none"),
        ({"bidirectional": 1}, "bidirectional is a yes or no, got 1"),
    ],
)
def test_blocks_that_cannot_be_built(options, message):
    with pytest.raises(ConfigError, match=message):
        net(**options)


def test_the_last_norm_is_of_the_same_kind():
    kinds = [type(net(norm=n, final_norm=True).norm) for n in ("layer", "rms")]
    assert kinds == [nn.LayerNorm, nn.RMSNorm]
