from datetime import date

import numpy as np
import pytest

from timegrain.core.errors import ConfigError, DataError
from timegrain.data import load_dataset
from timegrain.data.sources.package import locate

NAN = float("nan")


def load(path, text):
    path.write_text(text)
    return load_dataset(path)


def test_signs_exponents_missing_values_and_unequal_lengths(fixtures):
    data = load_dataset(fixtures / "every_value.ts")
    first, second, third = data.sequences
    np.testing.assert_array_equal(first[:, 0], [1, -2.5, 3, 400, -0.0055, 0.5])
    np.testing.assert_array_equal(first[:, 1], [6, 7, NAN, NAN, 10, 11])
    np.testing.assert_array_equal(second, [[-10, 0], [0, 1e-300]])
    assert np.signbit(second[0, 1])
    np.testing.assert_array_equal(third, [[NAN, 4], [2, 5], [3, 6]])


def test_classes_are_numbered_in_the_order_of_the_header(fixtures):
    data = load_dataset(fixtures / "every_value.ts")
    assert data.class_names == ("rest", "walk")
    assert data.labels.tolist() == [1, 0, 1]
    assert data.labels.dtype == np.int64
    assert (data.unit, data.dt, data.times) == ("sample", 1.0, None)


def test_uniform_numbers_as_timestamps_are_the_step(fixtures):
    data = load_dataset(fixtures / "numeric_times.ts")
    np.testing.assert_array_equal(data.sequences[0][:, 0], [1, -20, NAN])
    np.testing.assert_array_equal(data.sequences[1][:, 0], [3, 4, 5, 6])
    assert (data.dt, data.times, data.labels) == (0.5, None, None)


def test_dates_hold_colons_and_count_in_seconds(fixtures):
    data = load_dataset(fixtures / "dates.ts")
    np.testing.assert_array_equal(data.sequences[0], [[241.97, 1], [-241.75, NAN], [10, 3]])
    np.testing.assert_array_equal(data.sequences[1], [[1, 3], [2, 4]])
    assert data.labels.tolist() == [1, 0]
    assert (data.dt, data.unit, data.times) == (60.0, "s", None)


def test_irregular_dates_are_kept_as_times(fixtures):
    data = load_dataset(fixtures / "irregular.ts")
    day = 86400.0
    assert data.times[0].tolist() == [0.0, day, 3 * day]
    assert data.unit == "s"


def test_dates_keep_their_microseconds(tmp_path):
    data = load(
        tmp_path / "fast.ts",
        "@timestamps true\n@data\n"
        "(2024-05-05 00:00:00.000001,1),(2024-05-05 00:00:00.000002,2),"
        "(2024-05-05 00:00:00.000004,2)\n",
    )
    assert data.times[0].tolist() == [0.0, 1e-6, 3e-6]


def test_a_target_label_is_a_value(fixtures):
    data = load_dataset(fixtures / "target.ts")
    assert data.labels.tolist() == [-18279.70376, 0.015]
    assert data.class_names == ()


def test_aeon_own_file_with_dates():
    data = load_dataset(locate("aeon", "aeon/datasets/data/UnitTest/UnitTestTimeStamps_TRAIN.ts"))
    assert (len(data), data.dt, data.unit) == (4, 60.0, "s")
    assert data.sequences[2][:, 0].tolist() == [4.0, 0.0, 1.0, 11.0]


def test_values_agree_with_an_independent_parse():
    path = locate("aeon", "aeon/datasets/data/OSULeaf/OSULeaf_TRAIN.ts")
    body = path.read_text().split("@data\n")[1].replace(":", ",")
    independent = np.loadtxt(body.splitlines(), delimiter=",")
    data = load_dataset(path)
    np.testing.assert_array_equal(data.stacked()[0][:, :, 0], independent[:, :-1])
    np.testing.assert_array_equal(data.labels + 1, independent[:, -1])


