from time import perf_counter

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_dataset

NAN = float("nan")


def load(folder, text, name="t.csv", **options):
    (folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return load_dataset(folder / name, **options)


def test_a_row_is_a_step_and_a_column_a_channel(tmp_path):
    data = load(tmp_path, "left,right\n1,-2\n3,4.5\n5,6e1\n")
    np.testing.assert_array_equal(data.sequences[0], [[1, -2], [3, 4.5], [5, 60]])
    assert data.channel_names == ("left", "right")
    assert data.notes[0] == (
        "3 rows were read as time steps, 2 columns as channels; the first row is a header; cells "
        "stand between commas"
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
        ("a,b\n1.5,2\n3,4\n", {"delimiter": ";"}, r"(?s)between commas, not semi.*delimiter=','"),
        ("a,b\n1,2\n3,4\n", {"delimiter": ";"}, r"(?s)decimal comma.*delimiter=',' if the comma"),
        ("a;b\n1;2\n3;4\n", {"delimiter": ","}, r"(?s)semicolons, not commas.*delimiter=';'"),
        ("a;b\n1,5;2\n2.5;1\n", {}, r"(?s)line 2: .*decimal comma, got '1,5'.*1\.5"),
        ("t,a\nten,1\nsix,2\n", {"time": "t"}, r"line 2: column 't' holds no time, got 'ten'"),
        ("t,b\n1,2\n1,3\n", {"time": "t"}, r"too few samples to be a time series"),
        ("t,b\n1,2\n,3\n", {"time": "t"}, r"line 3: no time in column 't'"),
        ("t,b\n2020-01-01,2\n,3\n", {"time": "t"}, r"line 3: no time in column 't'"),
        ("time,b\n1,2\n2,3\n", {"time": "tim"}, r"(?s)no column 'tim'.*Try time='time'"),
        ("a\n1\n2.5\n", {"kind": "tokens"}, r"tokens are whole numbers.*got 2.5 at sample 1"),
    ],
)
def test_bad_tables_say_where(text, options, message, tmp_path):
    with pytest.raises(DataError, match=message):
        load(tmp_path, text, **options)


NUMBERS = [[1.5, 2], [2.5, 3]]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a;b\n1.5;2\n2.5;3\n", "semicolons"),
        ("a;b\n1,5;2\n2,5;3\n", "semicolons, numbers have decimal commas"),
        ("1,5;2\n2,5;3\n", "no header: columns are numbered from 0; cells stand between semic"),
        ("a\tb\n1,5\t2\n2,5\t3\n", "tabs, numbers have decimal commas"),
        ("a|b\n1.5|2\n2.5|3\n", "bars"),
        ("\ufeffa;b\r\n1,5;2\r\n2,5;3\r\n", "semicolons, numbers have decimal commas"),
        ('a;b\n"1,5";2\n2,5;3\n', "semicolons, numbers have decimal commas"),
    ],
)
def test_what_stands_between_cells_is_found_and_said(text, said, tmp_path):
    data = load(tmp_path, text)
    np.testing.assert_array_equal(data.sequences[0], NUMBERS)
    assert said in data.notes[0]


def test_dates_and_words_do_not_hide_the_delimiter(tmp_path):
    text = "when;who;x\n2020-01-01 10:00:00;ann;1,5\n2020-01-01 10:00:01;ann;2,5\n"
    data = load(tmp_path, text, time="when", id="who")
    assert data.sequences[0][:, 0].tolist() == [1.5, 2.5] and data.dt == 1.0


def test_decimal_commas_that_come_late(tmp_path):
    text = "a;b\n" + "1;2\n" * 5000 + "1,25;3\n"
    assert load(tmp_path, text).sequences[0][-1].tolist() == [1.25, 3]


def test_a_header_may_be_said(tmp_path):
    assert load(tmp_path, "0,1\n2,3\n4,5\n", header=True).channel_names == ("0", "1")
    assert len(load(tmp_path, "0,1\n2,3\n4,5\n", header=True).sequences[0]) == 2
    with pytest.raises(DataError, match=r"line 1: column '0' holds no number, got 'a'"):
        load(tmp_path, "a,b\n2,3\n4,5\n", header=False)


