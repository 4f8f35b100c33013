"""Models of TorchScript: scripted, traced, frozen, loaded."""

import io
import json

import pytest
import torch
from torch import Tensor, nn

from timegrain import ModelAdapter, check_model, localise, model_continuity
from timegrain.continuity.model.scripted import (
    argument_names,
    class_name,
    deep_copy,
    hook_after,
    hook_before,
)
from timegrain.core import ConfigError, ModelError, Outcome

pytestmark = [
    # torch would rather have other formats; what it says of copies is an error
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("error::UserWarning"),
]
FEW = {"seeds": 1, "length": 16, "levels": 3, "d_input": 2}


class Leak(nn.Module):
    """y' = (in(x) - y), the input held over each step."""

    def __init__(self):
        super().__init__()
        self.lift = nn.Linear(2, 2)

    def forward(self, x: Tensor, tau: float = 1.0) -> Tensor:
        u, y, kept = self.lift(x), torch.zeros_like(x[:, 0]), 2.718281828459045 ** (-tau)
        out = [y]
        for k in range(1, u.shape[1]):
            y = kept * y + (1 - kept) * u[:, k]
            out.append(y)
        return torch.stack(out, 1)


class Mean(Leak):
    def forward(self, x: Tensor, tau: float = 1.0) -> Tensor:
        return self.lift(x).mean(1)


class Single(Leak):
    def forward(self, x: Tensor, tau: float = 1.0) -> Tensor:
        return self.lift(x.float()) * tau


class Both(nn.Module):
    """Python that calls a script."""

    def __init__(self):
        super().__init__()
        self.leak, self.act = scripted(Leak), nn.Tanh()

    def forward(self, x):
        return self.act(self.leak(x))


def scripted(kind=Leak):
    torch.manual_seed(0)
    return torch.jit.script(kind())


def loaded():
    file = io.BytesIO()
    torch.jit.save(scripted(), file)
    file.seek(0)
    return torch.jit.load(file)


@pytest.mark.parametrize("make", [scripted, loaded], ids=["scripted", "loaded"])
def test_a_script_is_told_its_step_and_measured_in_float64(make):
    model = make()
    result = model_continuity(model, **FEW)
    torch.manual_seed(0)
    same = model_continuity(Leak(), **FEW)
    assert (result.outcome, result.protocol, result.dtype) == (
        same.outcome,
        "rescale",
        "float64",
    )
    assert [row.difference for row in result.orders] == pytest.approx(
        [row.difference for row in same.orders], rel=1e-9
    )
    assert next(model.parameters()).dtype == torch.float32


@pytest.mark.parametrize("freeze", [False, True])
def test_what_cannot_be_cast_is_measured_in_its_own_type_and_says_so(freeze):
    model = torch.jit.freeze(scripted().eval()) if freeze else scripted(Single)
    result = model_continuity(model, **FEW)
    assert result.dtype == "float32"
    assert any("must have the same dtype" in note for note in result.notes)


def test_a_traced_module_has_lost_its_other_arguments():
    model = torch.jit.trace(nn.Linear(2, 3), (torch.zeros(1, 5, 2),))
    result = model_continuity(model, **FEW)
    assert "no parameter named tau" in result.reasons["protocol"]
    assert result.outcome is Outcome.MEMORYLESS


def test_a_compiled_function_is_told_its_step():
    result = model_continuity(torch.jit.script(running_sum), **FEW)
    assert (result.outcome, result.protocol) == (Outcome.CONVERGES, "rescale")


def running_sum(x: Tensor, tau: float = 1.0) -> Tensor:
    return torch.cumsum(x, 1) * tau


@pytest.mark.parametrize(
    ("options", "match"),
    [({"tau": "step"}, "named step"), ({"inputs": "u"}, "no argument u(.|\n)*x, tau")],
)
def test_arguments_that_a_script_has_not_are_refused(options, match):
    with pytest.raises(ConfigError, match=match):
        ModelAdapter(scripted(), **options)


def test_a_number_in_a_script_is_scaled_and_set_back():
    model = scripted()
    before = model.lift.weight.detach().clone()
    adapter = ModelAdapter(model, tau="lift.weight")
    assert "lift.weight are multiplied" in " ".join(model_continuity(adapter, **FEW).notes)
    assert torch.equal(model.lift.weight, before)


def test_a_part_of_a_script_cannot_be_named_as_what_pools():
    with pytest.raises(ModelError, match=r"a part of TorchScript(.|\n)*leaving pooling= out"):
        model_continuity(ModelAdapter(scripted(Mean), pooling="lift"), **FEW)
    assert model_continuity(scripted(Mean), **FEW).memory is not None


def test_what_runs_within_a_script_is_skipped_and_said():
    result = localise(Both(), **FEW)
    assert [row.module for row in result.modules] == ["leak", "act", ""]
    assert (result.first, result.at("leak").type) == ("leak", "Leak")
    (skipped,) = result.skipped
    assert (skipped.module, skipped.type) == ("leak.lift", "Linear")
    assert "within TorchScript" in skipped.reason
    assert result.notes[0].startswith("1 module runs within TorchScript")
    json.loads(result.to_json())


def test_a_script_alone_is_followed_as_a_whole():
    result = localise(scripted(), **FEW)
    assert [(row.module, row.type) for row in result.modules] == [("", "Leak")]
    assert result.first is None


def test_a_script_is_checked():
    rows = check_model(scripted(), d_input=2, quick=True).checks
    failed = {row.check: row.reason for row in rows if row.verdict == "failed"}
    # a script that declares a float takes no tensor, and the check says so
    assert set(failed) == {"tau-forms", "tau-reaches"}
    assert all("Expected a value of type 'float'" in reason for reason in failed.values())
    assert sum(row.verdict == "passed" for row in rows) > 8


def test_a_copy_leads_nowhere():
    model = scripted()
    copied = deep_copy(model)
    assert all(p.is_leaf and p.requires_grad for p in copied.parameters())
    copied.lift.weight.data.zero_()
    assert model.lift.weight.abs().min() > 0
    assert deep_copy(running_sum) is running_sum


def test_names():
    assert class_name(scripted()) == "Leak" and class_name(nn.Tanh()) == "Tanh"
    assert argument_names(scripted().forward) == ["self", "x", "tau"]
    assert argument_names(running_sum) is None


def test_hooks_fire_where_python_calls_and_are_removed():
    model, heard = scripted(), []
    handles = [
        hook_before(model, lambda module, args, kwargs: heard.append("before")),
        hook_after(model, lambda module, args, output: heard.append("after")),
        hook_after(model.lift, lambda module, args, output: heard.append("within")),
    ]
    model(torch.zeros(1, 3, 2))
    assert heard == ["before", "after"]
    model.lift(torch.zeros(1, 3, 2))
    for handle in handles:
        handle.remove()
    model(torch.zeros(1, 3, 2))
    assert heard == ["before", "after", "within"]
