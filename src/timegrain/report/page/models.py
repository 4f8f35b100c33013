"""The section on models measured on finer and finer grids."""

from collections.abc import Sequence
from math import log
from typing import TYPE_CHECKING

from timegrain.report.figures.ladder import OUTPUT, model_label, refinement, refinement_words
from timegrain.report.figures.scales import ratio
from timegrain.report.figures.words import unique
from timegrain.report.page.datasets import outcome_cell
from timegrain.report.page.numbers import Cell, between, cell, fixed
from timegrain.report.page.parts import Plate, Section, Table

if TYPE_CHECKING:
    from timegrain.continuity.model.result import ErrorRow, ModelContinuity


def model_section(results: "Sequence[ModelContinuity]") -> Section:
    """Return the section with the error against tau and the table of models."""
    plate = Plate(
        draw=lambda width: refinement(results, width=width, title=False),
        words=refinement_words(results),
    )
    return Section(
        key="models",
        heading="Are the models continuous in time?",
        lead=(
            "A model is continuous if its output settles when the same signal is given on finer "
            "grids, and its memory, in units of time, does not shrink meanwhile."
        ),
        plates=(plate,),
        tables=(_table(results),),
        notes=tuple(unique([note for r in results for note in r.notes])),
    )


def _table(results: "Sequence[ModelContinuity]") -> Table:
    return Table(
        caption=(
            "The models, at their initialisation unless the name says otherwise. Order 1: half the "
            "step, half the error. The amplitude exponent is 0 where the error, relative to the "
            "output, does not depend on how large the input is."
        ),
        header=(
            "Model",
            "Told its step",
            "Order",
            "Amplitude exponent",
            "Error at tau 1, by amplitude",
            "Memory, coarsest → finest",
            "Pairs",
            "Outcome",
        ),
        rows=tuple(_row(r) for r in results),
    )


def _row(r: "ModelContinuity") -> tuple[Cell, ...]:
    return (
        Cell(text=model_label(r), title=f"{r.scope}, {r.protocol}, {r.refine} refinement"),
        _told(r),
        _with_interval(r.order, r.interval, r.reasons.get("order", "")),
        _with_interval(
            r.amplitude_exponent, r.amplitude_interval, r.reasons.get("amplitude_exponent", "")
        ),
        _errors(r),
        _memory(r),
        Cell(text=str(r.n_pairs)),
        outcome_cell(r.outcome),
    )


def _told(r: "ModelContinuity") -> Cell:
    return Cell(text="yes" if r.takes_tau else "no", title=r.reasons.get("takes_tau", ""))


def _with_interval(value: float | None, interval: tuple[float, float] | None, why: str) -> Cell:
    if value is None:
        return cell(None, why=why)
    if interval is None:
        return Cell(text=fixed(value), title="no interval: a single pair")
    return Cell(text=fixed(value), more=between(*interval))


def _errors(r: "ModelContinuity") -> Cell:
    texts = [
        f"{row.amplitude:g}: {cell(row.error, digits=2).text}"
        for row in sorted(r.errors, key=_amplitude)
        if row.layer == OUTPUT and row.tau == 1
    ]
    if not texts:
        return cell(None, why=r.reasons.get("errors", ""))
    return Cell(text="; ".join(texts), title=r.reasons.get("errors", ""))


def _amplitude(row: "ErrorRow") -> float:
    return row.amplitude


def _memory(r: "ModelContinuity") -> Cell:
    if not r.memory:
        return cell(None, why=r.reasons.get("memory", ""))
    amplitude = min((row.amplitude for row in r.memory), key=lambda a: abs(log(a)))
    here = sorted((row for row in r.memory if row.amplitude == amplitude), key=lambda row: -row.tau)
    first, last = (cell(row.memory, digits=2).text for row in (here[0], here[-1]))
    unit = "samples" if r.unit == "sample" else r.unit
    return Cell(
        text=f"{first} → {last} {unit}",
        title=f"at amplitude {amplitude:g}, from tau {ratio(here[0].tau)} to {ratio(here[-1].tau)}"
        + (f"; {reason}" if (reason := r.reasons.get("memory")) else ""),
    )
