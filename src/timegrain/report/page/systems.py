"""The section on random systems at many amplitudes."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.amplitudes import RULES, amplitude_curves, amplitude_words
from timegrain.report.figures.scales import ratio
from timegrain.report.figures.style import display
from timegrain.report.page.highlights import Highlight
from timegrain.report.page.numbers import Cell, between, cell, fixed, significant
from timegrain.report.page.parts import Plate, Section, Table, attributed, named
from timegrain.study.presets.paper_continuity.words import span

if TYPE_CHECKING:
    from timegrain.study.presets.paper_continuity.result import (
        ErrorCell,
        GrowthCell,
        PaperContinuity,
    )

_EMPTY = "the output of every system underflows to zero"
_COLUMNS = 5  # steps in a table


def system_section(results: "Sequence[PaperContinuity]") -> Section:
    """Return the section with the errors of random systems.

    Args:
        results: Of the study `paper-continuity`, at least one.
    """
    return Section(
        key="systems",
        heading="Does the error depend on how large the input is?",
        lead=" ".join(dict(r.summary_lines())["conclusion"] for r in results),
        plates=tuple(_plate(r) for r in results),
        tables=tuple(
            table
            for r in results
            for table in (_growths(r), *(_errors(r, norm) for norm in ("sup", "rms")))
        ),
        notes=attributed(pair for r in results for pair in named(r.name, r.notes)),
    )


def system_highlights(results: "Sequence[PaperContinuity]") -> list[Highlight]:
    """Return how often larger each family's error is at the largest amplitude."""
    return [
        Highlight(
            value=f"× {significant(g.growth, 2)}",
            label=(
                f"{display(g.family)}: error at amplitude {r.amplitudes[-1]:g} over that at "
                f"{r.amplitudes[0]:g}"
            ),
            detail=f"at tau {ratio(r.taus[0])}, {RULES[g.discretization]}; 1 is no dependence",
        )
        for r in results[:1]
        for g in r.growths
        if g.norm == "sup" and g.discretization == "zoh" and g.growth is not None
    ]


def _plate(result: "PaperContinuity") -> Plate:
    return Plate(
        draw=lambda width: amplitude_curves(result, width=width, title=False),
        words=amplitude_words(result),
        name=result.name,
    )


def _growths(r: "PaperContinuity") -> Table:
    first, last = r.amplitudes[0], r.amplitudes[-1]
    return Table(
        caption=(
            f"{r.n_systems:,} random systems of each family: order between the two finest steps, "
            f"and median error at tau {ratio(r.taus[0])}"
        ),
        header=(
            "System",
            "Norm",
            "Order",
            f"Error, amplitude {first:g}",
            f"Error, amplitude {last:g}",
            "Ratio",
        ),
        rows=tuple(_growth(r, g) for g in r.growths),
    )


def _growth(r: "PaperContinuity", g: "GrowthCell") -> tuple[Cell, ...]:
    kind = (g.family, g.discretization, g.norm)
    orders = [
        o.order
        for o in r.orders
        if (o.family, o.discretization, o.norm) == kind and o.order is not None
    ]
    ends = [
        r.row(g.family, amplitude=a, tau=r.taus[0], discretization=kind[1], norm=kind[2])
        for a in (r.amplitudes[0], r.amplitudes[-1])
    ]
    times = cell(None, why=_EMPTY)
    if g.growth is not None:
        more = "" if g.low is None or g.high is None else between(g.low, g.high)
        times = Cell(text=fixed(g.growth), more=more)
    return (
        Cell(text=f"{display(g.family)}, {RULES[g.discretization]}"),
        Cell(text=g.norm),
        Cell(text=span(orders)) if orders else cell(None, why=_EMPTY),
        *(_with_ends(c) for c in ends),
        times,
    )


def _errors(r: "PaperContinuity", norm: str) -> Table:
    step = max(1, -(-(len(r.taus) - 1) // (_COLUMNS - 1)))
    taus = r.taus[::step]
    rows = []
    for g in (g for g in r.growths if g.norm == norm):
        for amplitude in r.amplitudes:
            cells = [
                r.row(
                    g.family,
                    amplitude=amplitude,
                    tau=tau,
                    discretization=g.discretization,
                    norm=norm,
                )
                for tau in taus
            ]
            label = f"{display(g.family)}, {RULES[g.discretization]}, a = {amplitude:.3g}"
            dropped = Cell(text=str(max(c.n_dropped for c in cells)))
            rows.append((Cell(text=label), *(_with_ends(c) for c in cells), dropped))
    return Table(
        caption=f"Median {norm} error at every amplitude, with 95 % intervals",
        header=("System", *(f"tau {ratio(tau)}" for tau in taus), "Dropped"),
        rows=tuple(rows),
        folded=True,
    )


def _with_ends(c: "ErrorCell") -> Cell:
    if c.error is None:
        return cell(None, why=_EMPTY)
    if c.low is None or c.high is None:
        return Cell(text=significant(c.error), title="no interval: fewer than six systems")
    return Cell(text=significant(c.error), more=f"{significant(c.low)} to {significant(c.high)}")
