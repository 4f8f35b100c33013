"""The README's Python runs, its commands parse, and its example output is what is printed."""

import re
import shlex
from pathlib import Path

import pytest

from timegrain.cli.main import run

TEXT = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def test_python_blocks_run(capsys):
    blocks = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})
    assert "task continuity" in capsys.readouterr().out


def test_the_example_output_is_what_is_printed(capsys):
    assert run(["data", "ecg"]) == 0
    printed = capsys.readouterr().out.strip()
    assert printed in TEXT


def test_the_first_lines_are_the_two_commands():
    commands = [line.split("#")[0].strip() for line in TEXT.splitlines() if "make " in line]
    assert commands[:2] == ["make demo", "make test"]


COMMANDS = re.findall(r"^    timegrain (.*?)(?:\s+#.*)?$", TEXT, flags=re.MULTILINE)


@pytest.mark.parametrize("words", [shlex.split(c) for c in COMMANDS], ids=lambda w: w[0])
def test_commands_are_accepted(words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_code.py").write_text("def net(x):\n    return x\n")
    if words[0] == "report":
        assert run(words) == 2
        assert "no result in the directory" in capsys.readouterr().err
        return
    if any("/NAME" in word for word in words):
        assert run(words) == 2
        assert "there is no checkpoint here" in " ".join(capsys.readouterr().err.split())
        return
    if words[0] == "doctor":  # it has a test of its own
        return
    dry = [] if words[0] in ("check", "check-source", "ls") else ["--dry-run"]
    assert run([*words, *dry]) == 0
