"""A table in blocks is the table."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.readers import parquet
from timegrain.data.readers.options import FileOptions
from timegrain.data.tables import table_blocks


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "BATCH", 5)

    def write(columns):
        path = tmp_path / "t.parquet"
        pq.write_table(pa.table(columns), path, row_group_size=7)
        return path

    return write


def test_blocks_put_together_are_every_recording(file):
    rng = np.random.default_rng(0)
    who = np.repeat([0, 1, 0, 2], [8, 3, 4, 9])
    x = rng.normal(size=24)
    path = file({"who": who, "t": np.arange(24.0), "x": x, "y": x.astype(np.float32)})
    blocks = table_blocks(path, FileOptions(id=("who",), time="t", value=("x", "y")))
    assert (blocks.channel_names, blocks.n_rows) == (("x", "y"), 24)
    found: dict[str, list] = {}
    for block in blocks:
        parts = found.setdefault(block.recording, [])
        assert block.start == sum(len(p.values) for p in parts)
        parts.append(block)
    for name in "012":
        rows = who == int(name)
        values = np.concatenate([b.values for b in found[name]])
        np.testing.assert_array_equal(values[:, 0], x[rows])
        np.testing.assert_array_equal(
            np.concatenate([b.times for b in found[name]]), np.arange(24.0)[rows]
        )


def test_one_recording_has_the_name_of_its_file_and_narrow_values_stay_so(file):
    path = file({"x": np.arange(12, dtype=np.float32)})
    blocks = list(table_blocks(path, FileOptions()))
    assert {b.recording for b in blocks} == {"t"} and blocks[0].times is None
    assert [b.start for b in blocks] == [0, 5, 10]
    assert blocks[0].values.dtype == np.float32


@pytest.mark.parametrize(
    "times",
    [
        [1_700_000_000_000 + 500 * k for k in range(12)],
        [dt.datetime(2024, 1, 1) + k * dt.timedelta(milliseconds=500) for k in range(12)],
        pa.array([500 * k for k in range(12)], pa.duration("ms")),
    ],
)
def test_dates_and_epoch_numbers_count_in_seconds_from_the_first(times, file):
    blocks = table_blocks(file({"t": times, "x": np.arange(12.0)}), FileOptions(time="t"))
    assert blocks.unit == "s"
    assert np.concatenate([b.times for b in blocks]).tolist() == [0.5 * k for k in range(12)]


def test_what_cannot_be_read_in_blocks(file):
    path = file({"t": [str(k) for k in range(12)], "x": np.arange(12.0)})
    with pytest.raises(ConfigError, match="wide form"):
        table_blocks(path, FileOptions(form="wide"))
    with pytest.raises(DataError, match="are not read in blocks, got string"):
        list(table_blocks(path, FileOptions(time="t")))
    gone = file({"t": [0.0] * 6 + [None] * 6, "x": np.arange(12.0)})
    with pytest.raises(DataError, match=r"t\.parquet, row 7: no time"):
        list(table_blocks(gone, FileOptions(time="t")))


def test_blocks_of_recordings_that_two_columns_name(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = tmp_path / "t.parquet"
    who, day = [*"aaaabb"], [*"112322"]
    pq.write_table(pa.table({"who": who, "day": day, "x": np.arange(6.0)}), path)
    table = table_blocks(path, FileOptions(id=("who", "day")))
    found = [(b.recording, b.number, b.values[:, 0].tolist()) for b in table]
    assert found == [("a/1", 0, [0, 1]), ("b/2", 1, [4, 5])]
    assert table.names == ["a/1", "b/2"]
    assert "recordings of a single row were left out: a/2, a/3" in table.notes()


def test_a_column_that_rises_at_first_is_read_to_its_end(file):
    x = np.arange(3000.0)
    late = np.where(x < 2000, x, 0)
    for first, noted in ((x, True), (late, False), (x[::-1], False)):
        table = table_blocks(file({"n": first, "x": x % 7}), FileOptions())
        assert any("rises in equal steps" in note for note in table.notes()) == noted
