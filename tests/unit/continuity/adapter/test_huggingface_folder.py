"""Folders that transformers wrote, each a tiny network with random weights."""

import json
import re
import shutil

import pytest
import torch

from timegrain import Outcome, model_continuity
from timegrain.cli.main import run
from timegrain.continuity import ModelAdapter, huggingface_adapter, locate_model
from timegrain.core import ConfigError, ModelError

transformers = pytest.importorskip("transformers", reason="an extra is not installed")

FEW = {"seeds": 2, "levels": 4, "length": 16}
WIDTH = 8
COMMON = {"vocab_size": 11, "hidden_size": WIDTH, "num_hidden_layers": 1}
NETWORKS = {
    "mamba": lambda: transformers.MambaForCausalLM(
        transformers.MambaConfig(**COMMON, state_size=4, time_step_min=0.1, time_step_max=0.4)
    ),
    "mamba2": lambda: transformers.Mamba2Model(
        transformers.Mamba2Config(
            **COMMON, state_size=4, num_heads=2, head_dim=8, n_groups=1, chunk_size=16
        )
    ),
    "falcon_mamba": lambda: transformers.FalconMambaForCausalLM(
        transformers.FalconMambaConfig(
            **COMMON, state_size=4, use_bias=True, time_step_min=0.1, time_step_max=0.4
        )
    ),
    "gpt2": lambda: transformers.GPT2Model(
        transformers.GPT2Config(
            vocab_size=11, n_embd=WIDTH, n_layer=1, n_head=2, n_positions=512, use_cache=True
        )
    ),
    "llama": lambda: transformers.LlamaForCausalLM(
        transformers.LlamaConfig(
            **COMMON, intermediate_size=16, num_attention_heads=2, max_position_embeddings=512
        )
    ),
}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder of each network."""
    made = {}
    for name, build in NETWORKS.items():
        torch.manual_seed(0)
        made[name] = tmp_path_factory.mktemp(name)
        model = build()
        with torch.no_grad():  # as they are drawn, weights are too small for a mixer to show
            for part, weight in model.named_parameters():
                if weight.ndim == 2 and "A_log" not in part:
                    weight.normal_(0.0, 0.5)
        model.save_pretrained(made[name])
    return made


@pytest.mark.parametrize("kind", NETWORKS)
def test_a_folder_is_measured_through_what_stands_for_its_embeddings(folders, kind):
    result = model_continuity(huggingface_adapter(folders[kind]), **FEW)
    assert (result.d_input, result.dtype, result.protocol) == (WIDTH, "float32", "native")
    assert result.outcome is not Outcome.UNRESPONSIVE
    assert "the adapter says" in result.reasons["protocol"]
    if "mamba" in kind:
        first, last = result.memory[0].memory, result.memory[-1].memory
        assert last < first / 4  # it counts samples, and four halvings are sixteen


@pytest.mark.parametrize("kind", ["mamba", "mamba2", "falcon_mamba"])
@pytest.mark.parametrize("tau", [0.25, 3.0])
def test_a_scaled_step_is_that_of_the_published_equations(folders, kind, tau, monkeypatch):
    """Against Delta = softplus(.) replaced by tau Delta, and set back."""
    adapter = huggingface_adapter(folders[kind], dt_scaling=True)
    model, x = adapter.model, torch.randn(2, 12, WIDTH)
    before = {k: v.clone() for k, v in model.state_dict().items()}

    def answer():
        with torch.no_grad():
            return model(inputs_embeds=x, use_cache=False).last_hidden_state

    plain = answer()
    with adapter.tau(model, tau):
        told = answer()
    assert all(torch.equal(before[k], v) for k, v in model.state_dict().items())
    assert torch.equal(answer(), plain)
    softplus = torch.nn.functional.softplus
    monkeypatch.setattr(torch.nn.functional, "softplus", lambda u: tau * softplus(u))
    expected = answer()
    # sums of at most 12 x 4 products, each within some spacings of float32
    assert torch.allclose(told, expected, rtol=0, atol=1e-5 * float(expected.abs().max()))
    assert not torch.allclose(plain, expected, atol=1e-3)


def test_a_told_mamba_keeps_its_memory_but_for_the_short_convolution(folders):
    """Told, the S6 keeps its time; the short convolution goes on counting samples."""
    told = model_continuity(huggingface_adapter(folders["mamba"], dt_scaling=True), **FEW)
    untold = model_continuity(huggingface_adapter(folders["mamba"]), **FEW)
    assert told.protocol == "rescale"
    assert told.memory[-1].memory > 2 * untold.memory[-1].memory


def test_positions_in_time_keep_the_memory_of_a_llama(folders):
    """Its rotations take positions that are not whole; equal steps cancel in the softmax."""
    network = huggingface_adapter(folders["llama"])

    def places(x, tau):
        positions = tau * torch.arange(x.shape[1], dtype=torch.float32)[None]
        # without a mask, positions that do not grow by 1 are taken for sequences packed into one
        mask = torch.ones(x.shape[:2], dtype=torch.int64)
        return {"position_ids": positions, "attention_mask": mask, "use_cache": False}

    adapter = ModelAdapter(
        network.model,
        inputs="inputs_embeds",
        others=places,
        output="last_hidden_state",
        d_input=WIDTH,
        dtype="float32",
    )
    result = model_continuity(adapter, **FEW)
    assert result.outcome in (Outcome.CONVERGES, Outcome.PRE_ASYMPTOTIC)
    assert result.order > 0.5
    assert result.memory[-1].memory > result.memory[0].memory / 2


def test_a_folder_is_named_on_the_command_line(folders, capsys):
    words = [str(folders["mamba"]), "--length", "16", "--levels", "3", "--seeds", "1", "--json"]
    assert run(["model", *words]) == 0
    said = capsys.readouterr()
    assert json.loads(said.out)["takes_tau"] is False
    assert re.search(r"peak memory of the process: [\d,]+ MB", said.err)


def test_a_folder_with_the_name_of_a_layer_is_ambiguous(folders, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    shutil.copytree(folders["gpt2"], "s4d")
    with pytest.raises(ConfigError, match=r"Try \./s4d"):
        locate_model("s4d")
    assert isinstance(locate_model("./s4d").model, ModelAdapter)


def test_too_long_a_ladder_names_the_level(folders):
    with pytest.raises(ModelError, match=r"on level 6 \(961 samples, the step dt/64\)"):
        model_continuity(huggingface_adapter(folders["gpt2"]), seeds=1, levels=6, length=16)


def test_what_cannot_be_read_is_an_error(folders, tmp_path):
    with pytest.raises(ModelError, match=r"no folder with a config\.json"):
        huggingface_adapter(tmp_path)
    with pytest.raises(ConfigError, match="a gpt2 has no step to scale"):
        huggingface_adapter(folders["gpt2"], dt_scaling=True)
    shutil.copytree(folders["gpt2"], tmp_path / "n")
    (tmp_path / "n" / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="cannot be read"):
        huggingface_adapter(tmp_path / "n")
    (tmp_path / "n" / "config.json").write_text("[")
    with pytest.raises(ModelError, match=r"config\.json cannot be read"):
        huggingface_adapter(tmp_path / "n")


def test_weights_that_are_missing_are_not_drawn_at_random(folders, tmp_path):
    from safetensors.torch import load_file, save_file

    shutil.copytree(folders["gpt2"], tmp_path / "n")
    file = tmp_path / "n" / "model.safetensors"
    tensors = load_file(file)
    tensors.pop("wpe.weight")
    save_file(tensors, file, metadata={"format": "pt"})
    with pytest.raises(ModelError, match=r"lacks weights of its network, got wpe\.weight"):
        huggingface_adapter(tmp_path / "n")
