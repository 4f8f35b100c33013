"""The section on a stored network at slower rates, and the cheapest that is good enough."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.core.table import number
from timegrain.report.figures.style import display
from timegrain.report.figures.words import metric_name, minus
from timegrain.report.page.numbers import MISSING, Cell, fixed
from timegrain.report.page.parts import Section, Table, attributed, named
from timegrain.report.page.training import transfer_plate
from timegrain.training.deployment.summary import WAYS, headline, rate_text, signed

if TYPE_CHECKING:
    from timegrain.training.deployment.result import RateScore, RateTransfer
    from timegrain.training.rate_transfer import TransferCurve


def deployment_section(results: "Sequence[RateTransfer]") -> Section:
    """Return the section with each network's cheapest rate and all that was scored."""
    curves = [c for c in map(_thinned, results) if any(row.stride > 1 for row in c.scores)]
    return Section(
        key="deployment",
        heading="How slow may the samples be?",
        lead=" ".join(f"{_name(r)}, cheapest rate: {headline(r)}." for r in results),
        plates=(transfer_plate(curves),) if curves else (),
        tables=tuple(_table(r) for r in results),
        notes=attributed(pair for r in results for pair in named(_name(r), r.notes)),
    )


def _name(r: "RateTransfer") -> str:
    """Return what was scored: two trainings of one network have each a name of their own."""
    return f"{display(r.layer)} on {r.task}{r.name.removeprefix(f'{r.layer} on {r.task}')}"


def _thinned(r: "RateTransfer") -> "TransferCurve":
    """Return the rows of samples dropped as they are, as the figure draws them."""
    from timegrain.training.rate_transfer import TransferCurve, TransferRow

    tellings = (True, False) if r.takes_tau else (False,)
    rows = [
        TransferRow(
            stride=round(row.stride),
            tau_told=row.tau_told,
            told=told,
            score=row.score,
            low=row.low,
            high=row.high,
        )
        for row in r.scores
        for told in tellings
        if row.decimator == "phase" and row.score is not None and told in _seen(row)
    ]
    plan = r.provenance.parameters.get("plan")
    return TransferCurve(
        name=r.name,
        outcome=r.outcome,
        provenance=r.provenance,
        model=r.model,
        task=r.task,
        seed=None,
        plan=None if plan is None else str(plan),
        takes_tau=r.takes_tau,
        dt_trained=r.dt_trained,
        unit=r.unit,
        metric=r.metric,
        trivial_score=r.trivial_score,
        n_test=r.n_test,
        scores=tuple(rows),
        over=r.over,
    )


def _seen(row: "RateScore") -> tuple[bool, ...]:
    """At the trained rate being told changes nothing."""
    return (True, False) if row.stride == 1 else (row.told,)


def _table(r: "RateTransfer") -> Table:
    return Table(
        caption=(
            f"{_name(r)}: {metric_name(r.metric)} of {r.n_test:,} test cases (trivial: "
            f"{fixed(r.trivial_score, 3)}) and its drop from the trained rate, over the same "
            "cases; below each the 95 % interval over them"
        ),
        header=("Rate", "tau", "Samples", "Told", metric_name(r.metric), "Drop"),
        rows=tuple(_row(r, row) for row in _once(r.scores)),
    )


def _once(rows: "Sequence[RateScore]") -> "list[RateScore]":
    """Return the rows, those that could not be measured without regard to telling."""
    kept: list[RateScore] = []
    for row in rows:
        again = any(
            r.score is None and (r.stride, r.decimator) == (row.stride, row.decimator) for r in kept
        )
        if row.score is not None or not again:
            kept.append(row)
    return kept


def _row(r: "RateTransfer", row: "RateScore") -> tuple[Cell, ...]:
    samples, told = WAYS[row.decimator], "yes" if row.told else "no"
    if row.stride == 1:
        samples, told = "as recorded", MISSING
    if row.score is None:
        told = MISSING
    return (
        Cell(text=rate_text(r, row.stride)),
        Cell(text=number(row.stride)),
        Cell(text=samples),
        Cell(text=told),
        _cell(row.score, row.low, row.high, row.reason, shown=True),
        Cell(text=MISSING, title="the reference")
        if row.stride == 1
        else _cell(row.drop, row.drop_low, row.drop_high, row.reason),
    )


def _cell(
    value: float | None, low: float | None, high: float | None, why: str, *, shown: bool = False
) -> Cell:
    if value is None:
        return Cell(text=MISSING, more=why) if why and shown else Cell(text=MISSING, title=why)
    if low is None or high is None:
        return Cell(text=minus(signed(value)), title=why)
    return Cell(text=minus(signed(value)), more=minus(f"{signed(low)} to {signed(high)}"))
