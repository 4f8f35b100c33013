"""Networks of `transformers`, saved by it, read by us: hidden states and logits are the same."""

import json
import math

import pytest
import torch
from safetensors.torch import load_file, load_model, save_file, save_model

from timegrain import check_model
from timegrain.core.errors import ConfigError, LayoutError, ModelError
from timegrain.models.huggingface import load
from timegrain.models.state import state_tensors

transformers = pytest.importorskip(
    "transformers", reason="transformers is an optional dependency: pip install timegrain[hf]"
)
SIZES = {"vocab_size": 31, "hidden_size": 24, "num_hidden_layers": 3, "state_size": 5}
LENGTHS = torch.tensor([40, 17, 1])


def saved(folder, kind="MambaForCausalLM", shards=None, **options):
    torch.manual_seed(0)
    config = transformers.MambaConfig(**{**SIZES, **options})
    net = getattr(transformers, kind)(config).eval()
    with torch.no_grad():
        for name, parameter in net.named_parameters():
            if not name.endswith(("A_log", "D", "dt_proj.bias")):
                parameter.add_(0.2 * torch.randn_like(parameter))
    net.save_pretrained(folder, **({} if shards is None else {"max_shard_size": shards}))
    return net


def tokens(batch=3, time=40):
    return torch.randint(31, (batch, time), generator=torch.Generator().manual_seed(1))


def change(folder, **values):
    said = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**said, **values}))


def gap(a, b):
    return ((a - b).abs().max() / b.abs().max()).item()


@torch.no_grad()
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"tie_word_embeddings": False, "use_bias": True, "use_conv_bias": False},
        {"expand": 3, "conv_kernel": 2, "time_step_rank": 7, "layer_norm_epsilon": 1e-3},
        {"residual_in_fp32": False},
    ],
    ids=["default", "own-head-and-biases", "other-sizes", "residual"],
)
def test_hidden_states_and_logits_are_those_of_transformers(options, tmp_path):
    theirs, ours, x = saved(tmp_path, **options), load(tmp_path), tokens()
    expected = theirs(x, output_hidden_states=True)
    # Float32 throughout: some hundreds of roundings of relative size 6e-8 in three blocks.
    assert gap(ours.features(x), expected.hidden_states[-1]) < 1e-5
    assert gap(ours(x), expected.logits) < 1e-5
    padded = x.clone()
    for row, length in enumerate(LENGTHS):
        padded[row, length:] = -100
    ragged = ours(padded, lengths=LENGTHS)
    mask = torch.arange(40) < LENGTHS[:, None]
    masked = theirs(x, attention_mask=mask.long()).logits
    assert gap(ragged[mask], masked[mask]) < 1e-5


@torch.no_grad()
def test_generating_token_by_token_equals_one_scan_and_their_cache(tmp_path):
    theirs, ours, x = saved(tmp_path), load(tmp_path), tokens(2, 12)
    logits, (features, last) = ours(x), ours.scan(x)
    state, cache = None, None
    for k in range(12):
        one, state = ours.step(x[:, k], state)
        assert gap(ours.head(one), logits[:, k]) < 1e-5
    assert gap(ours.head(features), logits) < 1e-6
    for a, b in zip(state_tensors(state), state_tensors(last), strict=True):
        assert gap(a, b) < 1e-5
    cache = theirs(x, use_cache=True).cache_params
    for block, conv, ssm in zip(last, cache.conv_states, cache.ssm_states, strict=True):
        assert gap(block[0], conv.mT[:, 1:]) < 1e-5
        assert gap(block[1], ssm) < 1e-5


@torch.no_grad()
def test_a_network_without_a_head_gives_hidden_states(tmp_path):
    theirs, ours, x = saved(tmp_path, "MambaModel"), load(tmp_path), tokens()
    assert gap(ours(x), theirs(x).last_hidden_state) < 1e-5
    assert torch.equal(ours(x), ours.features(x))


@torch.no_grad()
def test_a_folder_of_several_files(tmp_path):
    theirs = saved(tmp_path, shards="10KB")
    assert not (tmp_path / "model.safetensors").exists()
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    assert gap(load(tmp_path)(tokens()), theirs(tokens()).logits) < 1e-5
    gone = sorted(tmp_path.glob("*.safetensors"))[1]
    content = load_file(gone)
    save_file({**content, "other": torch.zeros(1)}, gone)
    with pytest.raises(ModelError, match=r"does not hold what.*such as other"):
        load(tmp_path)
    gone.unlink()
    with pytest.raises(ModelError, match=f"cannot read {gone.name}"):
        load(tmp_path)
    index = {"weight_map": {"a": "../secret.safetensors"}}
    (tmp_path / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelError, match="outside its folder"):
        load(tmp_path)


