"""The section on what is proved of layers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.page.datasets import outcome_cell
from timegrain.report.page.numbers import Cell, cell
from timegrain.report.page.parts import Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.continuity.certificate.result import Certificate


def certificate_section(results: "Sequence[Certificate]") -> Section:
    """Return the section with the bound of each layer and step.

    Args:
        results: One a layer.
    """
    return Section(
        key="certificates",
        heading="What is proved of the error?",
        lead=(
            "A bound of the distance between a layer's outputs at its samples and those of the "
            "same system in continuous time, for every signal that changes no faster than declared."
        ),
        tables=(
            Table(
                caption="Largest bound over channels at each step",
                header=("Layer", "tau", "Outcome", "Error at most", "Over the largest output"),
                rows=tuple(_row(r, tau) for r in results for tau in r.taus),
            ),
        ),
        notes=attributed(
            pair
            for r in results
            for pair in named(r.name, [f"Theorem: {r.theorem}.", f"Signal: {r.moduli}.", *r.notes])
        ),
    )


def _row(result: "Certificate", tau: float) -> tuple[Cell, ...]:
    return (
        Cell(text=result.name),
        cell(tau),
        outcome_cell(result.outcome),
        cell(result.bound(tau)),
        cell(result.relative(tau), why="all outputs are zero"),
    )
