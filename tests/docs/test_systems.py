"""The code of the page on systems runs in its order and prints what it says."""

import re
from pathlib import Path

from timegrain.data.systems.generators import SYSTEMS

PAGE = (Path(__file__).parents[2] / "docs" / "systems.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, flags=re.DOTALL)


def test_the_code_prints_what_stands_below_it(capsys):
    names: dict[str, object] = {}
    assert len(BLOCKS) == PAGE.count("```python") == 3
    for code, printed in BLOCKS:
        exec(compile(code, "systems.md", "exec"), names)
        assert capsys.readouterr().out == printed


def test_the_table_has_every_system_and_what_is_drawn():
    rows = re.findall(r"^\| `(.*?)` \| .*? \| (.*?) \|", PAGE, flags=re.MULTILINE)
    found = {name: re.findall(r"(\w+) (\d*\.?\d+) to (\d*\.?\d+)", drawn) for name, drawn in rows}
    known = {
        system.name: [(p.name, p.low, p.high) for p in system.parameters] for system in SYSTEMS
    }
    assert {n: [(p, float(a), float(b)) for p, a, b in ranges] for n, ranges in found.items()} == (
        known
    )
