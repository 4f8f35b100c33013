"""Batches in parts, by what fits into memory."""

import numpy as np
import pytest
import torch

from timegrain import Outcome, model_continuity
from timegrain.continuity.model import batches as module
from timegrain.continuity.model.batches import FEW, Batches, out_of_memory
from timegrain.core import ModelError


class Full:
    """Takes only so many samples at once, and keeps what it was given."""

    def __init__(self, most: int, error: Exception) -> None:
        self.most, self.error, self.sizes = most, error, []

    def __call__(self, x, tau=1.0):
        self.sizes.append(len(x))
        if x.shape[0] * x.shape[1] > self.most:
            raise self.error
        return {"output": tau * x}


ERRORS = (
    MemoryError("no"),
    RuntimeError("CUDA out of memory. Tried to allocate 20.00 GiB"),
    RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 8 bytes"),
    torch.OutOfMemoryError("full"),
)


@pytest.mark.parametrize("error", ERRORS, ids=lambda e: type(e).__name__)
def test_a_batch_that_does_not_fit_is_halved_and_comes_back_whole(error):
    full, batches = Full(30, error), Batches(free=lambda: None)
    x = np.random.default_rng(0).standard_normal((7, 10, 2))
    read = batches.run(full, x, 0.5, most=7)
    assert np.array_equal(read["output"], 0.5 * x)
    assert full.sizes == [7, 3, 3, 1]
    full.sizes.clear()
    batches.run(full, np.ones((7, 15, 2)), 1.0, most=7)  # half as many again at once as before
    assert full.sizes == [2, 2, 2, 1]


def test_one_sequence_that_does_not_fit_is_an_error_with_the_length():
    with pytest.raises(ModelError, match=r"one sequence of 40 samples[\s\S]*fewer levels"):
        Batches().run(Full(30, MemoryError()), np.ones((2, 40, 1)), 1.0, most=2)


def test_another_error_passes():
    error = RuntimeError("shapes do not fit")
    with pytest.raises(RuntimeError) as caught:
        Batches().run(Full(1, error), np.ones((2, 40, 1)), 1.0, most=2)
    assert caught.value is error
    assert not out_of_memory(error)


def test_what_earlier_runs_took_limits_longer_ones():
    batches, full = Batches(free=lambda: 4000.0), Full(10**9, MemoryError())
    batches._taken = {10: 100.0}  # once: quadratic, 400 each of 20
    batches.run(full, np.ones((8, 20, 1)), 1.0, most=8)
    assert full.sizes == [5, 3]
    full.sizes.clear()
    batches._taken = {10: 100.0, 20: 200.0}  # linear, 400 each of 40
    batches.run(full, np.ones((8, 40, 1)), 1.0, most=8)
    assert full.sizes[0] == 5


@pytest.mark.parametrize("most", [64, 600])
def test_a_model_that_refuses_large_batches_is_measured_as_one_that_does_not(most):
    """On the finest level a signal and its twin at three amplitudes do not fit at once."""

    def leaky(x, tau=1.0):
        y, kept = np.zeros_like(x), np.exp(-0.3 * tau)
        for k in range(1, x.shape[1]):
            y[:, k] = kept * y[:, k - 1] + (1 - kept) * x[:, k - 1]
        return y

    def limited(x, tau=1.0):
        if x.shape[0] > 1 and x.shape[0] * x.shape[1] > most:
            raise RuntimeError("[enforce fail] not enough memory: you tried to allocate it")
        return leaky(x, tau)

    few = {"seeds": 1, "levels": 4, "length": 32, "amplitudes": (0.5, 1.0, 2.0)}
    result = model_continuity(limited, **few)
    assert result.outcome is Outcome.CONVERGES
    assert result.errors == model_continuity(leaky, **few).errors


def test_a_run_of_few_samples_is_not_watched(monkeypatch):
    looks = []
    monkeypatch.setattr(module, "held_memory", lambda: looks.append(1) or (100.0, 200.0))
    some = Batches(free=lambda: None)
    full = Full(10**9, MemoryError())
    some.run(full, np.ones((2, FEW // 2 - 1, 1)), 1.0, most=2)
    assert not looks
    some.run(full, np.ones((2, FEW // 2, 1)), 1.0, most=2)
    assert len(looks) == 2


def test_what_is_free_is_looked_at_again_where_a_run_may_take_some_of_it():
    free = iter([1e6, 4000.0])
    some, full = Batches(free=lambda: next(free)), Full(10**9, MemoryError())
    some._taken = {10: 100.0}
    some.run(full, np.ones((8, 10, 1)), 1.0, most=8)  # 800 of a million
    some.run(full, np.ones((8, 20, 1)), 1.0, most=8)  # 3200 still are little beside that
    assert full.sizes == [8, 8]
    some.run(full, np.ones((8, 40, 1)), 1.0, most=8)  # 12800: 1600 each, of 4000
    assert full.sizes[2] == 1
