"""Mamba-2 and Falcon Mamba, saved by transformers, read by us: values, gradients, states, steps."""

import json

import pytest
import torch
from safetensors.torch import load_file, load_model, save_file, save_model
from torch.overrides import TorchFunctionMode

from timegrain import check_model
from timegrain.continuity.adapter.mamba_steps import STEPS
from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.huggingface import load
from timegrain.models.state import state_tensors

transformers = pytest.importorskip(
    "transformers", reason="transformers is an optional dependency: pip install timegrain[hf]"
)
SIZES = {"vocab_size": 31, "hidden_size": 24, "num_hidden_layers": 2, "state_size": 5}
HEADS = {"num_heads": 6, "head_dim": 8, "n_groups": 1}
LENGTHS = torch.tensor([40, 17, 1])
DRAWN = ("A_log", "D", "dt_bias", "dt_proj.bias")  # as they start, they are scales of time
CASES = {
    "mamba2": ("Mamba2ForCausalLM", HEADS),
    "mamba2-groups-biases": (
        "Mamba2ForCausalLM",
        {**HEADS, "n_groups": 2, "use_bias": True, "rms_norm": False, "chunk_size": 16},
    ),
    "mamba2-narrow-limited": (
        "Mamba2Model",
        {"num_heads": 3, "head_dim": 8, "n_groups": 3, "expand": 1, "chunk_size": 7}
        | {"time_step_limit": (0.02, 0.05), "use_conv_bias": False, "conv_kernel": 2},
    ),
    "mamba2-one-head": (
        "Mamba2Model",
        {"num_heads": 1, "head_dim": 48, "n_groups": 1, "layer_norm_epsilon": 1e-2},
    ),
    "falcon": ("FalconMambaForCausalLM", {}),
    "falcon-sizes": (
        "FalconMambaForCausalLM",
        {"tie_word_embeddings": False, "use_bias": True, "use_conv_bias": False}
        | {"expand": 16, "intermediate_size": 72, "time_step_rank": 7},
    ),
    "falcon-narrow": ("FalconMambaModel", {"expand": 1, "mixer_rms_eps": 0.1}),
}


class Double(TorchFunctionMode):
    """What transformers computes in float32 whatever its weights, in float64."""

    def __torch_function__(self, function, types, args=(), kwargs=None):
        if function is torch.Tensor.float:
            return args[0].double()
        if function is torch.Tensor.to:
            args = [torch.float64 if a is torch.float32 else a for a in args]
        return function(*args, **(kwargs or {}))


def saved(folder, case, **options):
    name, own = CASES[case]
    config = name.replace("ForCausalLM", "Model").removesuffix("Model") + "Config"
    torch.manual_seed(0)
    net = getattr(transformers, name)(
        getattr(transformers, config)(**{**SIZES, **own, **options})
    ).eval()
    with torch.no_grad():
        for part, parameter in net.named_parameters():
            if not part.endswith(DRAWN):
                parameter.add_(0.2 * torch.randn_like(parameter))
    net.save_pretrained(folder)
    return net


def body(net):
    return getattr(net, "backbone", net)


def tokens(batch=3, time=40):
    return torch.randint(31, (batch, time), generator=torch.Generator().manual_seed(1))


def change(folder, **values):
    said = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps({**said, **values}))


def gap(a, b):
    assert a.dtype == b.dtype
    return ((a - b).abs().max() / b.abs().max()).item()


@torch.no_grad()
@pytest.mark.parametrize("case", CASES)
def test_hidden_states_and_scores_are_those_of_transformers(case, tmp_path):
    theirs, ours, x = saved(tmp_path, case), load(tmp_path), tokens()
    expected = theirs(x, output_hidden_states=True)
    # float32 throughout: some hundreds of roundings of relative size 6e-8 in two blocks
    assert gap(ours.features(x), expected.hidden_states[-1]) < 1e-5
    has_head = hasattr(theirs, "lm_head")
    assert gap(ours(x), expected.logits if has_head else expected.last_hidden_state) < 1e-5
    padded = x.clone()
    for row, length in enumerate(LENGTHS):
        padded[row, length:] = -100
    mask = torch.arange(40) < LENGTHS[:, None]
    masked = body(theirs)(x, attention_mask=mask.long()).last_hidden_state
    assert gap(ours.features(padded, lengths=LENGTHS)[mask], masked[mask]) < 1e-5