@pytest.mark.parametrize("delimiter", ["::", "", "é", "\0", "\n", '"', "1", "e", "."])
def test_a_delimiter_is_one_character(delimiter, tmp_path):
    with pytest.raises(ConfigError, match="one character"):
        load(tmp_path, "1,2\n3,4\n", delimiter=delimiter)


def test_a_tab_may_be_written_as_a_shell_passes_it(tmp_path):
    data = load(tmp_path, "a\tb\n1\t2\n3\t4\n", delimiter=r"\t")
    assert data.channel_names == ("a", "b")


def test_a_table_on_its_side(tmp_path):
    with pytest.raises(DataError, match="transposing the file, if a row is a channel"):
        load(tmp_path, "5,2,7\n3,4,1\n")
    data = load(tmp_path, "5,2,7,1\n3,4,1,1\n5,5,5,2\n")
    assert any("more columns than rows" in n for n in data.notes)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\x00\x01\x02", "line 1: not text, got a zero byte at position 0"),
        (b"a,b\n" + b"1,2\n" * 2000 + b"1,\0\n", "line 2002: not text, got a zero byte"),
        ("temp\xe9,b\n1,2\n3,4\n".encode("latin-1"), r"(?s)line 1: .* 0xe9 at position 4.*iconv"),
        (b"a,b\r\n1,2\r\n\xe9,4\r\n", r"line 3: not text in UTF-8, got byte 0xe9"),
        (b"\xff\xfe1", r"not text in UTF-16-LE"),
    ],
)
def test_bytes_that_are_no_text(text, message, tmp_path):
    with pytest.raises(DataError, match=message):
        load(tmp_path, text)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_names_the_encoding(encoding, tmp_path):
    data = load(tmp_path, "höhe,b\n1,2\n3,5\n".encode(encoding))
    assert data.channel_names == ("höhe", "b")
    np.testing.assert_array_equal(data.sequences[0], [[1, 2], [3, 5]])


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_any_way(end, tmp_path):
    text = end.join(["a,b", "1,2", "", '"3",5', ""])
    np.testing.assert_array_equal(load(tmp_path, text).sequences[0], [[1, 2], [3, 5]])
    with pytest.raises(DataError, match="line 5: column 'b' holds no number, got 'x'"):
        load(tmp_path, text + "1,x")


@pytest.mark.parametrize("start", [2**60, 2**63 - 200, 2**64, -(2**64), 10**30])
@pytest.mark.parametrize("missing", ["", " NA "])
def test_whole_numbers_beyond_2_to_53_keep_their_differences(start, missing, tmp_path):
    rows = [start + k * k for k in range(10)]
    data = load(tmp_path, "a,b\n" + "".join(f"{v},{v}.5\n" for v in rows) + f"{missing},1.5\n")
    np.testing.assert_array_equal(data.sequences[0][:, 0], [*(k * k for k in range(10)), NAN])
    assert f"the differences between them: {start}" in data.notes[-1]


def test_numbers_up_to_2_to_53_are_not_moved(tmp_path):
    data = load(tmp_path, f"{2**53}\n{2**53 - 1}\n")
    np.testing.assert_array_equal(data.sequences[0][:, 0], [2**53, 2**53 - 1])
    assert len(data.notes) == 1


def test_nanoseconds_since_1970_are_not_rounded(tmp_path):
    start = 1_700_000_000_000_000_000
    # float64 rounds such a time to a multiple of 256 ns
    even = load(tmp_path, "t,a\n" + "".join(f"{start + 7 * k},1\n" for k in range(9)), time="t")
    assert (even.dt, even.times, even.unit) == (7e-9, None, "s")
    assert any("nanoseconds since 1970, the first being 2023-11-14T22" in n for n in even.notes)
    odd = load(tmp_path, f"t,a\n{start},1\n{start + 1},2\n{start + 4},2\n", time="t", unit="ns")
    assert (odd.times[0].round(9).tolist(), odd.unit) == ([0.0, 1.0, 4.0], "ns")


