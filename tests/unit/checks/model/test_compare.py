import math

import pytest
import torch

from timegrain.checks.model.compare import gap, largest, state_gap, tolerance
from timegrain.checks.model.row import compared
from timegrain.checks.model.state import row_of


def test_a_gap_is_relative_and_keeps_nan():
    assert gap(torch.tensor([1.0, 2.5]), torch.tensor([1.0, 2.0])) == 0.25
    assert gap(torch.zeros(2), torch.zeros(2)) == 0.0
    assert gap(torch.ones(2), torch.zeros(2)) == math.inf
    assert gap(torch.ones(2), torch.ones(3)) == math.inf
    assert math.isnan(gap(torch.tensor([math.nan, 0.0]), torch.ones(2)))
    assert gap(torch.tensor([1 + 1j]), torch.tensor([1 + 0j])) == 1.0


def test_the_largest_of_values_with_nan_is_nan():
    assert math.isnan(largest([0.0, math.nan, 1.0]))
    assert largest([]) == 0.0
    assert compared(largest([0.0, math.nan]), 1.0, cure="x").verdict == "failed"
    assert compared(math.inf, 1.0, bound="at least", cure="x").verdict == "failed"


def test_tolerances():
    assert tolerance(torch.float64, 10**6) == 1e-10
    # 32 eps sqrt(L) for 4,096 steps
    assert tolerance(torch.float32, 4096) == pytest.approx(32 * 2**-23 * 64)


def test_states_of_any_form():
    state = {"h": torch.arange(6.0).view(3, 2), "more": (torch.ones(3), [torch.zeros(3, 1)])}
    assert state_gap(state, state) == 0.0
    row = row_of(state, 1)
    assert row["h"].tolist() == [[2.0, 3.0]]
    assert row["more"][1][0].shape == (1, 1)
    # a cache of another length says nothing by itself
    assert state_gap(state, {**state, "h": torch.zeros(3, 4)}) is None
    assert state_gap((torch.ones(1),), (torch.ones(1), torch.ones(1))) is None
