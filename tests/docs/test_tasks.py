"""The page on tasks: its block prints what is shown, and it holds every card."""

import contextlib
import io
import re
from pathlib import Path

from timegrain.data.cards import task_cards

PAGE = (Path(__file__).parents[2] / "docs" / "tasks.md").read_text(encoding="utf-8")


def test_the_block_prints_what_is_shown():
    ((code, shown),) = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code, "tasks.md", "exec"), {"__name__": "page"})
    assert said.getvalue() == shown


def test_every_task_stands_in_a_table_and_in_words():
    names = sorted(card.name for card in task_cards())
    assert sorted(re.findall(r"^\| `([^`]+)` \|", PAGE, re.MULTILINE)) == names
    assert sorted(re.findall(r"^\*\*`([^`]+)`\*\*, version", PAGE, re.MULTILINE)) == names


def test_what_is_said_is_what_the_cards_say():
    for card in task_cards():
        assert f"**`{card.name}`**, version {card.version}. {card.what}" in PAGE
        if card.problem is not None:
            row = next(line for line in PAGE.splitlines() if line.startswith(f"| `{card.name}` |"))
            assert f" {card.problem.trivial:z.3f} " in row


def test_cells_that_were_not_measured_say_so():
    done = re.search(r"\*\*(\d+) of (\d+) measurements are done", PAGE)
    if done is not None:
        assert PAGE.count("not yet") >= int(done[2]) - int(done[1])
