"""The section on models measured on finer and finer grids."""

from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

from timegrain.continuity.model.summary import off_text, scale_text, slopes_text
from timegrain.report.figures.ladder import OUTPUT, model_label, refinement, refinement_words
from timegrain.report.figures.scales import ratio
from timegrain.report.figures.style import display
from timegrain.report.figures.words import unique
from timegrain.report.page.datasets import outcome_cell
from timegrain.report.page.numbers import Cell, between, cell, fixed
from timegrain.report.page.parts import Plate, Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.continuity.model.result import ErrorRow, ModelContinuity

_TOGETHER = 8  # models in a figure, where a page has no room for all


def model_section(results: "Sequence[ModelContinuity]") -> Section:
    """Return the section with the error against tau and the table of models."""
    return Section(
        key="models",
        heading="Are the models continuous in time?",
        lead=(
            "A model is continuous if its output settles when the same signal is given on finer "
            "grids, and its memory, in units of time, does not shrink meanwhile."
        ),
        plates=(_plate(results),),
        tables=(_table(results),),
        notes=attributed(
            pair for r in results for pair in named(_short_label(r, results), _notes(r))
        ),
    )


def _plate(results: "Sequence[ModelContinuity]", name: str = "") -> Plate:
    """Return the figure of all models, and those of a few each."""
    several = [results[i : i + _TOGETHER] for i in range(0, len(results), _TOGETHER)]
    parts = [_plate(few, str(i)) for i, few in enumerate(several, 1)] if len(several) > 1 else []
    return Plate(
        draw=lambda width: refinement(results, width=width, title=False),
        words=refinement_words(results),
        name=name,
        parts=tuple(parts),
    )


def _short_label(r: "ModelContinuity", results: "Sequence[ModelContinuity]") -> str:
    alone = sum(other.name == r.name for other in results) == 1
    return display(r.name) if alone else model_label(r)


def _notes(r: "ModelContinuity") -> list[str]:
    slopes, off = slopes_text(r), off_text(r)
    return [
        *r.notes,
        f"The growth of the error with amplitude is {slopes}." if slopes else "",
        f"{off[:1].upper()}{off[1:]}." if off else "",
    ]


def _table(results: "Sequence[ModelContinuity]") -> Table:
    fresh = [r.scope != "model" for r in results]
    which = "as passed"
    if any(fresh):
        which = "at their initialisation" + ("" if all(fresh) else ", but for the user's own")
    scales = " or ".join(unique([scale_text(r.norm) for r in results]))
    return Table(
        caption=(
            f"The models, {which}. Order 1: half the step, half the error. Errors are relative to "
            f"{scales}; the amplitude exponent is 0 where they do not depend on how large the "
            "input is."
        ),
        header=(
            "Model",
            "Outcome",
            "Told its step",
            "Order",
            "Amplitude exponent",
            "Error on the working grid, by amplitude",
            "Memory, coarsest → finest",
            "Pairs",
        ),
        rows=tuple(_row(r) for r in results),
    )


def _row(r: "ModelContinuity") -> tuple[Cell, ...]:
    return (
        Cell(
            text=model_label(r),
            title=f"{r.scope}, {r.protocol}, {r.refine} refinement",
            more=_default_discretisation(r),
        ),
        _outcome(r),
        _told(r),
        _with_interval(r, "order", "interval"),
        _with_interval(r, "amplitude_exponent", "amplitude_interval"),
        _errors(r),
        _memory(r),
        Cell(text=str(r.n_pairs)),
    )


def _default_discretisation(r: "ModelContinuity") -> str:
    if r.discretization is None or "discretization" in r.options:  # the label has what was asked
        return ""
    return f"{r.discretization} (its default)"


def _told(r: "ModelContinuity") -> Cell:
    if r.protocol == "rescale":
        return Cell(text="yes")
    return Cell(text="no", title=r.reasons.get("protocol", "as asked"))


def _outcome(r: "ModelContinuity") -> Cell:
    unseen = "" if r.memory_seen else "memory not seen"
    return replace(outcome_cell(r.outcome), title=f"{r.message}: {r.cure}", more=unseen)


def _with_interval(r: "ModelContinuity", field: str, beside: str) -> Cell:
    value, interval = getattr(r, field), getattr(r, beside)
    if value is None:
        return cell(None, why=r.reasons.get(field, ""))
    if interval is None:
        why = r.reasons.get(beside, "too few pairs")
        return Cell(text=fixed(value), title=f"no interval: {why}", more="no interval")
    return Cell(text=fixed(value), more=between(*interval))


def _errors(r: "ModelContinuity") -> Cell:
    texts = [
        f"{row.amplitude:g}: {cell(row.error, digits=2).text}"
        for row in sorted(r.errors, key=_amplitude)
        if row.layer == OUTPUT and row.tau == r.working_tau
    ]
    if not texts:
        return cell(None, why=r.reasons.get("errors", ""))
    where = "" if r.working_tau == 1 else f"at {r.at_work}"
    return Cell(text="; ".join(texts), title=r.reasons.get("errors", ""), more=where)


def _amplitude(row: "ErrorRow") -> float:
    return row.amplitude


def _memory(r: "ModelContinuity") -> Cell:
    if not r.memory:
        return cell(None, why=r.reasons.get("memory", ""))
    amplitude = min((row.amplitude for row in r.memory), key=lambda a: abs(log(a)))
    here = sorted((row for row in r.memory if row.amplitude == amplitude), key=lambda row: -row.tau)
    first, last = (cell(row.memory, digits=2).text for row in (here[0], here[-1]))
    where = "" if here[0].layer == OUTPUT else f"at its {here[0].layer} sequence, "
    return Cell(
        text=f"{first} → {last} {r.time_unit}",
        title=f"{where}at amplitude {amplitude:g}, from tau {ratio(here[0].tau)} to "
        f"{ratio(here[-1].tau)}" + (f"; {reason}" if (reason := r.reasons.get("memory")) else ""),
    )
