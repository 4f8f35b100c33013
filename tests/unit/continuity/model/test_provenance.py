"""Results say how a model was called, and of which weights they are."""

import numpy as np
import pytest
import torch
from torch import nn

from timegrain import (
    ModelAdapter,
    build_layer,
    certify,
    localise,
    model_continuity,
    remedy,
    selectivity,
)
from timegrain.continuity.model.weights import weights_sha256
from timegrain.core.result import read_result

FEW = {"length": 16, "levels": 3, "seeds": 1, "amplitudes": (1.0,)}


class Mixed(nn.Module):
    """An S6 behind a convolution, called by names of its own, that pools."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv1d(2, 2, 3, padding=2)
        self.core = build_layer("s6", d_model=2, n_state=2, skip=False)
        self.pool = nn.AdaptiveAvgPool1d(1)

    def forward(self, signal, rate=1.0, *, scale=1.0):
        u = self.conv(signal.mT)[..., : signal.shape[1]].mT
        return {"out": self.pool(scale * self.core(u, rate).mT)[..., 0]}


def asked(result):
    return read_result(result.to_json()).provenance.parameters


@pytest.mark.parametrize(
    "measure", [model_continuity, localise, lambda m, **k: remedy(m, "dilate", **k).effect]
)
def test_the_adapter_and_the_weights_are_stored(measure):
    torch.manual_seed(0)
    model = Mixed()
    adapter = ModelAdapter(
        model,
        tau="rate",
        trained_dt=2.0,
        inputs="signal",
        others={"scale": 0.5},
        output="out",
        pooling="pool",
        d_input=2,
        dtype="float32",
    )
    found = asked(measure(adapter, dt=2.0, **FEW))
    assert found["adapter"] == {
        "type": "Mixed",
        "told": "the argument rate is given dt / dt_trained",
        "trained_dt": 2.0,
        "inputs": "signal",
        "others": {"scale": 0.5},
        "output": "out",
        "pooling": "pool",
        "d_input": 2,
        "dtype": "float32",
    }
    assert found["memory_at"] == "pooled"
    assert found["weights_sha256"] == weights_sha256(model)


def test_selectivity_and_certificates_have_the_weights_of_what_was_passed():
    model = build_layer("s6", d_model=2, n_state=2, skip=False, seed=0)
    found = asked(selectivity(model, **FEW))
    assert found["weights_sha256"] == weights_sha256(model)
    assert found["adapter"]["told"] == "the argument tau is given dt / dt_trained"
    assert asked(selectivity(ModelAdapter(model), **FEW))["weights_sha256"] == weights_sha256(model)
    assert asked(certify(model, np.zeros((20, 2))))["weights_sha256"] == weights_sha256(model)


def test_a_name_has_the_weights_of_its_first_pair_and_a_function_has_none():
    named = [asked(f("s4d", d_model=2, **FEW)) for f in (model_continuity, localise)]
    assert named[0]["weights_sha256"] == named[1]["weights_sha256"] is not None
    other = asked(model_continuity("s4d", d_model=2, seed=1, **FEW))
    assert other["weights_sha256"] != named[0]["weights_sha256"]
    assert asked(model_continuity(np.tanh, **FEW))["weights_sha256"] is None


def test_a_fingerprint_sees_values_names_types_and_shapes_and_no_order():
    class Two(nn.Module):
        def __init__(self, *names):
            super().__init__()
            for name in names:
                setattr(self, name, nn.Parameter(torch.arange(4.0) + len(name)))
            self.register_buffer("seen", torch.tensor(True))
            self.wave = nn.Parameter(torch.ones(3, dtype=torch.complex64))

    one = weights_sha256(Two("a", "bb"))
    assert weights_sha256(Two("bb", "a")) == one
    assert weights_sha256(Two("a", "cc")) != one
    changed = Two("a", "bb")
    with torch.no_grad():
        changed.wave[2] += 1e-6j
    assert weights_sha256(changed) != one
    reshaped = Two("a", "bb")
    reshaped.a = nn.Parameter(reshaped.a.detach().reshape(2, 2))
    assert weights_sha256(reshaped) != one
    assert weights_sha256(Two("a", "bb").half()) != one
    narrow = Two("a", "bb")
    narrow.a = nn.Parameter(narrow.a.detach().bfloat16())
    assert weights_sha256(narrow) != one
