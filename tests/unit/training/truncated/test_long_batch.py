"""Chunks of sequences against the batch they are read of."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from timegrain.core.errors import DataError, ModelError
from timegrain.data.memory import release
from timegrain.data.rows import Rows
from timegrain.data.task import Part
from timegrain.data.tasks import make_task
from timegrain.training.batch import Batch, decimate
from timegrain.training.objective import Objective
from timegrain.training.truncated.long_batch import LongBatch


@st.composite
def cases(draw):
    time = draw(st.integers(1, 40))
    lengths = draw(st.lists(st.integers(1, time), min_size=1, max_size=4))
    stride = draw(st.integers(1, 5))
    offset = draw(st.integers(0, min(stride, time) - 1))
    full = draw(st.booleans())
    return time, None if full else lengths, len(lengths), stride, offset, draw(st.integers(1, 45))


@settings(max_examples=60, deadline=None)
@given(cases(), st.sampled_from(["phase", "mean"]), st.booleans())
def test_chunks_are_what_dropping_samples_leaves(case, decimator, per_step):
    time, lengths, size, stride, offset, chunk = case
    x = torch.arange(size * time * 2, dtype=torch.float64).view(size, time, 2)
    y = torch.arange(size * time).view(size, time) if per_step else torch.arange(size)
    known = None if lengths is None else torch.tensor(lengths)
    batch = Batch(x=x, y=y, lengths=known, per_step=per_step)
    whole = decimate(batch, stride, offset=offset, decimator=decimator)
    count = whole.valid.sum(1)
    row = [0] * size
    for part in LongBatch.held(batch).chunks(
        chunk, stride=stride, offset=offset, decimator=decimator
    ):
        assert torch.equal(part.left, count)
        assert 1 <= part.batch.x.shape[1] <= chunk
        assert bool(part.batch.valid.any())
        for i, n in enumerate(part.batch.valid.sum(1).tolist()):
            same = slice(part.start, part.start + n)
            assert torch.equal(part.batch.x[i, :n], whole.x[i, same])
            if per_step:
                assert torch.equal(part.batch.y[i, :n], whole.y[i, same])
            row[i] += n
        if not per_step:
            assert torch.equal(part.batch.y, y)
    assert row == count.tolist()


def test_the_filter_is_that_of_whole_sequences():
    x = torch.randn(2, 900, 1, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    batch = Batch(x=x, y=torch.zeros(2), lengths=torch.tensor([900, 700]))
    whole = decimate(batch, 2, offset=1, decimator="fir")
    parts = list(LongBatch.held(batch).chunks(100, stride=2, offset=1, decimator="fir"))
    assert torch.equal(torch.cat([p.batch.x for p in parts], 1), whole.x)


class Counting(Rows):
    """Counts the samples that are read."""

    def __init__(self, sequences, *, time, width):
        super().__init__(sequences, time=time, width=width)
        self.longest = 0

    def read(self, rows, start, stop):
        self.longest = max(self.longest, len(rows) * (stop - start))
        return super().read(rows, start, stop)

    def _of(self, sequences):
        raise AssertionError("not asked for")

    def _ready(self, samples):
        return samples


def test_no_more_is_read_than_a_chunk_of_the_chosen_sequences(task):
    rows = Counting([np.ones((1000, 1), np.float32)] * 10, time=1000, width=1)
    part = Part(x=rows, lengths=np.full(10, 1000), y=np.resize([0, 1], 10), index=np.arange(10))
    chosen = (
        LongBatch.of(part, Objective.of(task)).take(torch.tensor([3, 7])).take(torch.tensor([1, 0]))
    )
    assert chosen.rows.tolist() == [7, 3]
    assert (len(chosen), chosen.time, chosen.lengths.tolist()) == (2, 1000, [1000, 1000])
    assert sum(p.batch.x.shape[1] for p in chosen.chunks(64)) == 1000
    assert rows.longest == 2 * 64
    assert sum(p.batch.x.shape[1] for p in chosen.chunks(64, stride=3, offset=1)) == 333
    assert rows.longest == 2 * (64 * 3 + 1)


def test_a_mapped_array_is_read_as_it_is(tmp_path, task, monkeypatch):
    let_go = []
    monkeypatch.setattr(
        "timegrain.training.truncated.stretch.release", lambda x: (let_go.append(1), release(x))
    )
    x = np.random.default_rng(0).normal(size=(6, 50, 1)).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    part = Part(x=mapped, lengths=np.full(6, 50), y=np.resize([0, 1], 6), index=np.arange(6))
    found = LongBatch.of(part, Objective.of(task)).take(torch.tensor([5, 2])).read(10, 20)
    assert np.array_equal(found.x.numpy(), x[[5, 2], 10:20])
    assert found.y.tolist() == [1, 0]
    assert found.lengths is None
    assert let_go


def test_what_does_not_fit_is_refused(task):
    objective = Objective.of(task)
    none = Part(x=np.zeros((0, 3, 1), np.float32), lengths=np.zeros(0), y=[], index=np.zeros(0))
    with pytest.raises(DataError, match="a part of the task is empty"):
        LongBatch.of(none, objective)
    with pytest.raises(ModelError, match="needs a target at every sample"):
        LongBatch.of(task.train, objective, per_step=True)


def test_lengths_are_left_out_where_a_part_is_full(task, ragged):
    assert LongBatch.of(task.train, Objective.of(task)).whole().lengths is None
    found = LongBatch.of(ragged.train, Objective.of(ragged))
    assert torch.equal(found.whole().lengths, torch.as_tensor(ragged.train.lengths))
    lazy = make_task(ragged.dataset, lazy=True)
    again = LongBatch.of(lazy.train, Objective.of(lazy)).whole()
    torch.testing.assert_close(again.x, found.whole().x, rtol=2e-7, atol=1e-7)
