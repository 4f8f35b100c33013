"""A `ModelAdapter` says how a model is called, to `check_model` as to the measures."""

import pytest
import torch
from torch import nn

from timegrain import check_model
from timegrain.continuity import ModelAdapter


class Stepped(nn.Module):
    """Its step is another argument, its input not the first, and its answer a dict."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(5, 2)
        self.rate = nn.Parameter(torch.rand(2))

    def get_input_embeddings(self):
        return self.table

    def forward(self, ids=None, *, inputs_embeds=None, step_scale=1.0):
        x = self.table(ids) if inputs_embeds is None else inputs_embeds
        keep, state, outputs = torch.exp(-self.rate.exp() * step_scale), 0.0, []
        for k in range(x.shape[1]):
            state = keep * state + (1 - keep) * x[:, k]
            outputs.append(state)
        return {"hidden": torch.stack(outputs, 1)}


def adapted(**options):
    return ModelAdapter(Stepped(), inputs="inputs_embeds", output="hidden", d_input=2, **options)


def test_an_adapted_model_is_checked_as_it_is_called():
    result = check_model(adapted(tau="step_scale"), quick=True, skip=("finite",))
    result.raise_if_failed()
    found = {r.label: r.verdict for r in result.checks}
    assert result.name == "Stepped" and result.told
    for label in ("tau-reaches", "parameters weights", "parameters input", "batch", "gradients"):
        assert found[label] == "passed"
    # one step for all samples is all that an adapter tells
    assert found["tau-forms per sample"] == found["tau-reaches own sequence"] == "not applicable"


def test_an_adapter_that_tells_nothing_says_so_and_its_precision_is_kept():
    result = check_model(adapted(tau=None, dtype="float32"), only=("tau-reaches", "batch"))
    assert result.dtype == "float32" and not result.told
    assert "adapter says" in result.checks[0].reason


@pytest.mark.parametrize("told", [True, False])
def test_an_adapted_function(told):
    def scaled(signal, gain=1.0):
        return signal * gain

    given = {"tau": "gain"} if told else {"tau": None}
    result = check_model(ModelAdapter(scaled, inputs="signal", **given), only=("tau-reaches",))
    assert result.told == told and result.passed