HEAD = "@problemName p\n@timestamps false\n@univariate true\n@classLabel true a b\n@data\n"
MALFORMED = {
    "no @data": ("@problemName p\n", r"bad.ts has no @data line"),
    "no case": (HEAD, r"bad.ts has no case after @data"),
    "case in the header": ("1,2:a\n", r"line 1: a case before @data"),
    "no label": (HEAD + "1,2:a\n1,2,3\n", r"line 7: no label after a last colon"),
    "unknown class": (HEAD + "1,2:c\n", r"line 6: unknown class, got 'c', expected one of a, b"),
    "empty class": (HEAD + "1,2:\n", r"line 6: unknown class, got ''"),
    "text": (HEAD + "1,x,3:a\n", r"line 6: dimension 0, sample 1: not a number, got 'x'"),
    "empty cell": (HEAD + "1,,3:a\n", r"line 6: dimension 0, sample 1: not a number, got ''"),
    "infinite": (HEAD + "1,inf:a\n", r"line 6: dimension 0, sample 1: not a number, got 'inf'"),
    "underscore": (HEAD + "1_0,2:a\n", r"line 6: dimension 0, sample 0: not a number"),
    "two dimensions": (HEAD + "1,2:3,4:a\n", r"line 6: wrong number of dimensions, got 2"),
    "flag": ("@timestamps maybe\n@data\n1,2\n", r"line 1: @timestamps needs true or false"),
    "count": ("@dimensions two\n@data\n1,2\n", r"line 1: @dimensions needs one whole number"),
    "digit": ("@dimensions ²\n@data\n1,2\n", r"line 1: @dimensions needs one whole number"),
    "digits": (f"@seriesLength {'9' * 5000}\n@data\n1,2\n", r"line 1: @serieslength needs one"),
    "zero": ("@dimensions 0\n@data\n1,2\n", r"line 1: @dimensions needs one whole number"),
    "lone": ("@\n@data\n1,2,3\n", r"line 1: a lone @"),
    "lone blank": ("@ \n@data\n1,2,3\n", r"line 1: a lone @"),
    "other digits": ("@data\n\uff11,2\n", r"line 2: dimension 0, sample 0: not a number"),
    "infinite time": ("@timestamps true\n@data\n(0,1),(inf,2)\n", r"line 3: not a time, got 'inf'"),
    "underscored time": ("@timestamps true\n@data\n(0,1),(1_0,2)\n", r"line 3: not a time"),
    "endless": (
        "@timestamps true\n@data\n(-1.7e308,2),(0,1),(1.7e308,3)\n",
        r"line 3: the times span",
    ),
    "endless digits": (
        f"@timestamps true\n@data\n(1{'0' * 400},2),(2{'0' * 400},3)\n",
        r"line 3: not a time",
    ),
    "large": (f"@data\n1,{2**60}\n", r"line 2: dimension 0, sample 1: a whole number beyond 2\^53"),
    "mixed in a line": (
        "@timestamps true\n@data\n(2007-01-01,1),(5,2)\n",
        r"line 3: not a date, got '5'",
    ),
    "twice": ("@classLabel true a a\n@data\n1,2:a\n", r"line 1: a class is listed twice"),
    "both labels": (
        "@classLabel true a\n@targetLabel true\n@data\n1,2:a\n",
        r"line 2: @classLabel and @targetLabel are both true",
    ),
    "contradiction": (
        "@univariate true\n@dimensions 3\n@data\n1,2\n",
        r"line 3: the header contra",
    ),
    "truncated case": (
        "@equalLength true\n@seriesLength 3\n@data\n1,2,3\n1,2\n",
        r"line 5: wrong length, got 2, expected 3",
    ),
    "unequal": ("@equalLength true\n@data\n1,2,3\n1,2\n", r"line 4: wrong length, got 2"),
    "ragged dimensions": ("@data\n1,2,3:1,2\n", r"line 2: dimensions of different lengths"),
    "other dimensions": ("@data\n1,2:3,4\n1,2\n", r"line 3: another number of dimensions"),
    "target": ("@targetlabel true\n@data\n1,2:three\n", r"line 3: the target is no number"),
    "pair": ("@timestamps true\n@data\n(0,1),(1\n", r"line 3: dimension 0, sample 1: malformed"),
    "no comma": ("@timestamps true\n@data\n(0,1)(1,2)\n", r"line 3: dimension 0: no comma"),
    "three in a pair": ("@timestamps true\n@data\n(0,1,2),(1,2,3)\n", r"sample 0: malformed"),
    "time": ("@timestamps true\n@data\n(0,1),(soon,2)\n", r"line 3: not a time"),
    "date": ("@timestamps true\n@data\n(2007-02-30,1),(2007-03-01,2)\n", r"line 3: not a date"),
    "equal times": ("@timestamps true\n@data\n(0,1),(0,2)\n", r"line 3: equal timestamps"),
    "back in time": ("@timestamps true\n@data\n(1,1),(0,2)\n", r"line 3: decreasing timestamps"),
    "other times": (
        "@timestamps true\n@data\n(0,1),(1,2):(0,1),(2,2)\n",
        r"line 3: dimension 1 has other timestamps",
    ),
    "mixed clocks": (
        "@timestamps true\n@data\n(0,1),(1,2)\n(2007-01-01,1),(2007-01-02,2)\n",
        r"line 4: dates and numbers are mixed",
    ),
    "one sample": ("@data\n1\n2\n", r"sequence 0 of 'bad' has too few samples"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_malformed_files_are_named_with_their_line(case, tmp_path):
    text, message = MALFORMED[case]
    with pytest.raises(DataError, match=message):
        load(tmp_path / "bad.ts", text)


def test_a_file_cut_anywhere_in_its_last_case_is_an_error(tmp_path):
    text = "@univariate false\n@dimensions 2\n@classLabel true 1 2\n@data\n1,2:3,4:2\n5,6:7,8:1"
    start = text.rindex("\n") + 2
    for end in range(start, len(text)):
        with pytest.raises(DataError, match=r"cut.ts, line 6"):
            load(tmp_path / "cut.ts", text[:end])


def test_what_the_header_gets_wrong_is_noted(tmp_path):
    data = load(tmp_path / "odd.ts", "@missing false\n@colour red\n@data\n1,?\n")
    assert "@colour" in data.notes[0]
    assert "no sample is missing, but 1" in data.notes[1]


def test_options_of_other_formats_are_refused(fixtures):
    with pytest.raises(ConfigError, match=r"layout= has no use for target.ts"):
        load_dataset(fixtures / "target.ts", layout="bt")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"\xff\xfe\x00", "line 1: not text in UTF-16-LE"),
        (b"@data\n1,2,\xff3,4\n", "line 2: not text in UTF-8, got byte 0xff at position 10"),
        (b"@data\r\n1,2,\0,4\r\n", "line 2: not text, got a zero byte"),
    ],
)
def test_bytes_that_are_no_text(text, message, tmp_path):
    (tmp_path / "b.ts").write_bytes(text)
    with pytest.raises(DataError, match=message):
        load_dataset(tmp_path / "b.ts")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_byte_order_mark_and_carriage_returns(encoding, tmp_path):
    text = "@classLabel true größe b\r@data\r1,2:größe\r2,3:b\r"
    (tmp_path / "mac.ts").write_bytes(text.encode(encoding))
    data = load_dataset(tmp_path / "mac.ts")
    assert (len(data), data.class_names) == (2, ("größe", "b"))


