"""`check_model` on states of any form."""

from dataclasses import dataclass

import numpy as np
import pytest
import torch
from torch import nn

from timegrain import check_model
from timegrain.checks.model.compare import state_gap
from timegrain.checks.model.state import kept, mapped, row_of, tensors

KEEP = 0.8


class Slots:
    __slots__ = ("h",)

    def __init__(self, h):
        self.h = h


@dataclass(frozen=True)
class Held:
    h: torch.Tensor
    name: str = "mean"


FORMS = {
    "tensor": (lambda h: h, lambda s: s),
    "object": (Held, lambda s: s.h),
    "slots": (Slots, lambda s: s.h),
    "array": (lambda h: h.detach().numpy().copy(), torch.from_numpy),
    "float": (lambda h: h[0, 0].item(), lambda s: torch.full((2, 1), s).double()),
    "closure": (lambda h: lambda: h, lambda s: s()),
}


class Mean(nn.Module):
    """A running mean, whose state has the form that it is told."""

    def __init__(self, form, *, writes=False, starts=KEEP):
        super().__init__()
        self.wrap, self.read = FORMS[form]
        self.writes, self.starts = writes, starts

    def forward(self, x, *, lengths=None):
        return self.scan(x, lengths=lengths)[0]

    def scan(self, x, state=None, *, lengths=None):
        h = x.new_zeros(len(x), x.shape[-1]) if state is None else self.read(state)[: len(x)]
        ends = torch.full((len(x),), x.shape[1]) if lengths is None else lengths
        outputs = []
        for k in range(x.shape[1]):
            new = torch.where((k < ends)[:, None], KEEP * h + x[:, k].nan_to_num(), h)
            h = h.copy_(new) if self.writes else new
            outputs.append(h.clone())
        return torch.stack(outputs, 1), self.wrap(h)

    def step(self, x_t, state=None):
        y, after = self.scan(x_t[:, None], state)
        return y[:, 0], after


def found(model, **options):
    result = check_model(model, d_input=1, quick=True, **options)
    return {row.label: row for row in result.checks}


@pytest.mark.parametrize("form", ["tensor", "object", "slots", "array"])
def test_a_state_is_compared_whatever_holds_it(form):
    rows = found(Mean(form), only=("padding", "chunks", "causal"))
    wanted = ("padding state", "padding no sample", "chunks last state", "chunks passed state")
    assert [rows[label].verdict for label in wanted] == ["passed"] * 4
    assert all(row.verdict != "failed" for row in rows.values())
    assert rows["chunks last state"].measured is not None


@pytest.mark.parametrize(("form", "kind"), [("float", "float"), ("closure", "function")])
def test_a_state_without_tensors_is_not_compared(form, kind):
    rows = found(Mean(form), only=("padding", "chunks"))
    assert rows["chunks last state"].verdict == "not applicable"
    assert f"holds no tensor ({kind})" in rows["chunks last state"].reason
    assert rows["padding state"].verdict == "not applicable"


def test_a_state_that_is_lost_in_an_object_fails():
    class Forgets(Mean):
        def scan(self, x, state=None, *, lengths=None):
            y, after = super().scan(x, state, lengths=lengths)
            return y, Held(after.h + x[:, :1].sum(1))

    assert found(Forgets("object"), only=("chunks",))["chunks last state"].verdict == "failed"


def test_a_scan_that_writes_into_the_state_it_was_passed_fails():
    row = found(Mean("tensor", writes=True), only=("chunks",))["chunks passed state"]
    assert row.verdict == "failed"
    assert row.reason == "scan and step changed the state that was passed"
    assert "new state" in row.cure


def test_objects_are_looked_into_once():
    h = torch.arange(6.0).view(3, 2)
    ring = Held(h)
    object.__setattr__(ring, "self", ring)
    assert [t.tolist() for t in tensors({"a": ring, "b": (3, None, nn.Linear(2, 2))})] == [
        h.tolist()
    ]
    assert row_of(ring, 1).h.tolist() == [[2.0, 3.0]]
    assert ring.h is h
    assert row_of(torch.tensor(3.0), 1) == 3.0  # a count of samples has no batch
    copied = kept(ring)
    copied.h.zero_()
    assert h.sum() == 15.0
    assert mapped(opaque := object(), lambda t: t) is opaque
    assert state_gap(None, None) is None
    assert state_gap(np.ones(2), np.array([1.0, 2.0])) == 0.5
