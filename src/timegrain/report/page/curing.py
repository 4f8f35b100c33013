"""The section on what cures do to models."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from timegrain.continuity.remedies.summary import effects
from timegrain.report.figures.cured import cure_rows, cure_words
from timegrain.report.figures.words import unique
from timegrain.report.page.datasets import outcome_cell
from timegrain.report.page.numbers import Cell, cell, fixed
from timegrain.report.page.parts import Plate, Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.continuity.remedies.result import Remedy, RemedyRow


def curing_section(results: "Sequence[Remedy]") -> Section:
    """Return the section with a row before and after each cure, of models and changed modules.

    Args:
        results: One a model and cure.
    """
    names = unique([r.name for r in results])
    return Section(
        key="cures",
        heading="What cures the models, and what does that cost?",
        lead=(
            "A copy of each model was changed and measured again on the same signals. The shift is "
            "how far its output moves at the trained rate: 0 where a trained model can be used as "
            "it is."
        ),
        plates=tuple(_plate([r for r in results if r.name == n]) for n in names),
        tables=(
            Table(
                caption="Before and after, at the amplitude nearest 1",
                header=(
                    "Model",
                    "Cure",
                    "Module",
                    "Stage",
                    "Outcome",
                    "Order",
                    "Error at tau 1",
                    "Memory, finest over working grid",
                    "Amplitude exponent",
                    "Shift",
                ),
                rows=_repeated([_row(r, row) for r in results for row in r.stages]),
            ),
        ),
        notes=attributed(
            pair for r in results for pair in named(f"{r.name}, {r.cure}", [*_said(r), *r.notes])
        ),
    )


def _plate(results: "Sequence[Remedy]") -> Plate:
    return Plate(
        draw=lambda width: cure_rows(results, width=width, title=False),
        words=cure_words(results),
        name=results[0].name,
    )


def _repeated(rows: "list[tuple[Cell, ...]]") -> "tuple[tuple[Cell, ...], ...]":
    """Return the rows, a model that the row before names marked as named again."""
    return tuple(
        (replace(row[0], again=i > 0 and rows[i - 1][0].text == row[0].text), *row[1:])
        for i, row in enumerate(rows)
    )


def _row(result: "Remedy", row: "RemedyRow") -> tuple[Cell, ...]:
    after = row.stage == "after" and not row.module
    return (
        Cell(text=result.name),
        Cell(text=result.cure),
        Cell(text=row.module or "all"),
        Cell(text=row.stage),
        outcome_cell(row.outcome),
        _fixed(row.order, "no order"),
        cell(row.error, why="its outputs have no limit", digits=2),
        cell(row.memory_ratio, why="it does not respond to the bump", digits=2),
        _fixed(row.amplitude_exponent, "too few amplitudes follow the law"),
        cell(result.shift, digits=2) if after else Cell(text=""),
    )


def _fixed(value: float | None, why: str) -> Cell:
    return cell(None, why=why) if value is None else Cell(text=fixed(value))


def _said(result: "Remedy") -> list[str]:
    good, bad = ([t for ok, t in effects(result) if ok is sign] for sign in (True, False))
    lines = [("It does", good), ("It does not", bad)]
    return [f"{label} {'; '.join(texts)}." for label, texts in lines if texts]
