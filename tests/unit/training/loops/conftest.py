"""Sequences whose values tell which sample of which sequence they are."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

LENGTHS = (23, 17, 5, 20, 1, 11, 14)


def example(i):
    """Sequence `i`: values `100 i + t`, a label a sample `1000 i + t`, times half of `t`."""
    t = np.arange(LENGTHS[i])
    return {
        "input_values": (100.0 * i + t).astype(np.float32)[:, None],
        "labels": 1000 * i + t,
        "times": (0.5 * t).astype(np.float32),
    }


def pad(examples):
    """Pad on the right, labels with -100, as collators of transformers do."""
    longest = max(len(e["labels"]) for e in examples)
    out = {}
    for name, fill in (("input_values", 0.0), ("labels", -100), ("times", 0.0)):
        rows = [torch.as_tensor(e[name]) for e in examples]
        out[name] = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=fill)
    lengths = torch.tensor([len(e["labels"]) for e in examples])
    out["attention_mask"] = (torch.arange(longest) < lengths[:, None]).long()
    return out


def check_batch(batch, stride, timetable, epoch, number):
    """Compare a batch with direct indexing, and return which sequences it holds."""
    rows = [int(v) // 100 for v in batch["input_values"][:, 0, 0]]
    longest = max(LENGTHS[i] for i in rows)
    generator = timetable.generator(epoch, number)
    offset = int(torch.randint(min(stride, longest), (1,), generator=generator))
    width = len(range(offset, longest, stride))
    assert batch["input_values"].shape == (len(rows), width, 1)
    for row, i in enumerate(rows):
        # a sequence that ends before the phase keeps its last sample
        kept = list(range(offset, LENGTHS[i], stride)) or [LENGTHS[i] - 1]
        n = len(kept)
        assert batch["input_values"][row, :n, 0].tolist() == [100.0 * i + t for t in kept]
        assert batch["labels"][row].tolist() == [1000 * i + t for t in kept] + [-100] * (width - n)
        assert batch["times"][row, :n].tolist() == [0.5 * t for t in kept]
        assert batch["attention_mask"][row].tolist() == [1] * n + [0] * (width - n)
    assert batch.get("tau", 1.0) == float(stride)
    return rows


@pytest.fixture(scope="session")
def known():
    """Seven ragged sequences, how they are padded, and how a batch of them is checked."""
    examples = [example(i) for i in range(len(LENGTHS))]
    return SimpleNamespace(examples=examples, lengths=LENGTHS, pad=pad, check=check_batch)
