"""The section on what selective layers select."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.continuity.selective.summary import NAMES, conclusions
from timegrain.report.figures.holding import attribution, attribution_words
from timegrain.report.page.numbers import Cell, between, cell, fixed
from timegrain.report.page.parts import Plate, Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.continuity.selective.result import HeldRow, Selectivity


def selective_section(results: "Sequence[Selectivity]") -> Section:
    """Return the section with a figure and a table of what is held for each model.

    Args:
        results: One a model.
    """
    return Section(
        key="selectivity",
        heading="What do the models select, and what does it cost them?",
        lead=(
            "A selective layer chooses its step and its weights by its input. Here each of them is "
            "held at its mean in turn, to see which one makes errors depend on the input's size."
        ),
        plates=tuple(_plate(r) for r in results),
        tables=tuple(_table(r) for r in results),
        notes=attributed(
            pair for r in results for pair in named(r.name, [*conclusions(r), *r.notes])
        ),
    )


def _plate(result: "Selectivity") -> Plate:
    return Plate(
        draw=lambda width: attribution(result, width=width, title=False),
        words=attribution_words(result),
        name=result.name,
    )


def _table(result: "Selectivity") -> Table:
    amplitudes = ", ".join(f"{a:g}" for a in result.amplitudes)
    return Table(
        caption=f"Parts of {result.name} held at their mean, with 95 % intervals",
        header=(
            "Rule for B",
            "Held",
            "Order",
            "Amplitude exponent",
            f"Error at tau 1, amplitudes {amplitudes}",
        ),
        rows=tuple(_row(result, row) for row in result.attribution),
    )


def _row(result: "Selectivity", row: "HeldRow") -> tuple[Cell, ...]:
    errors = [
        cell(e.error, digits=2).text
        for e in result.errors
        if (e.discretization, e.held) == (row.discretization, row.held)
    ]
    return (
        Cell(text=row.discretization),
        Cell(text=NAMES[row.held]),
        cell(row.order, why="no order"),
        _exponent(row),
        Cell(text="; ".join(errors)),
    )


def _exponent(row: "HeldRow") -> Cell:
    if row.exponent is None:
        return cell(None, why=row.reason)
    more = ""
    if row.exponent_low is not None and row.exponent_high is not None:
        more = between(row.exponent_low, row.exponent_high)
    return Cell(text=fixed(row.exponent), more=more)
