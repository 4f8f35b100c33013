"""Damaged and hostile EDF files end with their name and exit code 2, whatever they claim."""

import time
import tracemalloc

import edfio
import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.core.errors import DataError, TimegrainError
from timegrain.data import load_dataset, load_datasets

T = np.arange(1000) / 50


@pytest.fixture(scope="module")
def whole(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("edf") / "a.edf"
    signals = [
        edfio.EdfSignal(np.sin(T * i), 50, label=f"s{i}", physical_range=(-1, 1)) for i in (1, 2)
    ]
    edfio.Edf(
        signals, data_record_duration=1.0, annotations=[edfio.EdfAnnotation(3, 1, "n")]
    ).write(path)
    return path.read_bytes()


def put(content: bytes, at: int, text: str | bytes, width: int = 8) -> bytes:
    field = (text.encode("latin-1") if isinstance(text, str) else text).ljust(width)
    return content[:at] + field[:width] + content[at + width :]


# places of the fields of the first of three signals
LABEL, PHYSICAL_MIN, PHYSICAL_MAX = 256, 256 + 3 * 104, 256 + 3 * 112
DIGITAL_MIN, DIGITAL_MAX, SAMPLES = 256 + 3 * 120, 256 + 3 * 128, 256 + 3 * 216
RECORDS, DURATION, SIGNALS, HEADER = 236, 244, 252, 184


@pytest.mark.parametrize(
    ("damage", "said"),
    [
        (lambda b: b"RIFF" + b[4:], "is no EDF file"),
        (lambda b: b"\x1b[31mred" + b[8:], "is no EDF file"),
        (lambda b: b"\xffBIOSEMI"[:8] + b[8:], "is a BDF file"),
        (lambda b: b[:100], "is no EDF file, or a damaged one, got 100 bytes"),
        (lambda b: b[:300], "is truncated, got 300 bytes, expected 1,024"),
        (lambda b: b[:-1], "is truncated"),
        (lambda b: put(b, RECORDS, "99999999"), "is truncated"),
        (lambda b: put(b, RECORDS, "0"), "holds no data record"),
        (lambda b: put(b, RECORDS, "-7"), "number of data records is too small, got '-7'"),
        (lambda b: put(b, RECORDS, "1e3"), "number of data records is no whole number"),
        (lambda b: put(b, DURATION, "0"), "gives no rate, got 0 seconds"),
        (lambda b: put(b, DURATION, "-1"), "gives no rate"),
        (lambda b: put(b, DURATION, "1e999999"), "duration of a data record is no number"),
        (lambda b: put(b, DURATION, "1e-99999"), "gives no rate"),
        (lambda b: put(b, DURATION, "nan"), "duration of a data record is no number"),
        (lambda b: put(b, DURATION, "1,5"), "got '1,5', expected a number with a decimal point"),
        (lambda b: put(b, DURATION, "\x1b[31m1"), "duration of a data record is no number"),
        (lambda b: put(b, SIGNALS, "9999", 4), "the header contradicts itself"),
        (lambda b: put(b, SIGNALS, "0", 4), "number of signals is too small"),
        (lambda b: put(b, SIGNALS, "x", 4), "number of signals is no whole number, got 'x'"),
        (lambda b: put(put(b, SIGNALS, "9999", 4), HEADER, "2560000"), "is truncated"),
        (lambda b: put(b, HEADER, "256"), "the header contradicts itself, got 256 bytes"),
        (lambda b: put(b, SAMPLES, "99999999"), "is truncated"),
        (lambda b: put(b, SAMPLES, "0"), "signal 1 (s1): the number of samples is too small"),
        (lambda b: put(b, PHYSICAL_MIN, "1"), "channel 's1' has no scale, got 1 to 1"),
        (lambda b: put(b, PHYSICAL_MIN, "low"), "signal 1 (s1): the physical minimum is no number"),
        (lambda b: put(put(b, PHYSICAL_MAX, "1.7e308"), PHYSICAL_MIN, "-1.7e308"), "has no scale"),
        (lambda b: put(b, DIGITAL_MIN, "32767"), "channel 's1' has no scale"),
        (lambda b: put(b, DIGITAL_MAX, "9.5"), "the digital maximum is no whole number"),
        (
            lambda b: put(put(put(b, 256, "EDF Annotations", 16), 272, "EDF Annotations", 16),
                          288, "EDF Annotations", 16),
            "holds annotations only",
        ),
    ],
)  # fmt: skip
def test_broken_headers_are_explained_in_little_memory(tmp_path, whole, damage, said):
    path = tmp_path / "a.edf"
    path.write_bytes(damage(whole))
    tracemalloc.start()
    try:
        with pytest.raises(DataError) as error:
            load_datasets(path)
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()
    text = str(error.value)
    assert said in text and "a.edf" in text and "\x1b" not in text


def test_the_command_shows_the_error_and_ends_with_2(tmp_path, whole, capsys):
    path = tmp_path / "a.edf"
    path.write_bytes(put(whole, DURATION, "\x1b[31m1"))
    assert run(["data", str(path)]) == 2
    error = capsys.readouterr().err
    assert error.startswith("error: a.edf: the duration of a data record is no number")
    assert "\x1b" not in error


def test_an_empty_file_and_a_missing_one(tmp_path, capsys):
    (tmp_path / "e.edf").write_bytes(b"")
    assert run(["data", str(tmp_path / "e.edf")]) == 2
    assert "e.edf is empty" in capsys.readouterr().err
    assert run(["data", str(tmp_path / "none.edf")]) == 2
    assert "there is no file" in capsys.readouterr().err
    (tmp_path / "folder.edf").mkdir()
    assert run(["data", str(tmp_path / "folder.edf")]) == 2
    assert "is a directory" in capsys.readouterr().err


def test_a_broken_channel_does_not_lock_the_others(tmp_path, whole):
    (tmp_path / "a.edf").write_bytes(put(whole, PHYSICAL_MIN, "1"))
    with pytest.raises(DataError, match="channels="):
        load_dataset(tmp_path / "a.edf")
    assert load_dataset(tmp_path / "a.edf", channels="s2").channel_names == ("s2",)


def test_what_stands_behind_the_last_record_is_told(tmp_path, whole):
    (tmp_path / "a.edf").write_bytes(whole + b"12345")
    assert "a.edf has 5 bytes behind its last data record, not read" in " ".join(
        load_dataset(tmp_path / "a.edf").notes
    )


def test_names_with_escapes_and_markup_are_shown_harmlessly(tmp_path, whole, capsys):
    content = put(whole, LABEL, "\x1b[31m<b>[red]x", 16)
    content = put(content, 256 + 3 * 96, "\xb5V\x07")
    path = tmp_path / "a\x1b[2J<i>.edf"
    path.write_bytes(content)
    data = load_dataset(path)
    assert data.channel_names[0] == r"\x1b[31m<b>[red]x"
    assert any("µV\\x07 (" in note for note in data.notes)
    assert run(["data", str(path), "--output", str(tmp_path / "out")]) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\x07" not in out
    page = (tmp_path / "out" / "report.html").read_text()
    assert "<b>[red]" not in page and "&lt;b&gt;[red]" in page


def test_ten_thousand_signals_of_one_name_are_read_in_linear_time(tmp_path):
    count = 9999
    widths = (16, 80, 8, 8, 8, 8, 8, 80, 8, 32)
    texts = ("x", "", "mV", "-1", "1", "-32768", "32767", "", "1", "")
    fixed = b"0".ljust(184) + str(256 * (count + 1)).encode().ljust(8) + b" " * 44
    fixed += b"2".ljust(8) + b"1".ljust(8) + str(count).encode().ljust(4)
    fields = b"".join(t.encode().ljust(w) * count for t, w in zip(texts, widths, strict=True))
    (tmp_path / "a.edf").write_bytes(fixed + fields + bytes(2 * 2 * count))
    start = time.process_time()
    data = load_dataset(tmp_path / "a.edf")
    assert data.n_channels == count and len(set(data.channel_names)) == count
    # .4 s measured; a loop of signals over signals takes a minute
    assert time.process_time() - start < 10


@pytest.mark.parametrize("plus", ["EDF+C", "EDF+D"])
def test_random_damage_is_read_or_refused(tmp_path, whole, plus):
    path = tmp_path / "a.edf"
    whole = put(whole, 192, plus, 5)
    rng = np.random.default_rng(0)
    refused = 0
    for _ in range(300):
        content = bytearray(whole[: rng.integers(1, len(whole))] if rng.random() < 0.2 else whole)
        reach = min(len(content), 1100)  # the header is where damage matters most
        for at in rng.integers(0, reach, rng.integers(1, 6)):
            content[at] = rng.choice([rng.integers(256), *b"0123456789+-. e\x14\x00"])
        path.write_bytes(content)
        try:
            load_datasets(path)
        except TimegrainError as error:
            refused += 1
            assert "a.edf" in str(error)
    assert 30 < refused < 300
