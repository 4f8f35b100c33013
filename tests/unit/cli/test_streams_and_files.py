"""Nothing of anybody else's is touched, and stdout belongs to the result."""

import json
import os

import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.core.output import read_output


@pytest.fixture
def sine(tmp_path):
    path = tmp_path / "sine.npy"
    np.save(path, np.sin(np.arange(300) / 9))
    return str(path)


def test_a_directory_with_other_things_is_refused(sine, tmp_path, capsys):
    mine = tmp_path / "mine" / "parts"
    mine.mkdir(parents=True)
    (mine / "precious.json").write_text("{}")
    (mine.parent / "thesis.tex").write_text("x")
    assert run(["data", sine, "--output", str(mine.parent)]) == 2
    assert "thesis.tex" in capsys.readouterr().err
    assert (mine / "precious.json").read_text() == "{}"
    assert not (mine.parent / "result.json").exists()


def test_writing_again_replaces_only_what_timegrain_wrote(sine, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["data", f"{sine},GunPoint", "--output", str(out)]) == 0
    (out / "parts" / "precious.json").write_text("{}")
    (out / "notes.txt").write_text("keep")
    assert run(["data", sine, "--output", str(out)]) == 0
    assert (out / "notes.txt").read_text() == "keep"
    assert [p.name for p in (out / "parts").iterdir()] == ["precious.json"]


def test_a_directory_in_the_place_of_a_file_is_refused_before_writing(sine, tmp_path, capsys):
    out = tmp_path / "out"
    (out / "report.html").mkdir(parents=True)
    assert run(["data", sine, "--output", str(out)]) == 2
    assert {p.name for p in out.iterdir()} == {"report.html"}


def test_a_pipe_among_the_parts_is_passed_over(sine, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["data", sine, "--output", str(out)]) == 0
    os.mkfifo(out / "parts" / "00-pipe.json")
    assert run(["report", str(out)]) == 0
    assert len(read_output(out).results) == 1


def test_what_a_users_model_prints_goes_to_stderr(tmp_path, monkeypatch, capsys):
    (tmp_path / "loud_model.py").write_text(
        "print('importing')\ndef half(x):\n    print('called')\n    return x / 2\n"
    )
    monkeypatch.chdir(tmp_path)
    words = ["model", "loud_model:half", "--levels", "3", "--seeds", "2", "--json"]
    assert run(words) == 0
    stdout, stderr = capsys.readouterr()
    assert json.loads(stdout)["schema"] == "model-continuity"
    assert "importing" in stderr
    assert "called" in stderr


@pytest.mark.parametrize(
    ("words", "mention"),
    [
        (["--window", "3.7"], "whole number"),
        (["--seed", "1.5"], "whole number"),
        (["--seed", "-1"], "--seed"),
        (["--fail-under", "horizon=NaN"], "horizon"),
        (["--fail-under", "horizon=" + "9" * 400], "horizon"),
        (["--fail-under", ""], "--fail-under"),
        (["--strides", "2,x"], "2,4,8"),
        (["--tol", "nan"], "tol"),
    ],
)
def test_numbers_are_what_was_written(sine, words, mention, capsys):
    assert run(["data", sine, *words]) == 2
    stdout, stderr = capsys.readouterr()
    assert stdout == ""
    assert mention in stderr


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"MEASURED"', '["MEASURED"]'),
        lambda text: text.replace('"dt": 1.0', '"dt": 1' + "0" * 400),
        lambda text: text.replace('"dt": 1.0', '"dt": 1' + "0" * 6000),
        lambda text: text.replace('"dt": 1.0', '"dt": null'),
        lambda text: text.replace('"sine"', '"\\ud800"'),
        lambda text: "[" * 100_000,
        lambda text: text[: len(text) // 2],
    ],
)
def test_damaged_results_are_refused(sine, change, tmp_path, capsys):
    out = tmp_path / "out"
    assert run(["data", sine, "--output", str(out)]) == 0
    file = out / "result.json"
    changed = change(file.read_text())
    assert changed != file.read_text()
    file.write_text(changed)
    capsys.readouterr()
    assert run(["report", str(out)]) == 2
    stderr = capsys.readouterr().err
    assert stderr.startswith("error: ")
    assert "Traceback" not in stderr
