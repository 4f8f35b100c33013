"""Tensors beside the `state_dict`, and what `check_model` says of a model with such."""

import torch
from torch import nn

from timegrain import check_model
from timegrain.checks.model.unstored import unstored_tensors


class Beside(nn.Module):
    def __init__(self, held):
        super().__init__()
        self.mix, self.held = nn.Linear(2, 2), held

    def forward(self, x):
        scale, shift = self.held["scale"], self.held["more"][0]
        return self.mix(x) * scale.to(x) + shift(x.float()).to(x)


def row(model, label):
    return {r.label: r for r in check_model(model, d_input=2, only=("file",)).checks}.get(label)


def test_what_no_state_dict_holds_is_found_by_its_place():
    module = nn.LSTM(2, 3)  # keeps its weights in a list as well
    module.register_buffer("kept", torch.ones(1))
    assert unstored_tensors(module) == []
    module.register_buffer("dropped", torch.ones(1), persistent=False)
    module.alias, module.count = module.weight_ih_l0, torch.ones(1, dtype=torch.int64)
    module.parts = ({"a": [nn.Linear(1, 1, bias=False)]},)
    module.loop = [torch.ones(1)]
    module.loop.append(module.loop)
    found = {one.name: one.learns for one in unstored_tensors(module)}
    assert found == {"dropped": False, "parts[0]['a'][0].weight": True, "loop[0]": False}


def test_what_learns_beside_the_state_dict_fails():
    model = Beside({"scale": torch.ones(2, requires_grad=True), "more": [nn.Linear(2, 2)]})
    said = row(model, "file not stored")
    assert said.verdict == "failed"
    for name in ("held['scale']", "held['more'][0].weight", "held['more'][0].bias"):
        assert name in said.reason
    assert row(model, "file weights").verdict == "passed"  # of what is stored


def test_a_constant_beside_the_state_dict_is_noted():
    held = {
        "scale": torch.full((1,), 2.0).expand(2),
        "more": [torch.zeros_like],
        "idle": torch.ones(1),
    }
    said = row(Beside(held), "file not stored")
    assert said.verdict == "noted"
    assert "held['scale'] as well" in said.reason
    registered = nn.Linear(2, 2)
    registered.idle = torch.ones(3)  # nothing depends on it
    assert row(registered, "file not stored") is None
