import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_dataset

NAN = float("nan")


def load(folder, text, name="t.csv", **options):
    (folder / name).write_text(text)
    return load_dataset(folder / name, **options)


def test_a_row_is_a_step_and_a_column_a_channel(tmp_path):
    data = load(tmp_path, "left,right\n1,-2\n3,4.5\n5,6e1\n")
    np.testing.assert_array_equal(data.sequences[0], [[1, -2], [3, 4.5], [5, 60]])
    assert data.channel_names == ("left", "right")
    assert "3 rows were read as time steps, 2 columns as channels; the first row is a header" in (
        data.notes
    )


def test_without_a_header_no_row_is_lost(tmp_path):
    data = load(tmp_path, "1,2\n3,4\n")
    np.testing.assert_array_equal(data.sequences[0], [[1, 2], [3, 4]])
    assert data.channel_names == ("0", "1")
    assert "no header" in data.notes[0]


@pytest.mark.parametrize("word", ["", "NA", "NaN", "nan", "null", "?"])
def test_empty_cells_and_words_for_missing_are_nan(word, tmp_path):
    data = load(tmp_path, f"a,b\n1,{word}\n3,4\n")
    np.testing.assert_array_equal(data.sequences[0], [[1, NAN], [3, 4]])


def test_missing_in_the_first_row_without_header(tmp_path):
    np.testing.assert_array_equal(load(tmp_path, "1,\n3,4\n").sequences[0], [[1, NAN], [3, 4]])


def test_an_empty_line_is_missing_in_one_column_and_nothing_in_two(tmp_path):
    np.testing.assert_array_equal(
        load(tmp_path, "\na\n1\n\n3\n\n\n").sequences[0], [[1], [NAN], [3]]
    )
    np.testing.assert_array_equal(
        load(tmp_path, "a,b\n1,2\n\n3,4\n\n").sequences[0], [[1, 2], [3, 4]]
    )


def test_delimiters(tmp_path):
    wanted = [[1, 2], [3, 4]]
    for text, options in (
        ("a;b\n1;2\n3;4\n", {"delimiter": ";"}),
        ("a\tb\n1\t2\n3\t4\n", {"name": "t.tsv"}),
        ('"a, first",b\r\n"1",2\r\n3,4', {}),
        ("\ufeff1,2\n3,4\n", {}),
    ):
        np.testing.assert_array_equal(load(tmp_path, text, **options).sequences[0], wanted)


def test_uniform_times_are_the_step(tmp_path):
    data = load(tmp_path, "t,a\n0.0,1\n0.1,2\n0.2,3\n0.30000000000000004,4\n", time="t")
    assert (data.dt, data.times, data.unit) == (0.1, None, "[t]")
    assert data.channel_names == ("a",)


def test_a_unit_names_numeric_times(tmp_path):
    data = load(tmp_path, "t,a\n0,1\n2,2\n4,3\n", time="t", unit="ms")
    assert (data.dt, data.unit) == (2.0, "ms")


def test_irregular_dates_are_kept(tmp_path):
    data = load(
        tmp_path,
        "when,a\n2020-01-01 00:00:00,1\n2020-01-01 00:00:01.5,2\n2020-01-01 00:00:04,3\n",
        time="when",
    )
    assert data.times[0].tolist() == [0.0, 1.5, 4.0]
    assert data.unit == "s"


def test_a_step_beside_irregular_times_is_refused(tmp_path):
    with pytest.raises(ConfigError, match="has times of its own"):
        load(tmp_path, "t,a\n0,1\n1,2\n3,3\n", time="t", dt=1.0)


def test_columns_without_a_value_are_left_out_and_named(tmp_path):
    data = load(tmp_path, "a,b,\n1,,\n2,,\n")
    assert data.channel_names == ("a",)
    assert "left out: b, 2" in data.notes[1]


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("a,b\n1,2\n3,x\n", {}, r"t.csv, line 3: column 'b' holds no number, got 'x'"),
        ("a,b\n\n\n1,2\n3,x\n", {}, r"t.csv, line 5: column 'b' holds no number"),
        ("\na\n1\n\nx\n", {}, r"t.csv, line 5: column 'a' holds no number"),
        ("a,b\n1,true\n2,false\n", {}, r"column 'b' holds no number"),
        ("a,b\n1,2\n\n3,4,5\n", {}, r"t.csv, line 4: ragged row, got 3 cells, expected 2"),
        ("1,2,3\n1,2,3\n1,2", {}, r"t.csv, line 3: ragged row, got 2 cells, expected 3"),
        ("a,a\n1,2\n3,4\n", {}, r"two columns have one name, got a"),
        ("a,b\n", {}, r"a header but no rows"),
        ("\n\n", {}, r"holds no rows"),
        ("a,b\n,\n,\n", {}, r"no column with numbers"),
        ("a,b\n1,2\n", {}, r"too few samples to be a time series, got 1"),
        ("a,b\n1,inf\n2,3\n", {}, r"infinite value"),
        ("d,b\n2020-01-01,1\n2020-01-02,2\n", {}, r"(?s)'d' holds dates.*Try time='d'"),
        ("a;b\n1;2\n3;4\n", {}, r"(?s)line 2.*Try delimiter=';'"),
        ("t,b\n1,2\n1,3\n", {"time": "t"}, r"column 't': equal timestamps, got 1 then 1"),
        ("t,b\n1,2\n0,3\n", {"time": "t"}, r"decreasing timestamps"),
        ("t,b\n1,2\n,3\n", {"time": "t"}, r"a time is missing, got row 1"),
        ("t,b\n2020-01-01,2\n,3\n", {"time": "t"}, r"line 3: no time in column 't'"),
        ("time,b\n1,2\n2,3\n", {"time": "tim"}, r"(?s)no column 'tim'.*Try time='time'"),
        ("a\n1\n2.5\n", {"kind": "tokens"}, r"tokens are whole numbers.*got 2.5 at sample 1"),
    ],
)
def test_bad_tables_say_where(text, options, message, tmp_path):
    with pytest.raises(DataError, match=message):
        load(tmp_path, text, **options)


def test_a_delimiter_is_one_character(tmp_path):
    with pytest.raises(ConfigError, match="one character"):
        load(tmp_path, "1,2\n3,4\n", delimiter="::")


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "b.csv").write_bytes(b"\x00\x01\x02")
    with pytest.raises(DataError, match="not text"):
        load_dataset(tmp_path / "b.csv")


def test_whole_numbers_are_tokens_only_when_named(tmp_path):
    assert load(tmp_path, "a\n3\n0\n1\n").kind == "real"
    data = load(tmp_path, "a\n3\n0\n1\n", kind="tokens")
    assert data.kind == "tokens"
    assert data.sequences[0].tolist() == [3, 0, 1]
