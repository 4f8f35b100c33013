"""The page on a trained recogniser: its commands and its Python print what is shown."""

import contextlib
import io
import re
import runpy
from importlib.util import find_spec
from pathlib import Path

import pytest

from timegrain.cli.main import run

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "how-to" / "a-trained-recognizer.md").read_text("utf-8")
CODE = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, flags=re.DOTALL)
COMMANDS = re.findall(r"```console\n\$ (\w+) (.*?)\n(.*?)```", PAGE, flags=re.DOTALL)

pytestmark = pytest.mark.skipif(
    find_spec("silero_vad") is None, reason="silero-vad is not installed (the extra dev has it)"
)


@pytest.fixture(autouse=True)
def among_the_examples(monkeypatch):
    monkeypatch.chdir(ROOT / "examples")
    monkeypatch.syspath_prepend(str(ROOT / "examples"))


def test_commands_do_what_is_shown(capsys):
    assert len(COMMANDS) == PAGE.count("```console") == 2
    for program, words, shown in COMMANDS:
        if program == "python":
            runpy.run_path(words, run_name="__main__")
        else:
            assert run(words.split()) == 0
        lines = iter(capsys.readouterr().out.splitlines())
        for line in shown.splitlines():
            # all lines are there, in this order; "..." stands for lines that are left out
            assert line == "..." or line in lines, (words, line)


def test_code_prints_what_is_shown():
    ((code, shown),) = CODE
    assert PAGE.count("```python") == 1
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "a-trained-recognizer.md", "exec"), {})
    assert said.getvalue() == shown
