"""The section on contracts: what failed first, with what to do, then everything that was asked."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.core.contract import FAILED, NOT_APPLICABLE, NOTED, PASSED
from timegrain.report.page.highlights import Highlight
from timegrain.report.page.numbers import Cell
from timegrain.report.page.parts import Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.checks.model.result import ModelCheck
    from timegrain.checks.model.row import CheckRow
    from timegrain.data.source_check.result import SourceCheck
    from timegrain.data.source_check.row import SourceRow

_ORDER = (FAILED, NOTED, PASSED, NOT_APPLICABLE)
_SAID = {FAILED: "FAILED"}


def check_section(results: "Sequence[ModelCheck | SourceCheck]") -> Section:
    """Return the section with a table a model or source, failures first.

    Args:
        results: At least one.
    """
    failing = [r.name for r in results if r.failures]
    said = (
        f"Not by {', '.join(failing)}: the rows that failed stand first, each with what to do."
        if failing
        else "Nothing that was asked failed. What did not apply was not checked."
    )
    return Section(
        key="checks",
        heading="Is the contract kept?",
        lead=said,
        tables=tuple(_table(r) for r in results),
        notes=attributed(pair for r in results for pair in named(r.name, r.notes)),
    )


def check_highlights(results: "Sequence[ModelCheck | SourceCheck]") -> list[Highlight]:
    """Return how many checks failed of each, or passed where none did."""
    highlights = []
    for r in results:
        rows: Sequence[CheckRow | SourceRow] = r.checks
        counts = {v: sum(row.verdict == v for row in rows) for v in _ORDER}
        first = FAILED if counts[FAILED] else PASSED
        rest = ", ".join(f"{n} {v}" for v, n in counts.items() if n and v != first)
        value = f"{counts[first]} {first}"
        detail = rest or "nothing was left out"
        highlights.append(Highlight(value=value, label=f"{r.name}, checks", detail=detail))
    return highlights


def _table(result: "ModelCheck | SourceCheck") -> Table:
    verdict, *texts = [text for _, text in result.summary_lines()]
    rows: Sequence[CheckRow | SourceRow] = result.checks
    pairs = list(zip(rows, texts, strict=True))
    pairs.sort(key=lambda pair: _ORDER.index(pair[0].verdict))
    return Table(
        caption=f"{result.name} {verdict}.",
        header=("Check", "Verdict", "Seen", "Try"),
        rows=tuple(
            (
                Cell(text=row.label, alarm=row.verdict == FAILED),
                Cell(text=_SAID.get(row.verdict, row.verdict)),
                Cell(text=_seen(text, row.verdict)),
                Cell(text=row.cure if row.verdict == FAILED else ""),
            )
            for row, text in pairs
        ),
    )


def _seen(text: str, verdict: str) -> str:
    """Return a line of the result without its verdict and its cure."""
    seen = text.partition(". Try ")[0].removeprefix(_SAID.get(verdict, verdict)).lstrip(": ")
    return seen[1:-1] if seen.startswith("(") and seen.endswith(")") else seen
