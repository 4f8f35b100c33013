"""The page's Python runs, and its command is accepted on the file that the Python writes."""

import re
import shlex
from pathlib import Path

from timegrain.cli.main import run

PAGE = (Path(__file__).parents[2] / "docs" / "long-windows.md").read_text("utf-8")


def test_the_python_runs_and_the_command_is_accepted(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    scope: dict = {}
    exec(compile(block, "long-windows.md", "exec"), scope)
    assert scope["score"].score == scope["run"].score
    (words,) = re.findall(r"^    timegrain (.*)$", PAGE, flags=re.MULTILINE)
    assert run([*shlex.split(words), "--dry-run"]) == 0
    assert "would train s4d" in capsys.readouterr().err
