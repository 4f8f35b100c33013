"""The few numbers at the top of the page."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from timegrain.core.outcome import Outcome
from timegrain.report.figures.discontinuity import horizon_text, worst_name
from timegrain.report.figures.ladder import OUTPUT, model_label
from timegrain.report.figures.rates import best_first, panels_of, rate_points
from timegrain.report.figures.style import display
from timegrain.report.page.numbers import fixed, significant
from timegrain.training.saving import QUESTION, savings, verdict_counts

if TYPE_CHECKING:
    from timegrain.continuity.model.result import ModelContinuity
    from timegrain.continuity.task.result import TaskContinuity
    from timegrain.training.rate_transfer import TransferCurve
    from timegrain.training.run import TrainingRun


@dataclass(frozen=True, kw_only=True)
class Highlight:
    """One number and what it is.

    Args:
        value: The number as printed.
        label: What it is.
        detail: What it stands beside.
    """

    value: str
    label: str
    detail: str


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def dataset_highlights(
    results: "Sequence[TaskContinuity]", *, tasks: Sequence[str]
) -> list[Highlight]:
    """Return the longest horizon and the shortest beside it.

    Args:
        results: One a dataset.
        tasks: Names of the datasets of which the page has a labelled task.
    """
    if not results:
        return []
    best = max(results, key=lambda r: (r.horizon, r.continuity or 0.0))
    worst = min(results, key=lambda r: (r.horizon, r.continuity or 0.0))
    detail = "samples" + (f", set by {worst_name(best)}" if len(best.channels) > 1 else "")
    if worst.horizon < best.horizon:
        detail += f"; the shortest is {horizon_text(worst)} ({worst.name})"
    elif best.name in tasks:
        detail += "; the label may need more of them"
    kind = "Longest horizon" if len(results) > 1 else "Horizon"
    return [Highlight(value=horizon_text(best), label=f"{kind} ({best.name})", detail=detail)]


def transfer_highlights(results: "Sequence[TransferCurve]") -> list[Highlight]:
    """Return what the best networks of the first task keep at the coarsest stride, told it."""
    if not results:
        return []
    name, curves = panels_of(results)[0]
    highlights = []
    trivial = f"; the trivial answer has {fixed(curves[0].trivial_score)}"
    ranked = best_first(curves)
    for layer in ranked[:3]:
        told = rate_points(curves, layer, told=True)
        points = told or rate_points(curves, layer, told=False)
        first, last = points[0], points[-1]
        if first.stride == last.stride:
            continue
        highlights.append(
            Highlight(
                value=f"{fixed(first.mean)} → {fixed(last.mean)}",
                label=f"{display(layer)} on {name}, stride {first.stride} → {last.stride}",
                detail=f"mean score over {_count(len(last.scores), 'seed')}, "
                + ("told the step" if told else "not told the step")
                + trivial
                + (f"; the best 3 of {len(ranked)} are shown" if len(ranked) > 3 else ""),
            )
        )
    return highlights


def pace_highlights(results: "Sequence[TrainingRun]") -> list[Highlight]:
    """Return what stages end with less what full resolution does, where that surely learned."""
    compared = [s for s in savings([r for r in results if r.history]) if s.learned]
    if not compared:
        return []
    gain = fmean(s.difference.value for s in compared)
    detail = (
        f"mean difference in final score over {_count(len(compared), 'comparison')}. "
        f"{QUESTION} {verdict_counts(compared)}"
    )
    if len(compared) == 1:
        (one,) = compared
        ends = one.difference
        interval = "no interval"
        if ends.low is not None and ends.high is not None:
            interval = f"95 % interval {fixed(ends.low)} to {fixed(ends.high)}"
        detail = f"final scores, {interval}. {QUESTION} {one.verdict}: {one.why}"
    return [
        Highlight(
            value=("+" if gain >= 0.005 else "") + fixed(gain),
            label="Stages minus full resolution",
            detail=detail,
        )
    ]


def model_highlights(results: "Sequence[ModelContinuity]") -> list[Highlight]:
    """Return how each model ended, and how its error grows from the smallest amplitude on."""
    highlights = []
    for r in results[:2]:
        highlights.append(_ending(r))
        errors = {
            e.amplitude: e.error
            for e in r.errors
            if e.layer == OUTPUT and e.tau == r.working_tau and e.error
        }
        if len(errors) < 2:
            continue
        low, high = min(errors), max(errors)
        highlights.append(
            Highlight(
                value=f"× {significant(errors[high] / errors[low], 2)}",
                label=f"{model_label(r)}: error at amplitude {high:g} over that at {low:g}",
                detail=f"relative to the output, at {r.at_work}; 1 is no dependence",
            )
        )
    return highlights


def _ending(r: "ModelContinuity") -> Highlight:
    detail = r.message
    if r.outcome is Outcome.CONVERGES and r.memory_seen and r.order is not None:
        detail = f"at order {fixed(r.order)}, and its memory does not shrink"
    return Highlight(
        value=r.outcome.name.lower().replace("_", " "),
        label=f"{model_label(r)} on ever finer grids",
        detail=detail,
    )
