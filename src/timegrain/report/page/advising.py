"""The sections on what a label keeps at lower rates, and on the advice made from it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from timegrain.advice.sampling.choice import KEEP as KEEPS
from timegrain.advice.sampling.summary import headline, pace
from timegrain.report.figures.kept import KeptCurve, kept_words, retention_curves
from timegrain.report.page.datasets import outcome_cell
from timegrain.report.page.numbers import MISSING, Cell, cell, fixed
from timegrain.report.page.parts import Plate, Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.advice.sampling.result import Advice, Kept
    from timegrain.continuity.retention.result import LabelRetention


def advice_section(results: "Sequence[Advice]") -> Section:
    """Return the section with each advice, its sweep and what it cannot tell."""
    curves = [c for r in results for c in _advice_curves(r)]
    metrics = {r.metric for r in results if r.metric is not None}
    return Section(
        key="advice",
        heading="At which rate is the label still there?",
        lead=" ".join(f"{r.name}: {headline(r)}." for r in results),
        plates=_plates(curves, metrics),
        tables=(_advice_table(results), *(_sweep_table(r) for r in results if r.sweep)),
        notes=(
            *attributed((r.name, f"cannot tell {text}") for r in results for text in r.unknown),
            *attributed(pair for r in results for pair in named(r.name, r.notes)),
        ),
    )


def retention_section(results: "Sequence[LabelRetention]") -> Section:
    """Return the section with the retention of labels."""
    curves = [c for r in results for c in _retention_curves(r)]
    return Section(
        key="retention",
        heading="What does a stride cost the label?",
        lead=(
            "A probe is fitted anew at every stride and scored on groups it has not seen: this is "
            "what the kept samples still say about the label, not what a network trained at one "
            "rate does at another."
        ),
        plates=_plates(curves, {r.metric for r in results}),
        tables=tuple(_retention_table(r) for r in results),
        notes=attributed(pair for r in results for pair in named(r.name, r.notes)),
    )


def _plates(curves: Sequence[KeptCurve], metrics: Iterable[str]) -> tuple[Plate, ...]:
    if not curves:
        return ()
    words = kept_words(curves, ", ".join(sorted(metrics)), KEEPS)
    return (
        Plate(
            draw=lambda width: retention_curves(
                curves, words, limit=KEEPS, width=width, title=False
            ),
            words=words,
        ),
    )


def _advice_curves(advice: "Advice") -> list[KeptCurve]:
    found = []
    for window in dict.fromkeys(r.window for r in advice.sweep):
        rows = [r for r in advice.sweep if r.window == window]
        name = "whole sequences" if window is None else f"{window:,} samples"
        chosen = advice.stride if window == advice.window else None
        for filtered in (False, True):
            points = [
                _point(row.stride, kept)
                for row in rows
                for kept in [row.filtered if filtered else row.thinned]
                if kept is not None and kept.retention is not None
            ]
            if points:
                found.append(
                    KeptCurve(
                        panel=advice.name,
                        label=f"{name}, filtered" if filtered else name,
                        points=tuple(points),
                        filtered=filtered,
                        chosen=chosen,
                    )
                )
    return found


def _point(stride: int, kept: "Kept") -> tuple[int, float, float | None, float | None]:
    return stride, kept.retention or 0.0, kept.retention_low, kept.retention_high


def _retention_curves(r: "LabelRetention") -> list[KeptCurve]:
    points = tuple(
        (row.stride, row.retention, row.retention_low, row.retention_high)
        for row in r.profile
        if row.retention is not None
    )
    if not points:
        return []
    filtered = r.decimator == "fir"
    label = "filtered" if filtered else "thinned"
    return [
        KeptCurve(panel=r.name, label=label, points=points, filtered=filtered, chosen=r.coarsest)
    ]


def _advice_table(results: "Sequence[Advice]") -> Table:
    return Table(
        caption=(
            "What is advised. The share of samples is that of a training from coarse to fine over "
            "as many epochs at the recorded rate, from the strides alone; time was not measured."
        ),
        header=(
            "Dataset",
            "Advised rate",
            "Window, samples",
            "Score at the recorded rate",
            "Kept skill",
            "Limiting channel",
            "Share of samples",
            "Outcome",
        ),
        rows=tuple(_advice_row(r) for r in results),
    )


def _advice_row(r: "Advice") -> tuple[Cell, ...]:
    row = None if r.stride is None else r.at(r.stride)
    advised = MISSING if r.stride is None else pace(r, r.stride)
    return (
        Cell(text=r.name),
        Cell(text=advised, title=r.reasons.get("stride", "")),
        Cell(text="whole" if r.window is None else f"{r.window:,}"),
        _score(r),
        _kept_cell(None if row is None else row.weaker),
        Cell(text=r.limiting_channel or MISSING, title=r.reasons.get("limiting_channel", "")),
        cell(r.cost_share, why=r.reasons.get("stride", ""), digits=2),
        outcome_cell(r.outcome),
    )


def _score(r: "Advice") -> Cell:
    if r.score is None:
        return Cell(text=MISSING, title=r.reasons.get("stride", ""))
    more = "" if r.interval is None else f"{fixed(r.interval[0], 3)} to {fixed(r.interval[1], 3)}"
    return Cell(text=f"{r.metric} {fixed(r.score, 3)}", more=more)


def _kept_cell(kept: "Kept | None") -> Cell:
    if kept is None or kept.retention is None:
        return Cell(text=MISSING, title="not measured")
    if kept.retention_low is None or kept.retention_high is None:
        return Cell(text=fixed(kept.retention, 3))
    more = f"{fixed(kept.retention_low, 3)} to {fixed(kept.retention_high, 3)}"
    return Cell(text=fixed(kept.retention, 3), more=more)


def _sweep_table(r: "Advice") -> Table:
    return Table(
        caption=f"Every window and stride of {r.name}: shares of the skill at stride 1",
        header=("Window, samples", "Stride", "Rate", r.metric or "Score", "Thinned", "Filtered"),
        rows=tuple(
            (
                Cell(text="whole" if row.window is None else f"{row.window:,}"),
                Cell(text=str(row.stride)),
                Cell(text=pace(r, row.stride)),
                cell(None if row.thinned is None else row.thinned.score, why=row.reason),
                _kept_cell(row.thinned),
                _kept_cell(row.filtered),
            )
            for row in r.sweep
        ),
        folded=True,
    )


def _retention_table(r: "LabelRetention") -> Table:
    ways = "filtered" if r.decimator == "fir" else "thinned without a filter"
    return Table(
        caption=(
            f"{r.name}, {ways}: {r.metric} of held-out cases (trivial: {fixed(r.trivial_score, 3)})"
        ),
        header=("Stride", r.metric, "Kept skill", "Samples a case"),
        rows=tuple(
            (
                Cell(text=str(row.stride)),
                Cell(text=MISSING, title=row.reason)
                if row.score is None
                else Cell(
                    text=fixed(row.score, 3),
                    more=""
                    if row.low is None or row.high is None
                    else f"{fixed(row.low, 3)} to {fixed(row.high, 3)}",
                ),
                _kept_cell(row if row.retention is not None else None),  # type: ignore[arg-type]
                Cell(text=f"{row.n_samples:,}"),
            )
            for row in r.profile
        ),
    )
