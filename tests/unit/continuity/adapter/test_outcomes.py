"""How models whose ending is known end."""

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

from timegrain import ModelAdapter, Outcome, build_layer, model_continuity
from timegrain.core import ModelError

FEW = {"seeds": 2, "levels": 5, "length": 32}
WIDTH = 4


class Attending(nn.Module):
    """Causal attention with sinusoids of positions, which are numbers of samples or times."""

    def __init__(self, *, times: bool) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.inward, self.times = nn.Linear(1, 3 * WIDTH), times
        self.place = nn.Linear(2, WIDTH)

    def forward(self, u, tau=1.0):
        at = torch.arange(u.shape[1], dtype=u.dtype) * (tau if self.times else 1.0)
        place = self.place(torch.stack([torch.sin(at / 4), torch.cos(at / 4)], dim=-1))
        q, k, v = self.inward(u).chunk(3, dim=-1)
        return F.scaled_dot_product_attention(q + place, k + place, v, is_causal=True)


@pytest.mark.parametrize(
    ("model", "outcome"),
    [
        (lambda: nn.Sequential(nn.Linear(1, 8), nn.GELU(), nn.Linear(8, 1)), Outcome.MEMORYLESS),
        (lambda: nn.GRU(1, WIDTH, batch_first=True), Outcome.MEMORY_COLLAPSES),
        (lambda: build_layer("tcn", d_model=WIDTH, seed=0), Outcome.MEMORY_COLLAPSES),
        (lambda: Attending(times=True), Outcome.CONVERGES),
        (lambda: build_layer("s4d", d_model=WIDTH, seed=0, skip=False), Outcome.CONVERGES),
    ],
    ids=["pointwise", "gru", "tcn", "positions in time", "s4d"],
)
def test_a_model_ends_as_it_must(model, outcome):
    assert model_continuity(model(), **FEW).outcome is outcome


def test_positions_that_count_samples_do_not_converge():
    result = model_continuity(Attending(times=False), **FEW)
    assert result.outcome is not Outcome.CONVERGES
    assert not result.outcome.name.startswith("FLOAT")


class Dropping(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inward = nn.Linear(1, 8)

    def forward(self, u):
        return F.dropout(self.inward(u), 0.5, training=True)


@pytest.mark.parametrize("wrapped", [False, True])
def test_dropout_that_was_left_on_is_an_error_that_says_so(wrapped):
    net = Dropping().double()
    model = (lambda u: net(torch.as_tensor(u))) if wrapped else net
    with pytest.raises(ModelError, match=r"bernoulli_\), as dropout does that was left on"):
        model_continuity(model, **FEW)


@pytest.mark.parametrize(
    ("least", "where"),
    [
        (200, r"on level 3 \(249 samples, the step dt/8\): the model returned NaN"),
        (40, "the model returned NaN or infinity.* on level 1"),
        (1, "cannot be measured on level 0.*the model returned NaN or infinity"),
    ],
)
def test_nan_is_an_error_with_the_level(least, where):
    def failing(u):
        return np.where(u.shape[1] >= least, np.nan, u)

    with pytest.raises(ModelError, match=where):
        model_continuity(ModelAdapter(failing), **FEW)
