"""The page on models of your own: its Python prints what is shown."""

import contextlib
import io
import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "your-own-model.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, flags=re.DOTALL)


def test_blocks_print_what_is_shown():
    assert len(BLOCKS) == PAGE.count("```python") == 2
    scope: dict = {}
    for code, shown in BLOCKS:
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(code, "your-own-model.md", "exec"), scope)
        assert said.getvalue() == shown
