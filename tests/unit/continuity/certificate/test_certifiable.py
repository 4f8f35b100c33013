"""Layers, modules, networks, adapters and names: certified, or told what can be."""

import numpy as np
import pytest
import torch

from timegrain import ModelAdapter, build_layer, build_model, certify
from timegrain.continuity.remedies.cures import cured
from timegrain.core.errors import ModelError
from timegrain.models import models

CERTIFIED = {"s4d", "s5", "s6"}


def bound(layer, channels=2):
    return certify(layer, np.zeros((20, channels))).bound(1.0)


@pytest.mark.parametrize("name", models.names())
def test_a_registered_layer_is_certified_or_says_which_can_be(name):
    layer = build_layer(name, d_model=2, seed=0)
    if name in CERTIFIED:
        assert bound(layer) == 0.0
        return
    with pytest.raises(ModelError, match=r"no theorem .* expected S4D, S5 or S6 as it is"):
        bound(layer)


def test_a_model_names_the_layers_in_it_that_can_be_certified():
    mamba = build_layer("mamba", d_model=2, seed=0)
    with pytest.raises(ModelError, match=r"by itself: model\.get_submodule\('ssm'\)"):
        bound(mamba)
    assert bound(mamba.get_submodule("ssm"), channels=4) == 0.0
    network = build_model("s4d", d_input=2, d_output=2, d_model=2, n_layers=5, head="step", seed=0)
    with pytest.raises(ModelError, match=r"get_submodule.* or one of 2 more"):
        bound(network)
    with pytest.raises(ModelError, match="the adapter's model itself"):
        bound(ModelAdapter(build_layer("s5", d_model=2)))


@pytest.mark.parametrize("other", [torch.nn.GRU(2, 2), torch.tanh])
def test_what_holds_no_such_layer_is_sent_to_the_ladder(other):
    with pytest.raises(ModelError, match="which measures any"):
        bound(other)


def test_a_name_is_to_be_built_first():
    with pytest.raises(ModelError, match=r"the name 's4d'.*\n.*build_layer\('s4d'"):
        bound("s4d")


def test_a_cured_layer_is_no_longer_the_one_of_the_theorem():
    clamped, _ = cured(build_layer("s6", d_model=2), ["clamp"], delta_max=0.1)
    with pytest.raises(ModelError, match="S6, cured"):
        bound(clamped)
