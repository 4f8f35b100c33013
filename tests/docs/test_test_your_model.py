"""The page on testing a new architecture: its commands and its Python print what is shown."""

import contextlib
import io
import re
from pathlib import Path

import numpy as np

from timegrain.cli.main import run

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "test-your-model.md").read_text("utf-8")
CODE = re.findall(r"```python\n(.*?)```(?:\n\n```text\n(.*?)```)?", PAGE, flags=re.DOTALL)
COMMANDS = re.findall(r"```console\n\$ timegrain (.*?)\n(.*?)```", PAGE, flags=re.DOTALL)


def test_commands_and_code_do_what_is_shown(tmp_path, monkeypatch, capsys):
    (tmp_path / "my_arch.py").write_text(CODE[0][0])
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    _write_recording(tmp_path / "rec.csv")
    assert len(COMMANDS) == PAGE.count("```console") == 7
    for words, shown in COMMANDS:
        assert run(words.split()) == 0
        told = capsys.readouterr()
        lines = iter([*told.out.splitlines(), *told.err.splitlines()])
        for line in shown.splitlines():
            # all lines are there, in this order; "..." stands for lines that are left out
            assert line == "..." or line in lines, (words, line)
    assert len(CODE) == PAGE.count("```python") == 5
    scope: dict = {}
    for code, shown in CODE:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, "test-your-model.md", "exec"), scope)
        assert said.getvalue() == shown
    assert (tmp_path / "continuity.pdf").read_bytes().startswith(b"%PDF")


def _write_recording(path):
    """2 channels at 640 Hz for 3.2 s, with noise of a tenth of their size."""
    t = np.arange(64 * 32 + 1) / 640
    rows = np.stack([np.sin(3 * t), np.cos(2 * t)], 1)
    rows += 0.1 * np.random.default_rng(0).normal(size=rows.shape)
    np.savetxt(path, rows, delimiter=",", header="a,b", comments="", fmt="%.6f")
