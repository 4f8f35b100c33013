"""An examination as text of 80 columns."""

import textwrap
from itertools import groupby
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timegrain.checks.doctor.examination import Examination
    from timegrain.checks.doctor.fact import Fact

WIDTH = 80
_MARKS = {"fine": "ok  ", "note": "note", "broken": "FAIL"}


def facts_text(found: "Examination") -> str:
    """Return the facts in their groups, each with its mark, and the verdict last.

    Args:
        found: What `examine` returned.
    """
    name = max(len(fact.name) for fact in found.facts)
    lines = []
    for group, facts in groupby(found.facts, key=lambda fact: fact.group):
        lines.append(group)
        for fact in facts:
            lines += _lines(fact, name)
    return "\n".join([*lines, "", *textwrap.wrap(f"verdict: {found.verdict}", WIDTH)])


def _lines(fact: "Fact", name: int) -> list[str]:
    head = f"  {_MARKS[fact.verdict]}  {fact.name:{name}}  "
    rest = " " * len(head)
    lines = _wrapped(fact.value, head, rest)
    if fact.advice:
        lines += _wrapped(f"Try {fact.advice}.", rest, rest)
    return lines


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False
    )