def test_dates_of_any_century_are_right(tmp_path):
    days = ("0001-01-01", "1600-01-01", "1677-01-01", "2262-12-31", "2300-01-01", "9999-12-31")
    pairs = ",".join(f"({day},{k})" for k, day in enumerate(days))
    data = load(tmp_path / "old.ts", f"@timestamps true\n@data\n{pairs}\n")
    wanted = [86400.0 * (date.fromisoformat(d) - date(1, 1, 1)).days for d in days]
    assert data.times[0].tolist() == wanted


def test_fractions_of_a_second_far_from_1970(tmp_path):
    data = load(
        tmp_path / "fine.ts",
        "@timestamps true\n@data\n"
        "(2500-05-05 00:00:00.000000001,1),(2500-05-05 00:00:00.000000003,2),"
        "(2500-05-05 00:00:01,2)\n",
    )
    assert data.times[0].tolist() == [0.0, 2e-9, 0.999999999]


def test_nanoseconds_since_1970_are_not_rounded(tmp_path):
    start = 1_700_000_000_000_000_000
    pairs = ",".join(f"({start + k},{k})" for k in (0, 1, 4))
    data = load(tmp_path / "ns.ts", f"@timestamps true\n@data\n{pairs}\n")
    assert data.times[0].tolist() == [0.0, 1.0, 4.0]
    assert load(tmp_path / "s.ts", "@timestamps true\n@data\n(5,1),(6,2),(8,1)\n").times[
        0
    ].tolist() == [5.0, 6.0, 8.0]


@pytest.mark.filterwarnings("error")
def test_steps_near_the_end_of_float64(tmp_path):
    text = "@timestamps true\n@data\n(-8e307,2),(0,1),(8e307,3)\n(0,1),(8e307,3)\n"
    assert load(tmp_path / "far.ts", text).dt == 8e307


def test_control_characters_are_escaped(tmp_path):
    data = load(
        tmp_path / "c.ts",
        "@problemName \x1b[31m\n@c\x1b[31m x\n@classLabel true a\x1b b\n@data\n1,2:a\x1b\n1,3:b\n",
    )
    said = [data.source, *data.notes, *data.class_names]
    assert all(text.isprintable() for text in said)
    assert data.labels.tolist() == [0, 1]
