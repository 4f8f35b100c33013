"""The benchmark of speed: it runs, refuses unlike contenders, and its page says what was missed."""

import json

import pytest
import torch

import run
from performance import rounds
from performance.page import render

pytest.importorskip("mambapy", reason="mambapy is a benchmark dependency")
pytest.importorskip("s5", reason="s5-pytorch is a benchmark dependency")
QUICK = rounds.Settings(rounds=2, quick=True)


@pytest.fixture(scope="module")
def result():
    threads = torch.get_num_threads()
    found = run.run(["selective", "reach", "s5", "s4d", "step"], QUICK)
    assert torch.get_num_threads() == threads
    return found


def test_every_figure_is_written(result, tmp_path):
    page = run.write(result, tmp_path).read_text()
    assert json.loads((tmp_path / "performance.json").read_text()) == result
    assert "smoke test" in page
    for section in result["sections"]:
        assert f"## {section['title']}" in page
        for row in section["rows"]:
            assert f"| {row['what']} |" in page
            assert row["low"] <= row["value"] <= row["high"]
            # one time less another: of two rounds on a busy machine it may be below zero
            assert row["low"] > 0 or any(word in row["what"] for word in ("backward:", ": outside"))


def test_what_was_missed_is_said_first(result):
    row = result["sections"][0]["rows"][0]
    assert "Targets missed" in render(_with(result, {**row, "met": False, "target": ">= 9x"}))
    assert "Every target is met" in render(_with(result, {**row, "met": True, "target": ">= 9x"}))


def _with(result, row):
    return {**result, "sections": [{**result["sections"][0], "rows": [row]}]}


def test_a_ratio_is_formed_within_rounds_and_misses_are_counted():
    row = rounds.beside("a", "b", [1.0, 2.0, None, 4.0], [3.0, 8.0, 5.0, 4.0], at_least=4)
    assert (row.ratio, row.ratio_low, row.ratio_high, row.rounds) == (3.0, 1.0, 4.0, 3)
    assert row.met is False and row.value == 2000
    assert rounds.within("a", [1.0, 9.0, 9.5], "x", low=8, high=12).met
    assert not rounds.within("a", [7.0], "x", low=8).met


def test_contenders_take_turns():
    order = []
    contenders = {name: lambda name=name: order.append(name) for name in "ab"}
    seconds = rounds.time_rounds(contenders, 3, every={"b": 2}, warm=("b",))
    assert order == ["a", "a", "b", "a", "a", "b"]
    assert seconds["b"][1] is None and None not in seconds["a"]


def test_contenders_that_differ_are_not_timed():
    one = torch.ones(3)
    assert rounds.compare([one], [one + 1e-7], 1e-6, ["y"]) < 1e-6
    with pytest.raises(SystemExit, match="y differs"):
        rounds.compare([one], [one * 1.1], 1e-6, ["y"])


def test_the_page_is_of_a_whole_run(capsys):
    for words in (["--quick"], ["--only", "s5"], ["--rounds", "3"]):
        with pytest.raises(SystemExit):
            run.parse(words)
    assert "--output" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        run.parse(["--only", "s6", "--output", "x"])
    assert "s6" in capsys.readouterr().err
