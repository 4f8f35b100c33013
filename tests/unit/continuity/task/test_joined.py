import numpy as np
import pytest

from timegrain.continuity import task_continuity
from timegrain.continuity.task.joined import joined


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(6, 40, 2))


def test_rows_of_one_array_are_not_copied(rows, tmp_path):
    np.save(tmp_path / "a.npy", rows)
    on_disk = np.asarray(np.load(tmp_path / "a.npy", mmap_mode="r"))
    for source in (rows, on_disk):
        out = joined(list(source))
        assert np.shares_memory(out, source)
        assert np.array_equal(out, rows.reshape(240, 2))
        assert np.shares_memory(joined([source[0]]), source)
        assert np.array_equal(joined([source[1], source[2][:10]]), rows[1:3].reshape(80, 2)[:50])


@pytest.mark.parametrize(
    "chosen",
    [
        lambda r: [r[1], r[0]],
        lambda r: [r[0], r[2]],
        lambda r: [r[0], r[1].copy()],
        lambda r: [r[0][:, :1], r[1][:, :1]],
        lambda r: [r[0], r[1].astype(np.float32)],
        lambda r: [r[0].T.copy().T],
        lambda r: [r[0], r[1][:0], r[1]],
    ],
)
def test_all_else_is_copied_to_the_same_values(rows, chosen):
    items = chosen(rows)
    out = joined(items)
    assert np.array_equal(out, np.concatenate(items)) and out.dtype == np.float64


def test_a_measurement_does_not_see_the_difference(rows):
    before = rows.copy()
    views, copies = list(rows), [r.copy() for r in rows]
    first, second = (task_continuity(x, replicates=99) for x in (views, copies))
    assert first.discontinuity == second.discontinuity and first.interval == second.interval
    assert np.array_equal(rows, before)