def test_it_trains_in_double_precision_with_the_head_tied(tmp_path):
    saved(tmp_path)
    net = load(tmp_path, dtype=torch.float64)
    assert net.head.weight is net.embedding.weight
    assert len(list(net.parameters())) == 2 + 10 * 3
    net(tokens()).square().mean().backward()
    assert all(torch.isfinite(p.grad).all() for p in net.parameters())
    own = {id(p) for p in net.parameters()}
    assert {id(p) for p in net.dynamics_parameters()} < own
    assert net.takes_tau
    assert not torch.equal(net(tokens(), 2.0), net(tokens()))


@pytest.mark.parametrize("kind", ["MambaForCausalLM", "MambaModel"])
def test_it_keeps_the_contract_of_a_network(kind, tmp_path):
    saved(tmp_path, kind, num_hidden_layers=1, hidden_size=16, state_size=2)
    result = check_model(load(tmp_path), quick=True, skip=("finite", "gradients"))
    assert result.passed, result


def test_other_models_are_refused_by_name(tmp_path):
    saved(tmp_path)
    for kind, word in (("mamba2", "Mamba-2"), ("jamba", "Jamba mixes"), ("gpt2", "gpt2")):
        change(tmp_path, model_type=kind)
        with pytest.raises(ModelError, match=word):
            load(tmp_path)
    change(tmp_path, model_type="mamba", architectures=["MambaForSomethingElse"])
    with pytest.raises(ModelError, match="MambaForSomethingElse"):
        load(tmp_path)
    change(tmp_path, architectures=["MambaForCausalLM"], hidden_act="gelu")
    with pytest.raises(ConfigError, match="hidden_act"):
        load(tmp_path)
    change(tmp_path, hidden_act="silu", quantization_config={"bits": 4})
    with pytest.raises(ModelError, match="quantised"):
        load(tmp_path)


def test_weights_that_do_not_fit_are_named(tmp_path):
    saved(tmp_path)
    whole, file = load_file(tmp_path / "model.safetensors"), tmp_path / "model.safetensors"

    def fails(tensors, *words):
        save_file(tensors, file)
        with pytest.raises(ModelError) as caught:
            load(tmp_path)
        assert all(word in str(caught.value) for word in words), str(caught.value)

    name = "backbone.layers.1.mixer.A_log"
    fails({k: v for k, v in whole.items() if k != name}, "missing", name)
    fails({**whole, "backbone.layers.1.mixer.extra": torch.zeros(1)}, "not known", "extra")
    fails({**whole, name: torch.zeros(48, 6)}, name, "(48, 6)", "(48, 5)")
    fails({**whole, "lm_head.weight": torch.zeros(31, 24)}, "tie_word_embeddings")
    file.write_bytes(b"no safetensors")
    with pytest.raises(ModelError, match="damaged"):
        load(tmp_path)
    file.unlink()
    (tmp_path / "pytorch_model.bin").write_bytes(b"")
    with pytest.raises(ModelError, match=r"pytorch_model\.bin.*pickles"):
        load(tmp_path)


def test_configurations_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelError, match="no such folder"):
        load(tmp_path / "absent")
    with pytest.raises(ModelError, match=r"cannot read config\.json"):
        load(tmp_path)
    (tmp_path / "config.json").write_text("{")
    with pytest.raises(ModelError, match="not JSON"):
        load(tmp_path)
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(ModelError, match="describes no model"):
        load(tmp_path)
    said = {"model_type": "mamba", "hidden_size": 8, "expand": 2, "intermediate_size": 17}
    (tmp_path / "config.json").write_text(json.dumps(said))
    with pytest.raises(ModelError, match="intermediate_size 17"):
        load(tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "mamba", "hidden_size": -1}))
    with pytest.raises(ConfigError, match="hidden_size"):
        load(tmp_path)
    with pytest.raises(ConfigError, match="autocast"):
        load(tmp_path, dtype=torch.bfloat16)
    with pytest.raises(ConfigError, match=r"got 'float32', expected torch\.float32"):
        load(tmp_path, dtype="float32")  # type: ignore[arg-type]


