"""`timegrain data` with dials and windows."""

import json

import numpy as np
import pytest

from timegrain.cli.main import run
from timegrain.core.output import read_output


@pytest.fixture
def series(tmp_path):
    path = tmp_path / "walk.npy"
    np.save(path, np.cumsum(np.random.default_rng(0).standard_normal(900)))
    return str(path)


def test_dials_and_windows_are_printed_stored_and_drawn(series, tmp_path, capsys):
    out = tmp_path / "out"
    dials = ["--dial", "window_shuffle=1,4;noise=inf,20", "--dial", "decimate=1,2"]
    assert run(["data", series, *dials, "--windows", "32,128", "--output", str(out)]) == 0
    text = capsys.readouterr().out
    assert max(map(len, text.splitlines())) <= 80
    for title in ("task continuity", "window profile", "dose response"):
        assert title in text
    stored = read_output(out)
    assert stored.result.kind == "task-continuity"
    assert {part.kind for part in stored.parts.values()} == {"window-profile", "dose-response"}
    assert 'id="dials"' in (out / "report.html").read_text()


def test_json_is_a_list_and_limits_judge_the_measurement_alone(series, capsys):
    words = ["data", series, "--dial", "noise=inf", "--windows", "auto", "--json"]
    assert run([*words, "--fail-under", "horizon=1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [r["schema"] for r in found] == ["task-continuity", "window-profile", "dose-response"]
    assert found[2]["doses"][0]["dose"] is None


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--dial", "nois=1"], "Try noise"),
        (["--dial", "noise=loud"], "takes numbers"),
        (["--retention", "4"], "without --dial"),
        (["--dial", "noise=1", "--retention", "1"], "--retention takes a stride"),
        (["--dial", "noise=1", "--retention", "4"], "no label"),
        (["--windows", "a"], "--windows is a number of samples, or a time"),
        (["--windows", "2000"], "no window fits"),
    ],
)
def test_wrong_words_are_errors(series, words, said, capsys):
    assert run(["data", series, *words]) == 2
    assert said in capsys.readouterr().err


def test_windows_may_be_times_of_each_set(series, capsys):
    assert run(["data", series, "--hz", "10", "--windows", "5s,1min", "--json"]) == 0
    profile = json.loads(capsys.readouterr().out)[1]
    assert [row["window"] for row in profile["windows"]] == [50, 600]
