"""Cases made in other processes, and how much memory a task needs that is larger than it."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

from timegrain.data import load_task, make_task
from timegrain.data.catalogue import card, describe_datasets
from timegrain.data.generated import case_numbers, sequences
from timegrain.data.generated.lazy import lazy_dataset

GENERATED = [c.name for c in describe_datasets() if c.generator is not None]

_LARGE = """
import resource
import numpy as np
from timegrain.data import Generator, make_task
from timegrain.data.generated import Cases
from timegrain.data.generated.lazy import lazy_dataset

CASES, LENGTH = 32768, 4096  # 512 MiB as a network reads them, twice that as they are made


def make(index, *, seed):
    x = (index[:, None] % 97 + np.arange(LENGTH) % 5.0)[..., None]
    return Cases(sequences=x, labels=index % 2)


def answers(index, *, seed):
    return index % 2, None


ramps = Generator(
    name="ramps", make=make, answers=answers, source="", values="", label="", n_train=CASES,
    n_validation=0, n_test=2, kind="real", target="class", class_names=("a", "b"),
)
task = make_task(lazy_dataset(ramps), lazy=True)
pages = int(open("/proc/self/statm").read().split()[0])
limit = pages * resource.getpagesize() + (256 << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
peaks = []
for at in range(0, CASES, 128):
    batch = task.train.x.read(np.arange(at, at + 128), 0, LENGTH)
    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
assert batch.shape == (128, LENGTH, 1)
print(peaks[7], peaks[-1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="/proc and RLIMIT_AS are those of Linux")
def test_a_task_larger_than_memory_is_read_in_that_of_a_batch():
    found = subprocess.run(
        [sys.executable, "-c", _LARGE], capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    early, late = map(int, found.stdout.split())  # KiB
    assert late - early < 16 << 10, (early, late)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("damped-inference", {"length": 64}),
        ("mqar", {"answer": "every", "pairs": 4, "length": 32}),
    ],
)
def test_workers_of_a_loader_read_the_same_samples(name, options):
    from torch.utils.data import DataLoader

    words = {"n_train": 24, "n_validation": 1, "n_test": 2, "seed": 7, **options}
    part = load_task(name, lazy=True, **words).train
    held = load_task(name, **words).train
    time = held.x.shape[1]

    class Cases:
        def __len__(self):
            return len(part)

        def __getitem__(self, i):
            return part.x.read(np.array([i]), 0, time)[0], part.y[i]

    loader = DataLoader(Cases(), batch_size=4, num_workers=2, multiprocessing_context="fork")
    x, y = (np.concatenate(column) for column in zip(*loader, strict=True))
    # sums of the scaling in another order, rounded to float32
    np.testing.assert_allclose(x, held.x, rtol=3e-7, atol=1e-6)
    np.testing.assert_array_equal(y, held.y)


def test_another_process_can_be_told_of_a_task(walk):
    task = load_task("ou-forecast", n_train=6, n_validation=1, n_test=2, length=64, lazy=True)
    before = np.asarray(task.train.x)
    wire = pickle.dumps(task)
    assert len(wire) < 1 << 16  # no case goes along
    again = pickle.loads(wire)
    np.testing.assert_array_equal(np.asarray(again.train.x), before)
    own = pickle.loads(pickle.dumps(walk))
    np.testing.assert_array_equal(
        own.cases(np.arange(3)).sequences, walk.cases(np.arange(3)).sequences
    )


@pytest.mark.parametrize("name", GENERATED)
def test_a_shipped_generator_comes_out_as_it_went_in(name):
    found = card(name).generator.turned(n_train=7)
    again = pickle.loads(pickle.dumps(found))
    assert repr(again) == repr(found) and again.n_train == 7
    assert again.make is found.make


def test_cases_read_in_order_are_made_ahead_and_the_same(walk, monkeypatch):
    monkeypatch.setattr(sequences, "AHEAD", 4)
    asked = []

    def counting(index, *, seed, **options):
        asked.append(len(index))
        return walk.make(index, seed=seed, **options)

    from dataclasses import replace

    data = lazy_dataset(replace(walk, make=counting).turned(n_train=20))
    alone = [walk.cases(np.array([i])).sequences[0] for i in case_numbers("train", 20)]
    asked.clear()
    read = [np.asarray(s) for s in data.sequences[:20]]
    assert asked == [1, 2, 4, 4, 4, 4, 1]
    assert all(np.array_equal(a, b) for a, b in zip(alone, read, strict=True))
    asked.clear()
    for i in (3, 9, 1, 17, 9):
        assert np.array_equal(np.asarray(data.sequences[i]), alone[i])
    assert asked == [1] * 5
    rows = make_task(lazy_dataset(walk), lazy=True).train.x
    whole = np.asarray(rows)
    assert all(np.array_equal(rows.read(np.array([i]), 0, 16)[0], whole[i]) for i in range(20))
