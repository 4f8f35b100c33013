"""Bad input: one clear error on stderr, status 2, nothing on stdout, nothing written."""

import numpy as np
import pytest

from timegrain.cli.main import run


class Payload:
    def __reduce__(self):
        return (print, ("unpickled",))


def _pickled_npz(path):
    np.savez(path, x=np.array([Payload()], dtype=object), allow_pickle=True)


def _object_array(path):
    np.save(path, np.array([[1.0], "two"], dtype=object), allow_pickle=True)


def _truncated_npy(path):
    np.save(path, np.arange(1000.0))
    path.write_bytes(path.read_bytes()[:300])


FILES = {
    "empty.csv": lambda p: p.write_text(""),
    "empty.npy": lambda p: p.write_bytes(b""),
    "empty.ts": lambda p: p.write_text(""),
    "truncated.npy": _truncated_npy,
    "truncated.npz": lambda p: p.write_bytes(b"PK\x03\x04 cut"),
    "truncated.ts": lambda p: p.write_text("@problemName x\n@classLabel true a b\n"),
    "ragged.csv": lambda p: p.write_text("a,b\n1,2\n3\n4,5\n"),
    "words.csv": lambda p: p.write_text("a,b\n1,two\n3,four\n"),
    "object.npy": _object_array,
    "pickled.npz": _pickled_npz,
    "one_sample.npy": lambda p: np.save(p, np.ones((5, 1, 2))),
    "one_row.csv": lambda p: p.write_text("a,b\n1,2\n"),
    "infinite.npy": lambda p: np.save(p, np.array([1.0, np.inf, 2.0, 3.0])),
    "equal_times.csv": lambda p: p.write_text("t,x\n0,1\n0,2\n1,3\n1,4\n3,5\n3,6\n"),
    "complex.npy": lambda p: np.save(p, np.ones(64, dtype=complex)),
    "notes.txt": lambda p: p.write_text("hello"),
}
OPTIONS = {"equal_times.csv": ["--time", "t"]}


@pytest.mark.parametrize("name", FILES)
def test_files_that_cannot_be_measured(name, tmp_path, capsys):
    path = tmp_path / name
    FILES[name](path)
    _refused(["data", str(path), *OPTIONS.get(name, [])], tmp_path, capsys, mention=path.stem)


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["data", "{tmp}/missing.csv"], "missing.csv"),
        (["data", "{tmp}"], "directory"),
        (["data", "OSULaef"], "OSULeaf"),
        (["data", "OSULeaf", "--window", "5000"], "window"),
        (["data", "OSULeaf", "--strides", "0,1"], "strides"),
        (["data", "OSULeaf", "--hz", "100", "--dt", "2ms"], "--hz"),
        (["data", "OSULeaf", "--kind", "words"], "kind"),
        (["data", "OSULeaf", "--fail-under", "speed=3"], "speed"),
        (["data", "{tmp}/flat.npy", "--layout", "btc"], "layout"),
        (["data", "{tmp}/flat.npy", "--layout", "xyz"], "layout"),
        (["model", "s4dd"], "s4d"),
        (["model", "no_such_module:net"], "no_such_module"),
        (["model", "math:pi"], "math:pi"),
        (["model", "my.py"], "my:attribute"),
        (["model", "s4d", "--fail-under", "horizon=4"], "order"),
        (["model", "s4d", "--levels", "0"], "levels"),
        (["model", "s4d", "--amplitudes", "0"], "amplitude"),
        (["model", "s4d", "--discretization", "magic"], "discretization"),
        (["model", "gru", "--options", "wings=2"], "wings"),
        (["model", "s6", "--d-model", "0"], "d_model"),
        (["train", "s4dd", "GunPoint"], "s4d"),
        (["train", "s4d", "GunPiont"], "GunPoint"),
        (["train", "s4d", "ecg"], "label"),
        (["train", "s4d", "GunPoint", "--stages", "8:x"], "stage"),
        (["train", "s4d", "GunPoint", "--stages", "0:3"], "stride"),
        (["train", "s4d", "GunPoint", "--seeds", "0"], "--seeds"),
        (["train", "s4d", "{tmp}/missing.csv", "--ahead", "90m"], "--ahead 90min"),
        (["advise", "{tmp}/missing.csv", "--ahead", "90m"], "--ahead 90min"),
        (["advise", "{tmp}/missing.csv", "--window", "1s,2 hours"], "--window 2h"),
        (["advise", "{tmp}/missing.csv", "--fail-under", "order=1"], "expected stride (the"),
        (["merge", "{tmp}/missing", "--fail-under", "order=1"], "horizon (samples)"),
        (["data", "{tmp}/missing.csv", "--fail-under", "order=1"], "horizon (samples)"),
        (["data", "{tmp}/missing.csv", "--windows", "90m"], "--windows 90min"),
        (["data", "{tmp}/missing.csv", "--hop", "1 second"], "--hop 1s"),
        (["data", "{tmp}/flat.npy", "--windows", "2s"], "cannot be a time"),
        (["data", "{tmp}/flat.npy", "--dates", "day-first"], "dates"),
        (["report", "{tmp}"], "result.json"),
        (["daat", "OSULeaf"], "daat"),
        (["data"], "DATASETS"),
        (["data", "OSULeaf", "--wndow", "3"], "--wndow"),
    ],
)
def test_words_that_make_no_sense(words, mention, tmp_path, capsys):
    np.save(tmp_path / "flat.npy", np.arange(64.0))
    _refused([w.format(tmp=tmp_path) for w in words], tmp_path, capsys, mention=mention)


def _refused(words, tmp_path, capsys, *, mention):
    before = {p.name for p in tmp_path.iterdir()}
    output = [] if words[0] == "report" else ["--output", str(tmp_path / "out")]
    assert run([*words, *output]) == 2
    stdout, stderr = capsys.readouterr()
    assert stdout == ""
    assert stderr.startswith("error: ")
    assert "Traceback" not in stderr
    assert mention.lower() in stderr.lower()
    assert {p.name for p in tmp_path.iterdir()} == before
