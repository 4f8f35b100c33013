"""The page's Python runs, its links lead somewhere, and its command is accepted."""

import re
import shlex
from pathlib import Path

import pytest

from timegrain.cli.main import run

FOLDER = Path(__file__).parents[2]
PAGE = (FOLDER / "docs" / "your-own-loop.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)


def test_python_blocks_run_one_after_the_other():
    assert len(BLOCKS) == 3
    scope: dict = {}
    exec(compile(BLOCKS[0], "your-own-loop.md", "exec"), scope)
    assert scope["loss"].item() > 0
    assert scope["step"].number == len(scope["walk"]) - 1
    for package, block in zip(("transformers", "pytorch_lightning"), BLOCKS[1:], strict=True):
        pytest.importorskip(package, reason="an extra is not installed")
        exec(compile(block, "your-own-loop.md", "exec"), scope)
        assert scope["callback"].plan is scope["plan"]


def test_examples_are_there():
    links = re.findall(r"\]\(\.\./(examples/.*?)\)", PAGE)
    assert len(links) == 3
    assert all((FOLDER / link).is_file() for link in links)


def test_the_command_is_accepted(capsys):
    (words,) = re.findall(r"^    torchrun .* -m timegrain (.*)$", PAGE, flags=re.MULTILINE)
    assert run([*shlex.split(words), "--dry-run"]) == 0
    assert "would train s4d" in capsys.readouterr().err
