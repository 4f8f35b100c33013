"""What breaks in practice: errors name the file, the row where there is one, and a cure."""

import shutil

import pytest

from timegrain.core.errors import DataError
from timegrain.data import load_dataset


def _lost(name):
    return lambda folder, wav: (folder / name).unlink()


def _text(name, text):
    return lambda folder, wav: (folder / name).write_text(text)


def _more(name, text):
    return lambda folder, wav: (folder / name).write_text((folder / name).read_text() + text)


def _cut(name, size):
    return lambda folder, wav: (folder / name).write_bytes((folder / name).read_bytes()[:size])


def _copied(name, other):
    return lambda folder, wav: shutil.copy(folder / name, folder / other)


def _sound(name, **form):
    return lambda folder, wav: (folder / name).write_bytes(wav([1, 2, 3, 4], **form))


def _no_folder(name):
    return lambda folder, wav: shutil.rmtree(folder / name)


HEAD = "@problemName Tiny\n@timestamps false\n@univariate true\n@classLabel true a b\n@data\n"
ROW = "1.0\tP1\tP2\tb'ab'\tb'c'"

BROKEN = {
    "ucr, no test part": ("ucr_ts", _lost("Tiny_TEST.ts"), "Tiny_TEST.ts", None),
    "ucr, no label": ("ucr_ts", _text("Tiny_TRAIN.ts", HEAD + "1,2:a\n1,2\n"), "Tiny_TRAIN.ts", 7),
    "ucr, a word": ("ucr_ts", _text("Tiny_TRAIN.ts", HEAD + "1,x:a\n1,2:b\n"), "Tiny_TRAIN.ts", 6),
    "ucr, other class": ("ucr_ts", _text("Tiny_TRAIN.ts", HEAD + "1,2:c\n"), "Tiny_TRAIN.ts", 6),
    "ucr, empty": ("ucr_ts", _text("Tiny_TEST.ts", ""), "Tiny_TEST.ts", None),
    "tsv, a cell less": ("ucr_tsv", _text("Tsv_TEST.tsv", "1\t2\t3\n2\t4\n"), "Tsv_TEST.tsv", 2),
    "tsv, no class": ("ucr_tsv", _text("Tsv_TEST.tsv", "0.5\t2\t3\n"), "Tsv_TEST.tsv", 1),
    "tsv, nothing there": ("ucr_tsv", _text("Tsv_TEST.tsv", "1\tNaN\tNaN\n"), "Tsv_TEST.tsv", 1),
    "tsv, one sample": ("ucr_tsv", _text("Tsv_TEST.tsv", "1\t2\tNaN\n"), "Tsv_TEST.tsv", 1),
    "cifar, no batch": ("cifar", _lost("data_batch_4.bin"), "data_batch_4.bin", None),
    "cifar, cut": ("cifar", _cut("test_batch.bin", 3080), "test_batch.bin", None),
    "imdb, no class": ("imdb", _no_folder("test/pos"), "test/pos", None),
    "imdb, ID twice": ("imdb", _copied("train/neg/0_3.txt", "train/neg/0_4.txt"), "0_4.txt", None),
    "imdb, stars": ("imdb", _text("train/pos/9_2.txt", "bad"), "9_2.txt", None),
    "imdb, empty": ("imdb", _text("train/pos/0_9.txt", ""), "0_9.txt", None),
    "imdb, a stranger": ("imdb", _text("train/pos/all.txt", "good"), "all.txt", None),
    "aan, no part": ("aan", _lost("new_aan_pairs.eval.tsv"), "new_aan_pairs.eval.tsv", None),
    "aan, a cell less": ("aan", _more("new_aan_pairs.train.tsv", "1.0\tP1\tP2\n"), "train.tsv", 3),
    "aan, no label": ("aan", _more("new_aan_pairs.train.tsv", "x" + ROW + "\n"), "train.tsv", 3),
    "aan, empty": ("aan", _more("new_aan_pairs.train.tsv", "0.0\tA\tB\t\t\n"), "train.tsv", 3),
    "commands, no list": ("commands", _lost("testing_list.txt"), "testing_list.txt", None),
    "commands, twice": (
        "commands",
        _more("testing_list.txt", "bed/0c_nohash_0.wav\n"),
        "testing_list.txt",
        3,
    ),
    "commands, in both": (
        "commands",
        _more("testing_list.txt", "yes/0b_nohash_0.wav\n"),
        "testing_list.txt",
        3,
    ),
    "commands, not there": (
        "commands",
        _more("testing_list.txt", "bed/ff_nohash_0.wav\n"),
        "testing_list.txt",
        3,
    ),
    "commands, cut": ("commands", _cut("no/0a_nohash_0.wav", 49), "0a_nohash_0.wav", None),
    "commands, no header": ("commands", _cut("no/0a_nohash_0.wav", 20), "0a_nohash_0.wav", None),
    "commands, rate": ("commands", _sound("yes/0a_nohash_0.wav", hz=8000), "0a_nohash_0", None),
    "commands, stereo": ("commands", _sound("yes/0a_nohash_0.wav", channels=2), "0a_noh", None),
    "commands, a stranger": ("commands", _text("yes/notes.txt", "x"), "notes.txt", None),
}


@pytest.fixture
def ucr_tsv(tmp_path):
    folder = tmp_path / "Tsv"
    folder.mkdir()
    for part in ("TRAIN", "TEST"):
        (folder / f"Tsv_{part}.tsv").write_text("1\t2.5\t3\n2\t4\t5\n")
    return folder


@pytest.mark.parametrize("case", BROKEN)
def test_the_error_says_where_what_and_the_cure(case, request, wav):
    fixture, breaks, file, line = BROKEN[case]
    folder = request.getfixturevalue(fixture)
    assert len(load_dataset(folder)) > 0
    breaks(folder, wav)
    layout = {"ucr_ts": "ucr", "ucr_tsv": "ucr", "commands": "speech-commands"}.get(fixture)
    with pytest.raises(DataError) as raised:
        load_dataset(f"{layout or fixture.replace('cifar', 'cifar10')}:{folder}")
    error = raised.value
    assert file in str(error), error
    assert line is None or f"line {line}" in error.what, error
    assert error.got or error.expected, error
    assert error.hint, error
