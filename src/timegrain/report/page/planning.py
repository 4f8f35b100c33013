"""The section on whether to train on every k-th sample first."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.kept import KeptCurve, kept_words, retention_curves
from timegrain.report.page.numbers import MISSING, Cell, fixed
from timegrain.report.page.parts import Plate, Section, Table, attributed, named
from timegrain.training.plan.summary import headline, whole_share

if TYPE_CHECKING:
    from timegrain.continuity.retention.result import RetentionRow
    from timegrain.training.plan.advice import PlanAdvice


def plan_section(results: "Sequence[PlanAdvice]") -> Section:
    """Return the section with each plan, what it rests on and what speaks against it."""
    return Section(
        key="plan",
        heading="May training begin on fewer samples?",
        lead=" ".join(f"{r.name}: {headline(r)}." for r in results),
        plates=_plates(results),
        tables=(_plans(results), *(_rows(r) for r in results)),
        notes=attributed(
            pair
            for r in results
            for pair in named(
                r.name,
                [*r.sentences, *(f"against the plan: {text}" for text in r.warnings), *r.notes],
            )
        ),
    )


def _plates(results: "Sequence[PlanAdvice]") -> tuple[Plate, ...]:
    curves = [
        KeptCurve(
            panel=r.name, label="thinned", points=points, filtered=False, chosen=max(r.plan.strides)
        )
        for r in results
        if (points := _points(r))
    ]
    if not curves:
        return ()
    limit = results[0].limit
    words = kept_words(curves, ", ".join(sorted({r.metric for r in results})), limit)
    return (
        Plate(
            draw=lambda width: retention_curves(
                curves, words, limit=limit, width=width, title=False
            ),
            words=words,
        ),
    )


def _points(r: "PlanAdvice") -> tuple[tuple[int, float, float | None, float | None], ...]:
    return tuple(
        (row.stride, row.retention, row.retention_low, row.retention_high)
        for row in r.retention
        if row.retention is not None
    )


def _plans(results: "Sequence[PlanAdvice]") -> Table:
    return Table(
        caption=(
            "The stages in order. The share of samples counts those of an average epoch over those "
            "of one at full resolution: by the plan's shares, below it in whole epochs where that "
            "is another. It is no share of time, which is in the record of the training."
        ),
        header=(
            "Dataset",
            "Stages: share of the epochs",
            "Share of samples",
            "Horizon",
            "Left out by",
            "Cases",
        ),
        rows=tuple(_plan_row(r) for r in results),
    )


def _plan_row(r: "PlanAdvice") -> tuple[Cell, ...]:
    pairs = zip(r.plan.strides, r.plan.epoch_shares, strict=True)
    stages = ", ".join(f"stride {k}: {100 * share:.0f} %" for k, share in pairs)
    return (
        Cell(text=r.name),
        Cell(text=stages if r.subsample else "all samples throughout"),
        Cell(text=fixed(r.cost_share, 2), more=_whole(r)),
        Cell(text=f"{'at least ' if r.horizon_open else ''}{r.horizon}"),
        Cell(text=r.decimator if r.subsample else MISSING, title="nothing is left out"),
        Cell(text=f"{r.n_cases:,}", title="of the training part" * (r.cases == "train")),
    )


def _whole(r: "PlanAdvice") -> str:
    """Return the share in whole epochs, where it is another."""
    found = whole_share(r)
    if found is None or fixed(found, 2) == fixed(r.cost_share, 2):
        return ""
    return f"{fixed(found, 2)} in {r.provenance.parameters['epochs']} epochs"


def _rows(r: "PlanAdvice") -> Table:
    return Table(
        caption=(
            f"{r.name}: {r.metric} of the probe on held-out cases (trivial: "
            f"{fixed(r.trivial_score, 3)}) and what is kept of its skill"
        ),
        header=("Stride", r.metric, "Kept skill", "In the plan"),
        rows=tuple(_row(r, row) for row in r.retention),
        folded=True,
    )


def _row(r: "PlanAdvice", row: "RetentionRow") -> tuple[Cell, ...]:
    score = Cell(text=MISSING, title=row.reason or "not measured")
    kept = score
    if row.score is not None:
        score = Cell(text=fixed(row.score, 3))
    if row.retention is not None:
        ends = row.retention_low is not None and row.retention_high is not None
        low, high = row.retention_low or 0.0, row.retention_high or 0.0
        more = f"{fixed(low, 3)} to {fixed(high, 3)}" if ends else ""
        kept = Cell(text=fixed(row.retention, 3), more=more)
    return (
        Cell(text=str(row.stride)),
        score,
        kept,
        Cell(text="yes" if row.stride in r.plan.strides else "no"),
    )
