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


def test_text_with_another_delimiter_in_it_is_no_other_table(tmp_path):
    with pytest.raises(DataError, match="column 'a' holds no number"):
        load(tmp_path, "a,b\nx;y,1\nx;z,2\n")
    data = load(tmp_path, 'a;1,b\n1,2\n"3",4\n')
    assert data.channel_names == ("a;1", "b")


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
    assert (data.dt, data.times, data.unit) == (0.1, None, "time unit")
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


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("0,1\n0.02,2\n0.04,3", {"dt": 0.01}),
        ("0,1\n0.02,2\n0.04,3", {"dt": 0.0198}),  # 1.01 % off
        ("0,1\n1,2\n3,3", {"dt": 1.0}),
        ("0,1\n1,2\n2,3", {"dt": 1.0, "unit": "ms", "dated": True}),
    ],
)
def test_times_that_say_another_step_than_the_user_are_an_error(text, options, tmp_path):
    if options.pop("dated", False):
        text = "".join(f"2020-01-01 00:00:0{line}\n" for line in text.splitlines())
    with pytest.raises(ConfigError, match="contradict the step that was given"):
        load(tmp_path, f"t,a\n{text}\n", time="t", **options)


def test_a_step_in_the_unit_of_the_times_is_named_never_assumed(tmp_path):
    with pytest.raises(ConfigError, match=r"(?s)got a step of 0.02 s \(50 Hz\), .*20 ms, if the"):
        load(tmp_path, "t,a\n0,1\n20,2\n40,3\n", time="t", dt=0.02)
    data = load(tmp_path, "t,a\n0,1\n20,2\n40,3\n", time="t", dt=20.0, unit="ms")
    assert (data.dt, data.unit) == (20.0, "ms")


def test_a_step_that_agrees_gives_the_times_their_unit(tmp_path):
    text = "t,a\n0,1\n0.02,2\n0.04,3\n"
    assert any("does not say in which unit" in n for n in load(tmp_path, text, time="t").notes)
    data = load(tmp_path, text, time="t", dt=0.0201, unit="s")
    assert (data.dt, data.unit, data.times) == (0.02, "s", None)
    assert not any("unit" in n or "replaced" in n for n in data.notes)
    uneven = load(tmp_path, "t,a\n0,1\n1,2\n3,3\n", time="t", dt=1.5)
    assert (uneven.times[0].tolist(), uneven.unit) == ([0.0, 1.0, 3.0], "s")


def test_dates_are_counted_in_the_unit_of_a_step_that_agrees(tmp_path):
    text = "when,a\n2020-01-01 00:00,1\n2020-01-01 01:00,2\n2020-01-01 03:00,3\n"
    data = load(tmp_path, text, time="when", dt=1.5, unit="h")
    assert (data.times[0].tolist(), data.unit) == ([0.0, 1.0, 3.0], "h")
    with pytest.raises(ConfigError, match="knows its time unit"):
        load(tmp_path, text, time="when", dt=1.5, unit="month")


def test_times_of_day_count_in_seconds(tmp_path):
    data = load(tmp_path, "t,a\n10:00:00,1\n10:00:30,2\n10:01:00,3\n", time="t")
    assert (data.dt, data.unit) == (30.0, "s")


RISING = "0.0,5\n0.1,3\n0.25,4\n0.3,1\n"


@pytest.mark.parametrize(
    "name", ["time", "Time", "t", "timestamp", "DATE", "datetime", "seconds", "t [ms]", "time_s"]
)
def test_times_are_no_channel(name, tmp_path):
    with pytest.raises(DataError, match=r"(?s)looks like the times.*0, 0.1, \.\.\. 0.3") as caught:
        load(tmp_path, f"{name},a\n{RISING}")
    assert f"time={name!r}" in caught.value.hint
    assert f"rename it in the header, for example {name}_value" in caught.value.hint
    kept = load(tmp_path, f"{name}_value,a\n{RISING}")
    assert kept.channel_names == (f"{name}_value", "a")


