"""Sequences that are scaled as they are read, against those that are held."""

import tracemalloc

import numpy as np
import pytest

from timegrain.core.errors import DataError
from timegrain.data import load_task
from timegrain.data.dataset import Dataset
from timegrain.data.memory import release
from timegrain.data.readers import npz
from timegrain.data.rows import Rows
from timegrain.data.tasks import make_task
from timegrain.training.scaling import input_scaling


def labelled(*, scale=1.0, missing=True, cases=12):
    random = np.random.default_rng(0)
    sequences = []
    for n in random.integers(20, 60, cases):
        x = scale * (random.normal(size=(n, 3)) * [1.0, 5.0, 0.0] + [100.0, -3.0, 7.0])
        if missing:
            x[3, 1] = np.nan
        sequences.append(x)
    return Dataset(
        name="pieces",
        sequences=tuple(sequences),
        labels=np.resize([0, 1], cases),
        class_names=("a", "b"),
        n_train=8,
    )


@pytest.mark.parametrize("scale", [1.0, 1e250, 1e-250])
def test_what_is_read_is_what_would_be_held(scale):
    data = labelled(scale=scale)
    held, lazy = make_task(data), make_task(data, lazy=True)
    assert isinstance(lazy.train.x, Rows)
    assert not isinstance(held.train.x, Rows)
    assert lazy.notes == held.notes
    assert repr(lazy) == repr(held)
    for name in ("train", "test"):
        a, b = getattr(held, name), getattr(lazy, name)
        assert b.x.shape == a.x.shape
        assert b.x.dtype == a.x.dtype
        # sums of 300 terms, then one rounding to float32
        np.testing.assert_allclose(np.asarray(b.x), a.x, rtol=2e-7, atol=1e-7)
        some = b.x.read(np.array([3, 0]), 10, 30)
        assert np.array_equal(some, np.asarray(b.x)[[3, 0], 10:30])
        assert np.array_equal(np.asarray(b.x[np.array([2, 1])]), np.asarray(b.x)[[2, 1]])
        assert np.array_equal(np.asarray(b.x[1:3]), np.asarray(b.x)[1:3])
        assert b.x.read(np.array([0]), 50, 10_000).shape == (1, a.x.shape[1] - 50, 3)


def test_a_stored_network_scales_raw_values_alike():
    data = labelled()
    a, b = input_scaling(make_task(data)), input_scaling(make_task(data, lazy=True))
    np.testing.assert_allclose(b.center, a.center, rtol=1e-14)
    np.testing.assert_allclose(b.scale, a.scale, rtol=1e-13)


def test_tokens_become_indicators_as_they_are_read():
    random = np.random.default_rng(0)
    data = Dataset(
        name="letters",
        sequences=tuple(random.integers(0, 5, n) for n in (7, 4, 9, 5)),
        labels=np.array([0, 1, 0, 1]),
        class_names=("a", "b"),
        n_train=2,
        kind="tokens",
    )
    held, lazy = make_task(data), make_task(data, lazy=True)
    assert np.array_equal(np.asarray(lazy.train.x), held.train.x)
    assert np.array_equal(np.asarray(lazy.test.x), held.test.x)


def test_numbers_that_no_float32_holds_are_refused_alike():
    data = labelled()
    data.sequences[-1][0, 0] = 1e60
    empty = labelled()
    for sequence in empty.sequences[:8]:
        sequence[:, 1] = np.nan
    for wrong, text in ((data, "too far from the training part"), (empty, "has no value in the")):
        for lazy in (False, True):
            with pytest.raises(DataError, match=text):
                make_task(wrong, lazy=lazy)


@pytest.mark.parametrize("order", ["C", "F"])
def test_an_array_in_an_archive_stays_there_until_it_is_read(tmp_path, monkeypatch, order):
    monkeypatch.setattr(npz, "LARGE", 1000)
    x = np.asarray(np.random.default_rng(0).normal(size=(10, 50, 2)), dtype=np.float32, order=order)
    y = np.resize([0, 1], 10)
    np.savez(tmp_path / "cases.npz", y=y, x=x)
    np.savez_compressed(tmp_path / "small.npz", y=y, x=x)
    kept = load_task(tmp_path / "cases.npz", target="y", lazy=True)
    assert isinstance(kept.dataset.sequences[0].base.base, np.memmap)
    held = load_task(tmp_path / "small.npz", target="y")
    np.testing.assert_allclose(np.asarray(kept.train.x), held.train.x, rtol=2e-7, atol=1e-7)


def test_a_damaged_archive_is_not_mapped(tmp_path, monkeypatch):
    monkeypatch.setattr(npz, "LARGE", 1000)
    path = tmp_path / "cases.npz"
    np.savez(path, x=np.random.default_rng(0).normal(size=(10, 50)), y=np.resize([0, 1], 10))
    damaged = bytearray(path.read_bytes())
    damaged[2000] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(DataError, match="damaged"):
        load_task(path, target="y", lazy=True)


def test_a_large_file_is_made_a_task_of_without_being_held(tmp_path):
    shape = (8, 1 << 19, 2)  # 64 MiB
    x = np.lib.format.open_memmap(tmp_path / "x.npy", mode="w+", dtype=np.float64, shape=shape)
    x[:, ::1000] = np.random.default_rng(0).normal(size=(8, 525, 2))
    np.savez(tmp_path / "cases.npz", x=x, y=np.resize([0, 1], 8))
    tracemalloc.start()
    task = load_task(tmp_path / "cases.npz", target="y", lazy=True)
    piece = task.train.x.read(np.arange(2), 100_000, 104_096)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # blocks of 2^20 samples are looked through for infinities; the file has 64 of such MiB
    assert peak < 12 << 20
    assert piece.shape == (2, 4096, 2)
    assert np.abs(piece).max() > 1


def test_only_what_can_be_read_again_is_let_go_of(tmp_path):
    """Changes to a private copy of a file's pages would be lost with them."""
    path = tmp_path / "x.npy"
    np.save(path, np.zeros((1 << 23,), dtype=np.float32))
    private = np.load(path, mmap_mode="c")
    private[5] = 3.0
    release(private[2:])
    assert private[5] == 3.0
    shared = np.load(path, mmap_mode="r+")
    shared[5] = 4.0
    release(shared)
    assert shared[5] == 4.0
    for other in (np.zeros(3), None, np.load(path, mmap_mode="r")):
        release(other)
