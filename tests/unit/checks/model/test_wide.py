"""Outputs of very many numbers cost no more passes and no more memory than others."""

import torch
from torch import nn

from timegrain import check_model
from timegrain.checks.model import adapt
from timegrain.checks.model.contract import gradients, steps

WIDTH = 500


def test_a_wide_output_has_its_gradients_checked_along_random_directions(monkeypatch):
    weights = torch.randn(2, WIDTH, dtype=torch.float64)

    def wide(x):
        return x @ weights

    assert check_model(wide, d_input=2, only=("gradients",)).checks[0].reason.endswith("directions")
    monkeypatch.setattr(gradients, "MOST", 2 * 5 * WIDTH)
    weights = weights[:, :2]
    assert check_model(wide, d_input=2, only=("gradients",)).checks[0].reason.endswith("each")


class Held(nn.Module):
    def __init__(self):
        super().__init__()
        self.wide = nn.Linear(1, WIDTH)

    def scan(self, x, state=None):
        sums = x.cumsum(1) + (0.0 if state is None else state[:, None])
        return self.wide(sums), sums[:, -1]

    def step(self, x_t, state=None):
        y, after = self.scan(x_t[:, None], state)
        return y[:, 0], after

    def forward(self, x):
        return self.scan(x)[0]


def test_a_wide_output_is_stepped_through_less(monkeypatch):
    monkeypatch.setattr(steps, "MOST", 30 * WIDTH)
    found = {r.label: r for r in check_model(Held(), only=("steps",), quick=True).checks}
    for dtype in ("float32", "float64"):
        assert found[f"steps {dtype}"].verdict == "passed"
        assert found[f"steps {dtype}"].reason == (
            "30 steps of 256, whose outputs of 500 numbers each would fill memory"
        )


def test_no_check_asks_for_more_of_a_wide_output_than_fits(monkeypatch):
    longest = []

    class Watched(Held):
        def scan(self, x, state=None):
            longest.append(x.shape[1])
            return super().scan(x, state)

    kept = ("batch", "chunks", "determinism", "causal", "forward", "file", "parameters")
    check_model(Watched(), only=kept).raise_if_failed()
    assert max(longest) == 700
    longest.clear()
    monkeypatch.setattr(adapt, "NUMBERS", 40 * WIDTH)
    check_model(Watched(), only=kept).raise_if_failed()
    assert max(longest) == 41  # one more than 40, where it is asked how outputs go with samples
