"""The short convolution of a Mamba block is where its continuity is lost, and dilation the cure."""

import functools

import pytest
import torch
from torch import nn

from timegrain.continuity.localisation.measure import localise
from timegrain.core import Outcome
from timegrain.models import Dilated, build_layer

SMALL = {"length": 64, "levels": 4, "seeds": 3}


@functools.cache
def blocks():
    layer = build_layer("mamba", d_model=6, seed=0, skip=False)
    return localise(layer, **SMALL), localise(Dilated(layer), **SMALL)


def test_the_short_convolution_of_a_mamba_block_is_named_first():
    result = localise("mamba", d_model=8, **SMALL)
    assert result.first == "conv"
    assert result.outcome is Outcome.MEMORY_COLLAPSES
    row = result.at("conv")
    assert row.loses == "memory"
    assert row.memory_ratio < 0.1
    assert result.at("in_proj").outcome is Outcome.MEMORYLESS
    assert not result.at("ssm").loses
    assert "conv (ShortConvolution)" in repr(result)


def test_dilated_it_keeps_its_memory_and_its_values():
    plain, dilated = blocks()
    before, after = plain.at("conv"), dilated.at("model.conv")
    assert before.memory_ratio < 0.1
    assert after.memory_ratio > 0.7
    assert after.change < before.change / 10
    assert not after.loses
    assert dilated.first is None


class Embedded(nn.Module):
    """A language model as it is, given vectors in the place of tokens."""

    def __init__(self, net):
        super().__init__()
        self.net = net

    def forward(self, x):
        return self.net(inputs_embeds=x, use_cache=False).last_hidden_state


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    transformers = pytest.importorskip("transformers", reason="the extra hf is not installed")
    folder = tmp_path_factory.mktemp("mamba")
    torch.manual_seed(0)
    config = transformers.MambaConfig(
        vocab_size=11, hidden_size=6, state_size=4, num_hidden_layers=2, time_step_rank=2
    )
    transformers.MambaModel(config).save_pretrained(folder)
    return transformers.MambaModel.from_pretrained(folder)


def test_a_mamba_of_transformers_loses_it_there_too(stored):
    few = {"length": 16, "levels": 4, "seeds": 2, "d_input": 6}
    plain = localise(Embedded(stored), **few)
    dilated = localise(Dilated(Embedded(stored)), **few)
    conv = "net.layers.0.mixer.conv1d"
    assert plain.first == conv
    before, after = plain.at(conv), dilated.at(f"model.{conv}")
    assert before.memory_ratio < 0.1
    assert after.memory_ratio > 0.7
    assert after.change < before.change / 10
    # nothing tells its recurrence the step, which is the next to forget
    assert dilated.first == "model.net.layers.0.mixer"
    assert "computes beside" in dilated.because
    assert any("called 2 times" in s.reason for s in plain.skipped if s.module.endswith("act"))
