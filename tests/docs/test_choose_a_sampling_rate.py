"""Every output on the page is what the command prints."""

import re
import shlex
from pathlib import Path

import pytest

from timegrain.cli.main import run

TEXT = (Path(__file__).parents[2] / "docs" / "choose-a-sampling-rate.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n\$ timegrain (.*?)\n(.*?)```", TEXT, flags=re.DOTALL)


def test_there_are_outputs_and_no_line_is_too_wide():
    assert len(BLOCKS) >= 4
    assert all(len(line) <= 80 for _, shown in BLOCKS for line in shown.splitlines())


@pytest.mark.parametrize(("command", "shown"), BLOCKS, ids=[c.split()[0] for c, _ in BLOCKS])
def test_the_output_is_what_is_printed(command, shown, capsys):
    assert run(shlex.split(command)) == 0
    printed = capsys.readouterr().out
    at = 0
    for part in re.split(r"^\.\.\.\n", shown, flags=re.MULTILINE):
        found = printed.find(part.rstrip("\n"), at)
        assert found >= 0, f"not printed:\n{part}\nbut:\n{printed}"
        at = found + len(part.rstrip("\n"))
