"""The section on where in a model continuity is lost."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.modules import module_rows, module_words
from timegrain.report.figures.style import display
from timegrain.report.page.datasets import outcome_cell
from timegrain.report.page.numbers import Cell, cell, fixed
from timegrain.report.page.parts import Plate, Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.continuity.localisation.result import Localisation, ModuleRow


def locating_section(results: "Sequence[Localisation]") -> Section:
    """Return the section with a figure and a table of modules for each model.

    Args:
        results: One a model.
    """
    return Section(
        key="modules",
        heading="Which part of the model loses continuity?",
        lead=" ".join(f"{display(r.name)}: {_found(r)}" for r in results),
        plates=tuple(_plate(r) for r in results if r.modules),
        tables=tuple(_table(r) for r in results),
        notes=attributed(pair for r in results for pair in named(r.name, [*_skipped(r), *r.notes])),
    )


def _found(r: "Localisation") -> str:
    first = "no module that was measured loses it." if r.first is None else f"lost in {r.first}."
    cure = dict(r.summary_lines()).get("try")
    return f"{first} {r.because}" + (f" Try {cure}." if cure else "")


def _plate(result: "Localisation") -> Plate:
    return Plate(
        draw=lambda width: module_rows(result, width=width, title=False),
        words=module_words(result),
        name=result.name,
    )


def _table(result: "Localisation") -> Table:
    return Table(
        caption=(
            f"The modules of {display(result.name)} in the order in which their calls end, at the "
            "amplitude nearest 1"
        ),
        header=(
            "Module",
            "Type",
            "Outcome",
            "Loses",
            "Order",
            "Moves by",
            f"Memory, working → finest grid, {result.time_unit}",
        ),
        rows=tuple(_row(row) for row in result.modules),
    )


def _row(row: "ModuleRow") -> tuple[Cell, ...]:
    memory = cell(None, why="it does not respond to the bump")
    if row.memory is not None and row.memory_finest is not None:
        ends = (cell(v, digits=2).text for v in (row.memory, row.memory_finest))
        memory = Cell(text=" → ".join(ends))
    no_order = cell(None, why="no order")
    return (
        Cell(text=row.module or "whole model"),
        Cell(text=row.type),
        outcome_cell(row.outcome),
        Cell(text=row.loses or "nothing"),
        no_order if row.order is None else Cell(text=fixed(row.order)),
        cell(row.change, why="the finest output is zero", digits=2),
        memory,
    )


def _skipped(r: "Localisation") -> list[str]:
    return [
        f"{s.module or 'the model'} ({s.type}) was not measured: {s.reason}." for s in r.skipped
    ]
