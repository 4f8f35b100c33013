"""The code of the page on symbolic tasks runs in its order and prints what it says."""

import re
from pathlib import Path

from timegrain.data.catalogue import card

PAGE = (Path(__file__).parents[2] / "docs" / "symbolic-tasks.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_code_prints_what_stands_below_it(capsys):
    names: dict[str, object] = {}
    assert len(BLOCKS) == PAGE.count("```python") == 3
    for code, printed in BLOCKS:
        exec(compile(code, "symbolic-tasks.md", "exec"), names)
        assert capsys.readouterr().out == printed


def test_the_table_has_the_options_of_every_task():
    rows = re.findall(r"^\| (`.*?) \|.*\| (.*?) \|$", PAGE, flags=re.MULTILINE)
    found = {
        name: set(options.strip("`").split())
        for names, options in rows
        for name in re.findall(r"`(.*?)`", names)
    }
    assert len(found) == 12
    assert found == {name: set(card(name).generator.options) for name in found}
