"""The page's Python runs, and its commands are accepted on the files that the Python writes."""

import json
import re
import shlex
from pathlib import Path

import numpy as np

from timegrain.cli.main import run

PAGE = (Path(__file__).parents[2] / "docs" / "long-windows.md").read_text("utf-8")


def test_the_python_runs_and_the_commands_are_accepted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    scope: dict = {}
    exec(compile(block, "long-windows.md", "exec"), scope)
    assert scope["score"].score == scope["run"].score
    assert scope["later"].ahead == 100
    commands = re.findall(r"^    timegrain (.*)$", PAGE, flags=re.MULTILINE)
    assert len(commands) == 2
    for words in commands:
        assert run([*shlex.split(words), "--dry-run"]) == 0
        assert "would train s4d" in capsys.readouterr().err


def test_a_long_array_is_trained_a_chunk_at_a_time(tmp_path, capsys):
    values = np.random.default_rng(0).normal(size=(3000, 3)).cumsum(axis=0)
    np.save(tmp_path / "long.npy", values)
    words = "--layout tc --window 100 --ahead 10 --target 0 --tbptt 40 --epochs 1 --strides 1"
    small = "--d-model 4 --layers 1 --json"
    assert run(["train", "s4d", str(tmp_path / "long.npy"), *f"{words} {small}".split()]) == 0
    (data,) = json.loads(capsys.readouterr().out)[:1]
    assert (data["metric"], data["provenance"]["parameters"]["tbptt"]) == ("r2", 40)
