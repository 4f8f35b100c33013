"""Cases that are made as they are read, against those that are held."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_task, make_task
from timegrain.data.generated import Cases, answers, case_streams, lazy
from timegrain.data.generated.dataset import generated_dataset
from timegrain.data.generated.lazy import lazy_dataset
from timegrain.data.rows import Rows
from timegrain.data.subset import take

pytestmark = pytest.mark.usefixtures("registered")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("walk", {}),
        ("walk", {"lengthen": True}),
        ("echo", {}),
        ("echo", {"each": True}),
        ("echo-permuted", {}),
    ],
)
def test_what_is_read_is_what_would_be_held(name, options, monkeypatch):
    monkeypatch.setattr(answers, "_MOST", 7)  # several blocks
    held, made = load_task(name, **options), load_task(name, lazy=True, **options)
    assert repr(made) == repr(held)
    for part in ("train", "validation", "test"):
        a, b = getattr(held, part), getattr(made, part)
        assert isinstance(b.x, Rows)
        assert b.x.shape == a.x.shape
        # float64 sums in another order, then one rounding to float32
        np.testing.assert_allclose(np.asarray(b.x), a.x, rtol=3e-7, atol=1e-6)
        assert np.array_equal(a.y, b.y)
        assert np.array_equal(a.lengths, b.lengths)
        rows = np.array([4, 0, 5])
        assert np.array_equal(b.x.read(rows, 3, 9), np.asarray(b.x)[rows, 3:9])
        assert np.array_equal(np.asarray(b.take(rows).x), np.asarray(b.x)[rows])


def test_nothing_is_made_until_it_is_read_and_a_batch_once(walk):
    asked = []

    def counting(index, *, seed, **options):
        asked.append(len(index))
        return walk.make(index, seed=seed, **options)

    counted = replace(walk, make=counting, n_train=300, n_test=10)
    task = make_task(lazy_dataset(counted), lazy=True)
    before = sum(asked)
    part = task.test.take(np.arange(4))
    assert sum(asked) == before
    for start in range(0, 16, 4):
        part.x.read(np.array([1, 2]), start, start + 4)
    assert sum(asked) == before + 2


def test_a_large_task_is_scaled_by_its_first_cases(walk, monkeypatch):
    monkeypatch.setattr(lazy, "SCALED_BY", 16)
    task = make_task(lazy_dataset(walk), lazy=True)
    raw = np.stack(generated_dataset(walk).sequences)[:16]
    np.testing.assert_allclose(task.train.x.center, raw.mean((0, 1)), rtol=1e-12)
    np.testing.assert_allclose(task.train.x.scale, raw.std((0, 1)), rtol=1e-12)


def test_memory_is_that_of_what_is_read(monkeypatch):
    monkeypatch.setattr(answers, "_BLOCK_BYTES", 1 << 20)
    length, cases = 2048, 4096  # 64 MiB in all

    def make(index, *, seed):
        x = np.empty((len(index), length, 1))
        for row, draw in zip(x, case_streams(seed, "ramp", index), strict=True):
            row[:, 0] = draw.random()
        return Cases(sequences=x, labels=x[:, 0, 0].copy())

    def known(index, *, seed):
        return np.array([r.random() for r in case_streams(seed, "ramp", index)]), None

    from timegrain.data import Generator

    ramp = Generator(
        name="ramp",
        make=make,
        answers=known,
        source="",
        values="",
        label="",
        n_train=cases,
        n_validation=0,
        n_test=16,
        kind="real",
        target="value",
    )
    monkeypatch.setattr(lazy, "SCALED_BY", 32)
    tracemalloc.start()
    task = make_task(lazy_dataset(ramp), lazy=True)
    for at in range(0, cases, 64):
        batch = task.train.x.read(np.arange(at, at + 64), 0, length)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # a batch is 1 MiB as float64, half of it as float32; labels and numbers are some 100 kB
    assert peak < 12 << 20
    assert batch.shape == (64, length, 1)
    assert np.array_equal(
        np.sign(batch[:, 0, 0]), np.sign(task.train.y[-64:] - task.train.x.center[0])
    )


def test_a_sample_that_is_none_is_an_error_when_it_is_made(walk, echo):
    def spoilt(generator, value):
        def make(index, *, seed, **options):
            made = generator.make(index, seed=seed, **options)
            made.sequences[index == 3] = value
            return made

        return make_task(lazy_dataset(replace(generator, make=make)), lazy=True)

    with pytest.raises(DataError, match="a symbol that it does not have"):
        spoilt(echo, 3).train.x.read(np.array([0, 3]), 0, 4)
    for value in (np.nan, np.inf):
        # it is among those by which inputs are scaled
        with pytest.raises(DataError, match=r"a sample that is not finite.*in case 3"):
            spoilt(walk, value)


def test_any_worker_reads_the_same(walk):
    task = make_task(lazy_dataset(walk, seed=5), lazy=True)
    again = make_task(lazy_dataset(walk, seed=5), lazy=True)
    backwards = again.train.x.read(np.arange(20)[::-1], 0, 16)[::-1]
    assert np.array_equal(backwards, np.asarray(task.train.x))


def test_some_sequences_of_a_lazy_set_are_a_set(walk):
    data = take(lazy_dataset(walk), np.array([0, 5, 21]))
    held = generated_dataset(walk)
    assert data.lengths.tolist() == [16] * 3
    assert (data.n_train, data.n_validation) == (2, 0)
    for i, number in enumerate((0, 5, 21)):
        assert np.array_equal(np.asarray(data.sequences[i]), held.sequences[number])
        assert np.array_equal(data.sequences[i][3:5], held.sequences[number][3:5])
        assert data.sequences[i].shape == (16, 2)
        assert float(data.sequences[i].max()) == held.sequences[number].max()


def test_what_would_need_all_samples_is_refused():
    with pytest.raises(ConfigError, match="are not cut"):
        load_task("walk", lazy=True, window=8)
    with pytest.raises(ConfigError, match="only be made in other ways, not changed"):
        load_task("walk", lazy=True, noise=20)


def test_rows_are_indexed_as_arrays_are(walk):
    held, made = load_task(walk).train.x, load_task(walk, lazy=True).train.x
    for i in (0, 19, -1, -20, np.int64(3)):
        # float64 sums in another order, then one rounding to float32
        np.testing.assert_allclose(made[i], held[i], rtol=3e-7, atol=1e-6)
        row = np.array([i])
        np.testing.assert_array_equal(made.read(row, 0, 16)[0], made[i])
    assert [x.shape for x in made[:2]] == [(16, 2)] * 2
    for i in (20, -21):
        with pytest.raises(IndexError):
            made[i]
        with pytest.raises(IndexError):
            made.read(np.array([i]), 0, 4)
    for several in (None, (0, 1), np.array([[0, 1]])):
        with pytest.raises(IndexError):
            made[several]
    with pytest.raises(ConfigError, match="samples are numbered from 0, got start=-5"):
        made.read(np.array([0]), -5, 3)