def test_what_is_called_time_and_does_not_rise_is_a_channel(tmp_path):
    assert load(tmp_path, "t,a\n20,1\n21,2\n20.5,3\n").channel_names == ("t", "a")
    assert load(tmp_path, f"temperature,a\n{RISING}").channel_names == ("temperature", "a")
    assert load(tmp_path, "time\n0\n1\n2.5\n").channel_names == ("time",)


def test_times_that_repeat_and_times_in_a_later_column(tmp_path):
    with pytest.raises(DataError, match="removing the column, since its times repeat"):
        load(tmp_path, "time,a\n0,1\n0,2\n1,3\n")
    with pytest.raises(DataError, match="time='time'"):
        load(tmp_path, "a,time\n5,0\n3,0.5\n4,2\n")
    data = load(tmp_path, "t,seconds,a\n0,7,1\n1,9,2\n2,12,1\n", time="t")
    assert any("'seconds' rises throughout" in n for n in data.notes)


@pytest.mark.parametrize(("head", "name"), [("index,a\n", "index"), (",a\n", "0"), ("", "0")])
def test_a_first_column_in_equal_steps_is_noted(head, name, tmp_path):
    data = load(tmp_path, f"{head}1,5\n2,3\n3,4\n")
    assert data.n_channels == 2
    assert any(f"column {name!r} rises in equal steps" in n for n in data.notes)
    uneven = load(tmp_path, f"{head}1,5\n2,3\n4,4\n")
    assert not any("equal steps" in n for n in uneven.notes)


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
        ("a;b\n1;2\n3;4\n", {}, r"(?s)stand between semicolons, not commas.*delimiter=';'"),
        ("1;2\n3;4\n", {}, r"(?s)stand between semicolons, not commas.*delimiter=';'"),
        ("a\tb\n1\t2\n3\t4\n", {}, r"(?s)between tabs, not commas.*delimiter='\\t'"),
        ("t;x\n0,0;1,5\n0,1;2,5\n", {"time": "t"}, r"(?s)semicolons, .*decimal commas.*0\.0"),
        ("0,0;1,5\n0,1;2,5\n0,2;2,0", {}, r"(?s)semicolons, .*decimal commas.*delimiter=';'"),
        ("a,b\n1.5,2\n3,4\n", {"delimiter": ";"}, r"(?s)between commas, not semi.*delimiter=','"),
        ("a,b\n1,2\n3,4\n", {"delimiter": ";"}, r"(?s)decimal comma.*delimiter=',' if the comma"),
        ("a;b\n1,5;2\n", {"delimiter": ";"}, r"(?s)line 2: .*decimal comma, got '1,5'.*1\.5"),
        ("a;t\n1;0,5\n2;1\n", {"delimiter": ";", "time": "t"}, r"'t' holds a number with a dec"),
        ("t,a\nten,1\nsix,2\n", {"time": "t"}, r"line 2: column 't' holds no time, got 'ten'"),
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


def test_a_table_on_its_side(tmp_path):
    with pytest.raises(DataError, match="transposing the file, if a row is a channel"):
        load(tmp_path, "5,2,7\n3,4,1\n")
    data = load(tmp_path, "5,2,7,1\n3,4,1,1\n5,5,5,2\n")
    assert any("more columns than rows" in n for n in data.notes)


def test_bytes_that_are_no_text(tmp_path):
    (tmp_path / "b.csv").write_bytes(b"\x00\x01\x02")
    with pytest.raises(DataError, match="not text"):
        load_dataset(tmp_path / "b.csv")


def test_whole_numbers_are_tokens_only_when_named(tmp_path):
    assert load(tmp_path, "a\n3\n0\n1\n").kind == "real"
    data = load(tmp_path, "a\n3\n0\n1\n", kind="tokens")
    assert data.kind == "tokens"
    assert data.sequences[0].tolist() == [3, 0, 1]
