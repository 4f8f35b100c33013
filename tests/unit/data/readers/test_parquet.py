"""Parquet files as they should not be, and columns of every type."""

import decimal
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from timegrain.cli.main import run
from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_dataset

X = [1.0, 2.5, -3.0, 4.0]


def load(folder, columns, **options):
    pq.write_table(pa.table(columns), folder / "t.parquet", row_group_size=2)
    return load_dataset(folder / "t.parquet", **options)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1, 2, -3, 4], pa.int8()),
        pa.array([1, 2, -3, 4], pa.int64()),
        pa.array([1, 2, -3, 4], pa.float16()),
        pa.array([1, 2, -3, 4], pa.float32()),
        pa.array([decimal.Decimal(v) for v in (1, 2, -3, 4)], pa.decimal128(9, 2)),
        pa.array([1, 2, -3, 4]).dictionary_encode(),
    ],
    ids=lambda c: str(c.type),
)
def test_numbers_of_any_type(column, tmp_path):
    data = load(tmp_path, {"x": column})
    assert data.sequences[0].dtype == np.float64
    assert data.sequences[0][:, 0].tolist() == [1, 2, -3, 4]


def test_whole_numbers_beyond_2_to_53_keep_their_differences(tmp_path):
    column = pa.array([2**60, 2**60 + 1, 2**60 + 5, 2**60 + 2])
    data = load(tmp_path, {"x": column})
    assert data.sequences[0][:, 0].tolist() == [0, 1, 5, 2]
    assert any("2^53" in n for n in data.notes)


def test_missing_cells_of_any_type(tmp_path):
    data = load(tmp_path, {"x": [1, None, 3, 4], "y": [0.5, None, None, 1.0]})
    np.testing.assert_array_equal(data.sequences[0][1], [np.nan, np.nan])


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1.0], [2.0], [3.0], []]),
        pa.array([{"a": 1.0}] * 4),
        pa.array([b"a", b"b", b"c", b"d"]),
        pa.array([[("k", 1.0)]] * 4, pa.map_(pa.string(), pa.float64())),
        pa.array(["a", "b", "c", "d"]),
        pa.array([True, False, True, True]),
    ],
    ids=lambda c: str(c.type),
)
def test_what_is_no_number_is_left_out_and_refused_by_name(column, tmp_path):
    data = load(tmp_path, {"x": X, "odd": column})
    assert data.channel_names == ("x",)
    assert "columns without numbers were left out: odd" in data.notes
    with pytest.raises(DataError, match=r"column 'odd' holds no number"):
        load(tmp_path, {"x": X, "odd": column}, value=("x", "odd"))


@pytest.mark.parametrize("role", ["id", "target", "group"])
def test_nested_columns_name_nothing(role, tmp_path):
    with pytest.raises(DataError, match=r"column 'odd' cannot name a"):
        load(tmp_path, {"x": X, "odd": [[1], [2], [3], [4]]}, **{role: "odd"})


def test_nested_columns_hold_no_times(tmp_path):
    with pytest.raises(DataError, match="column 't' holds no time"):
        load(tmp_path, {"x": X, "t": [[1], [2], [3], [4]]}, time="t")


def test_names_in_a_dictionary(tmp_path):
    who = pa.array(["b", "b", "a", "a"]).dictionary_encode()
    assert load(tmp_path, {"who": who, "x": X}, id="who").ids == ("b", "a")


def test_flat_columns_with_points_in_their_names(tmp_path):
    data = load(tmp_path, {"acc": X, "acc.x": [5.0, 6.0, 7.0, 9.0]}, value=("acc.x", "acc"))
    assert data.sequences[0][0].tolist() == [5, 1]


def test_a_name_with_escapes_reaches_no_terminal(tmp_path, capsys):
    name = "x\x1b[31m<script>"
    pq.write_table(pa.table({name: np.sin(np.arange(500) / 9)}), tmp_path / "t.parquet")
    assert run(["data", str(tmp_path / "t.parquet"), "--json"]) == 0
    printed = capsys.readouterr().out
    assert "\x1b" not in printed and "\\u001b" not in printed
    assert json.loads(printed)["worst_channel"] == "x\\x1b[31m<script>"


def _cut(path, part):
    path.write_bytes(path.read_bytes()[:part])


def _swap(path, start, size):
    text = bytearray(path.read_bytes())
    text[start : start + size] = b"\xff" * size
    path.write_bytes(bytes(text))


@pytest.mark.parametrize(
    ("spoil", "error"),
    [
        (
            lambda p: p.write_bytes(b"a,b\n1,2\n3,4\n5,6\n"),
            "no parquet file, got a file that starts",
        ),
        (lambda p: p.write_bytes(b"PAR1"), "truncated"),
        (lambda p: p.write_bytes(b"PAR1" + b"\0" * 50 + b"PAR1"), "damaged"),
        (lambda p: p.write_bytes(b"PAR1" + b"\xff\xff\xff\x7f" * 9 + b"PAR1"), "damaged"),
        (lambda p: _cut(p, -20), "truncated"),
        (lambda p: _swap(p, 4, 200), "damaged"),
        (lambda p: _swap(p, -60, 40), "damaged"),
    ],
)
def test_damaged_files(spoil, error, tmp_path, capsys):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"x": np.random.default_rng(0).normal(size=500)}), path)
    spoil(path)
    with pytest.raises(DataError, match=error):
        load_dataset(path)
    assert run(["data", str(path)]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_tables_without_rows_or_columns(tmp_path):
    with pytest.raises(DataError, match="columns but no rows"):
        load(tmp_path, {"x": pa.array([], pa.float64())})
    twice = pa.Table.from_arrays([pa.array(X), pa.array(X)], names=["x", "x"])
    pq.write_table(twice, tmp_path / "t.parquet")
    with pytest.raises(DataError, match="two columns have one name, got x"):
        load_dataset(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"no column with numbers, got a \(string\)"):
        load(tmp_path, {"a": ["p", "q"]})


def test_words_of_other_formats_are_refused(tmp_path):
    with pytest.raises(ConfigError, match="delimiter= has no use"):
        load(tmp_path, {"x": X}, delimiter=";")