@torch.no_grad()
@pytest.mark.parametrize("case", CASES)
def test_a_step_that_is_told_in_double_precision(case, tmp_path):
    theirs, x = body(saved(tmp_path, case)).double(), tokens(2, 24)
    ours = load(tmp_path, dtype=torch.float64)
    with Double(), STEPS[theirs.config.model_type](theirs, 0.3):
        expected = theirs(x, use_cache=False).last_hidden_state
    told = ours.features(x, 0.3)
    # some hundreds of roundings of relative size 1.1e-16
    assert gap(told, expected) < 1e-13
    assert gap(told, ours.features(x)) > 1e-3


@pytest.mark.parametrize("case", CASES)
def test_values_and_gradients_in_double_precision(case, tmp_path):
    theirs, x = body(saved(tmp_path, case)).double(), tokens(2, 24)
    ours = load(tmp_path, dtype=torch.float64)
    weight = torch.randn(2, 24, 24, generator=torch.Generator().manual_seed(2)).double()
    with Double():
        expected = theirs(x, use_cache=False).last_hidden_state
        (expected * weight).sum().backward()
    found = ours.features(x)
    (found * weight).sum().backward()
    assert gap(found.detach(), expected.detach()) < 1e-13
    there, here = theirs.layers[0].mixer, ours.blocks[0].mixer
    if theirs.config.model_type == "mamba2":
        pairs = {"A_log": "forget.A_log", "dt_bias": "forget.step.bias", "D": "D"}
    else:
        pairs = {"A_log": "ssm.A_log", "dt_proj.bias": "ssm.dt_proj.bias", "D": "ssm.D"}
    for a, b in pairs.items():
        assert gap(here.get_parameter(b).grad, there.get_parameter(a).grad) < 1e-12
    assert gap(ours.embedding.weight.grad, theirs.embeddings.weight.grad) < 1e-12


@torch.no_grad()
@pytest.mark.parametrize("case", ["mamba2-groups-biases", "mamba2-narrow-limited", "falcon-sizes"])
def test_parts_and_single_tokens_with_a_carried_state_are_the_whole(case, tmp_path):
    saved(tmp_path, case)
    ours, x = load(tmp_path, dtype=torch.float64), tokens(2, 12)
    tau = 0.5 + torch.rand(2, 12, generator=torch.Generator().manual_seed(3)).double()
    whole, last = ours.scan(x, tau=tau)
    assert gap(ours.features(x, tau), whole) < 1e-14
    first, state = ours.scan(x[:, :7], tau=tau[:, :7])
    rows = [first]
    for k in range(7, 12):
        one, state = ours.step(x[:, k], state, tau=tau[:, k])
        rows.append(one[:, None])
    assert gap(torch.cat(rows, 1), whole) < 1e-13
    for a, b in zip(state_tensors(state), state_tensors(last), strict=True):
        assert gap(a, b) < 1e-13


@torch.no_grad()
@pytest.mark.parametrize("case", ["mamba2-groups-biases", "falcon"])
def test_the_state_is_their_cache(case, tmp_path):
    theirs, ours, x = saved(tmp_path, case), load(tmp_path), tokens(2, 12)
    cache = theirs(x, use_cache=True).cache_params
    _, state = ours.scan(x)
    for block, conv, ssm in zip(state, cache.conv_states, cache.ssm_states, strict=True):
        assert gap(block[0], conv.mT[:, 1:]) < 1e-5
        assert gap(block[1], ssm.mT if case.startswith("mamba2") else ssm) < 1e-5


@torch.no_grad()
def test_options_change_what_they_are_said_to_change(tmp_path):
    """What follows from a configuration would follow from no other."""
    x = tokens()
    saved(tmp_path, "mamba2-narrow-limited")
    limited = load(tmp_path)(x)
    change(tmp_path, time_step_limit=None)
    assert gap(load(tmp_path)(x), limited) > 1e-3
    change(tmp_path, time_step_limit=[0.02, 0.05], chunk_size=99, rms_norm=False)
    assert torch.equal(load(tmp_path)(x), limited)
    saved(tmp_path, "falcon-narrow")
    normed = load(tmp_path)(x)
    change(tmp_path, mixer_rms_eps=1e-6)
    assert gap(load(tmp_path)(x), normed) > 1e-3
    change(tmp_path, model_type="mamba", architectures=["MambaModel"])
    assert gap(load(tmp_path)(x), normed) > 1e-3


@torch.no_grad()
def test_a_tied_head_of_mamba2(tmp_path):
    """Not in the file: transformers 4.57 does not save such a network, and reads one."""
    theirs, x = saved(tmp_path, "mamba2"), tokens()
    file = tmp_path / "model.safetensors"
    whole = load_file(file)
    save_file({k: v for k, v in whole.items() if k != "lm_head.weight"}, file)
    with pytest.raises(ModelError, match=r"missing, got lm_head\.weight"):
        load(tmp_path)
    change(tmp_path, tie_word_embeddings=True)
    theirs.lm_head.weight = theirs.backbone.embeddings.weight
    net = load(tmp_path)
    assert net.head.weight is net.embedding.weight
    assert gap(net(x), theirs(x).logits) < 1e-5