@pytest.mark.parametrize("clock", ["", " 00:00:00", "T00:00:00Z"])
def test_dates_outside_the_range_of_nanoseconds(clock, tmp_path):
    text = "t,a\n" + "".join(
        f"{day}{clock},1\n" for day in ("1600-01-01", "1600-01-03", "2300-01-01")
    )
    data = load(tmp_path, text, time="t")
    # from 1600 to 2300 there are 700 years of 365 days and 170 leap days
    assert data.times[0].tolist() == [0.0, 2 * 86400.0, (700 * 365 + 170) * 86400.0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n0.5,1\n1_000,2\n3,4\n", r"line 3: column 'a' holds no number, got '1_000'"),
        ("1_000,2\n3,4\n", r"line 1: column '0' holds no number, got '1_000'"),
        ("a,b\n0.5,1\n\uff11,2\n", r"line 3: column 'a' holds no number, got '\uff11'"),
        ('a,b\n1,2\n"3\n",4\n"x\ny",6\n', r"line 5: column 'a' holds no number"),
        ("a,b\n1,2\n\u2028,x\n", r"line 3: column 'a' holds no number"),
        ('"a,b\n1,2\n3,4\n', r"line 1: a quote that opens here is never closed"),
        ('a,b\n1,2\n3,"4\n', r"line 3: a quote that opens here is never closed"),
        (f"a\n1\n1{'0' * 400}\n", r"infinite value"),
        ("1\n", r"too few samples"),
        ("1", r"too few samples"),
        ("a,b", r"a header but no rows"),
        (" \n \n", r"no column with numbers"),
        ("# only\n# comments\n", r"holds no rows"),
        ("a,b\n1,2\n# note\n3,4\n", r"line 3: ragged row"),
        ("a" * 200_000 + ",b\n1,2\n", r"field larger"),
    ],
)
def test_odd_cells_are_blamed_where_they_stand(text, message, tmp_path):
    with pytest.raises(DataError, match=message):
        load(tmp_path, text)


def test_the_cell_that_is_no_time_is_blamed(tmp_path):
    with pytest.raises(DataError, match=r"line 4: column 't' holds no time, got 'soon'"):
        load(tmp_path, "t,a\n2020-01-01,1\n2020-01-02,1\nsoon,1\n", time="t")
    with pytest.raises(DataError, match=r"line 3: column 't' holds no time, got 'soon'"):
        load(tmp_path, "t,a\n1,1\nsoon,1\n3,1\n", time="t")


def test_blank_cells_are_missing(tmp_path):
    data = load(tmp_path, "a,b\n1, \n 2 , NaN \n")
    np.testing.assert_array_equal(data.sequences[0], [[1], [2]])


def test_comments_above_the_table(tmp_path):
    data = load(tmp_path, "# made today\n\na,b\n1,2\n3,5\n")
    assert data.channel_names == ("a", "b")
    assert "comments above the first row, by their #: 1" in data.notes
    with pytest.raises(DataError, match=r"t.csv, line 5: column 'b'"):
        load(tmp_path, "# made today\n\na,b\n1,2\n3,x\n")
    named = load(tmp_path, "# a,b\n1,2\n3,5\n")
    assert (named.channel_names, len(named.notes)) == (("a", "b"), 1)
    np.testing.assert_array_equal(named.sequences[0], [[1, 2], [3, 5]])


def test_control_characters_are_escaped(tmp_path):
    data = load(tmp_path, 'a\x1b[31m,"b\nc"\n1,2\n3,5\n')
    assert data.channel_names == (r"a\x1b[31m", r"b\nc")
    assert load(tmp_path, "t\x07,b\n1,2\n3,5\n", time="t\x07").channel_names == ("b",)
    with pytest.raises(DataError, match="no number") as caught:
        load(tmp_path, "a\x1b[31m\n1\n\x1b[31m\n")
    assert "\x1b" not in str(caught.value)


def test_many_columns_cost_no_more_than_their_cells(tmp_path):
    width = 20_000
    head = ",".join(f"c{i}" for i in range(width))
    text = (
        head + "\n" + "\n".join(",".join(str(i * k % 17) for i in range(width)) for k in (1, 2, 3))
    )
    started = perf_counter()
    assert load(tmp_path, text).n_channels == width
    # 1 s on one core; a search of the names for every column takes minutes
    assert perf_counter() - started < 20


def test_whole_numbers_are_tokens_only_when_named(tmp_path):
    assert load(tmp_path, "a\n3\n0\n1\n").kind == "real"
    data = load(tmp_path, "a\n3\n0\n1\n", kind="tokens")
    assert data.kind == "tokens"
    assert data.sequences[0].tolist() == [3, 0, 1]