def test_inputs_that_do_not_fit(tmp_path):
    saved(tmp_path)
    net = load(tmp_path)
    with pytest.raises(LayoutError, match="outside the vocabulary"):
        net(torch.tensor([[31]]))
    with pytest.raises(LayoutError, match="of tokens with no empty axis"):
        net(torch.zeros(3, dtype=torch.long))
    for wrong in ([[1, 2]], None):
        with pytest.raises(LayoutError, match="a tensor"):
            net(wrong)
        with pytest.raises(LayoutError, match="a tensor"):
            net.step(wrong)
    with pytest.raises(ModelError, match="1 states for 3 blocks"):
        net.scan(tokens(), (torch.zeros(1),))
    for wrong in (5, torch.zeros(3)):
        with pytest.raises(ModelError, match="for 3 blocks"):
            net.step(tokens()[:, 0], wrong)
    with pytest.raises(LayoutError, match="a state of 3 sequences"):
        net.step(tokens()[:1, 0], net.scan(tokens())[1])


@torch.no_grad()
def test_tokens_of_any_whole_kind(tmp_path):
    saved(tmp_path, num_hidden_layers=1, vocab_size=300)
    net, x = load(tmp_path), tokens(3, 5)
    for dtype in (torch.int8, torch.uint8, torch.int16, torch.uint16, torch.int32):
        lengths = torch.tensor([5, 4, 1])
        assert torch.equal(net(x.to(dtype), lengths=lengths), net(x, lengths=lengths))
        assert torch.equal(net.step(x[:, 0].to(dtype))[0], net.step(x[:, 0])[0])
    with pytest.raises(LayoutError, match="got -1"):
        net(torch.full((1, 2), -1, dtype=torch.int8))


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ({"model_type": []}, "model_type []"),
        ({"model_type": {}}, "model_type {}"),
        ({"architectures": [["a"]]}, "[['a']]"),
        ({"architectures": [{}]}, "[{}]"),
        ({"hidden_size": 10**9}, "does not fit the configuration"),
        ({"vocab_size": 10**19}, "vocab_size"),
        ({"expand": 2**31 - 1, "hidden_size": 2**31 - 1}, "does not fit the configuration"),
        ({"state_size": 10**6}, "A_log does not fit"),
        ({"conv_kernel": 10**6}, "conv1d.weight does not fit"),
        ({"time_step_rank": 10**6}, "dt_proj.weight does not fit"),
        ({"num_hidden_layers": 300_000}, "num_hidden_layers 300000 and 1 blocks"),
        ({"layer_norm_epsilon": -1}, "layer_norm_epsilon"),
        (DEEP, "is not JSON"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_damaged_configurations_are_told(said, words, tmp_path):
    saved(tmp_path, num_hidden_layers=1)
    if isinstance(said, str):
        (tmp_path / "config.json").write_text(said)
    else:
        change(tmp_path, intermediate_size=None, **said)
    with pytest.raises((ModelError, ConfigError)) as caught:
        load(tmp_path)
    assert words in str(caught.value)


def test_damaged_weights_are_told(tmp_path):
    saved(tmp_path, num_hidden_layers=1)
    file, index = tmp_path / "model.safetensors", tmp_path / "model.safetensors.index.json"
    whole, name = load_file(file), "backbone.embeddings.weight"

    def fails(words):
        with pytest.raises(ModelError, match=words):
            load(tmp_path)

    for value in (math.nan, 1e300):
        save_file({**whole, name: whole[name].double().index_fill(0, torch.tensor(3), value)}, file)
        fails(f"NaN or infinity in {name}")
    save_file({**whole, "backbone.embedding.weight": whole[name].clone()}, file)
    fails("two embeddings")
    file.unlink()
    for place in ("", ".", "..", "config.json", "a/b.safetensors", 3):
        index.write_text(json.dumps({"weight_map": {name: place}}))
        fails("outside its folder")
    index.write_text(DEEP)
    fails("no index")
    for path in (None, 3, "a" * 5000):
        with pytest.raises(ModelError, match="no such folder"):
            load(path)


def test_weights_that_were_tuned_go_through_save_model_and_load_model(tmp_path):
    saved(tmp_path)
    net, again = load(tmp_path), load(tmp_path)
    with torch.no_grad():
        net.embedding.weight.mul_(2)
    save_model(net, tmp_path / "tuned.safetensors")
    load_model(again, tmp_path / "tuned.safetensors")
    assert torch.equal(again(tokens()), net(tokens()))
    assert again.head.weight is again.embedding.weight