@pytest.mark.parametrize("case", ["mamba2", "falcon"])
def test_it_keeps_the_contract_of_a_network(case, tmp_path):
    sizes = {"num_hidden_layers": 1, "hidden_size": 16, "state_size": 2}
    heads = {"num_heads": 2, "head_dim": 16} if case == "mamba2" else {}
    saved(tmp_path, case, **sizes, **heads)
    net = load(tmp_path)
    result = check_model(net, quick=True, skip=("finite", "gradients"))
    assert result.passed, result
    own = {id(p) for p in net.parameters()}
    assert {id(p) for p in net.dynamics_parameters()} < own


def test_tuned_weights_go_through_save_model_and_load_model(tmp_path):
    saved(tmp_path, "mamba2-groups-biases")
    net, again = load(tmp_path), load(tmp_path)
    with torch.no_grad():
        net.blocks[0].mixer.in_proj.weight.mul_(2)
    assert not torch.equal(net(tokens()), again(tokens()))
    save_model(net, tmp_path / "tuned.safetensors")
    load_model(again, tmp_path / "tuned.safetensors")
    assert torch.equal(again(tokens()), net(tokens()))


@pytest.mark.parametrize(
    ("case", "said", "words"),
    [
        ("mamba2", {"time_step_limit": [0.1]}, "time_step_limit bounds Delta"),
        ("mamba2", {"time_step_limit": [0.5, 0.1]}, "time_step_limit bounds Delta"),
        ("mamba2", {"time_step_limit": [0, 0]}, "time_step_limit bounds Delta"),
        ("mamba2", {"time_step_limit": "any"}, "time_step_limit bounds Delta"),
        ("mamba2", {"head_dim": 7}, "num_heads 6, head_dim 7"),
        ("mamba2", {"num_heads": -6}, "num_heads is a whole number"),
        ("mamba2", {"n_groups": 4}, "n_groups=4 for 6 heads"),
        ("mamba2", {"n_groups": 2}, "in_proj.weight does not fit"),
        ("mamba2", {"use_bias": True}, "missing, got backbone.layers.0.mixer.in_proj.bias"),
        ("mamba2", {"use_conv_bias": False}, "not known, got backbone.layers.0.mixer.conv1d.bias"),
        ("mamba2", {"expand": 2.5}, "expand is a whole number"),
        ("mamba2", {"intermediate_size": 96}, "intermediate_size 96"),
        ("mamba2", {"hidden_act": "gelu"}, "hidden_act"),
        ("mamba2", {"quantization_config": {"bits": 4}}, "quantised"),
        ("mamba2", {"architectures": ["MambaForCausalLM"]}, "this Mamba-2 has a head"),
        ("falcon", {"architectures": ["MambaForCausalLM"]}, "this FalconMamba has a head"),
        ("falcon", {"mixer_rms_eps": 0}, "mixer_rms_eps is above zero"),
        ("falcon", {"intermediate_size": 49}, "intermediate_size 49, hidden_size 24"),
        ("falcon", {"intermediate_size": 72}, "A_log does not fit"),
        ("falcon", {"intermediate_size": "48"}, "intermediate_size is a whole number"),
        ("falcon", {"hidden_size": 0}, "hidden_size is a whole number"),
        ("falcon", {"time_step_rank": 0}, "time_step_rank is a whole number"),
        ("falcon", {"model_type": "zamba2"}, "Zamba2 mixes attention"),
        (
            "falcon",
            {"model_type": "mamba2", "architectures": None, "intermediate_size": None}
            | {"num_heads": 6, "head_dim": 8, "n_groups": 1},
            "missing, got backbone.layers.0.mixer.dt_bias",
        ),
    ],
    ids=str,
)
def test_what_cannot_be_read_is_named(case, said, words, folders):
    folder = folders[case]
    before = (folder / "config.json").read_text()
    change(folder, **said)
    try:
        with pytest.raises((ModelError, ConfigError)) as caught:
            load(folder)
    finally:
        (folder / "config.json").write_text(before)
    assert words in str(caught.value)


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder of each kind, of one block."""
    made = {case: tmp_path_factory.mktemp(case) for case in ("mamba2", "falcon")}
    for case, folder in made.items():
        saved(folder, case, num_hidden_layers=1)
    return made
