"""Score over training time, full resolution against stages."""

from collections.abc import Sequence
from statistics import fmean, median
from typing import TYPE_CHECKING

import numpy as np

from timegrain.report.figures.frame import WIDE, Panel
from timegrain.report.figures.labels import EndLabel
from timegrain.report.figures.scales import trivial_line
from timegrain.report.figures.sheet import KeyEntry, PanelWords, Sheet, sheet
from timegrain.report.figures.style import (
    MUTED,
    PAPER,
    LineStyle,
    ModelStyle,
    display,
    model_styles,
    short,
    styled,
)
from timegrain.report.figures.telling import TRIVIAL_ENTRY
from timegrain.report.figures.words import Words, metric_name, minus
from timegrain.training.remarks import tuned
from timegrain.training.saving import savings, seconds_text, verdict_counts
from timegrain.training.units import tested_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.training.run import TrainingRun

Group = tuple[str, str]
_FULL: LineStyle = (0, (1, 1))


def pace(results: "Sequence[TrainingRun]", *, width: float = WIDE, title: bool = True) -> "Figure":
    """Draw the test score over training seconds, one panel for each model and task.

    Thin lines are seeds, thick ones their medians; where there is staged training it is in the
    colour and line of the model, with its marker at the end, and full resolution grey and dotted.

    Args:
        results: One a training, at least one.
        width: Of the figure, in points.
        title: Whether to write the title above the panels.
    """
    with styled():
        groups, staged = groups_of(results), is_staged(results)
        styles = model_styles(r.layer for r in results)
        made = sheet(
            [
                PanelWords(
                    title=f"{short(display(layer), 16)} on {short(task, 22)}",
                    x="training time, seconds",
                    y=f"test {metric_name(runs[0].metric)} (1 is perfect)",
                    colour=styles[layer].colour,
                )
                for (task, layer), runs in groups.items()
            ],
            Panel(height=165.0, right=52.0),
            width=width,
            key=_key(results),
            title=pace_words(results).title if title else None,
        )
        for axes, ((_, layer), runs) in zip(made.panels, groups.items(), strict=True):
            same = [r for r in results if r.metric == runs[0].metric]
            axes.set_ylim(*_score_limits(same))
            own = styles[layer]
            full = ModelStyle(colour=MUTED, line=_FULL, mark="o") if staged else own
            _draw(axes, runs, own, full, made)
        return made.figure


def _key(results: "Sequence[TrainingRun]") -> list[KeyEntry]:
    seeds = [KeyEntry(text="median", weight=2.2), KeyEntry(text="one seed", weight=0.8)]
    if not is_staged(results):
        return [*seeds, TRIVIAL_ENTRY]
    full = KeyEntry(text="full resolution", colour=MUTED, line=_FULL, weight=2.2)
    return [
        KeyEntry(text="stages", weight=2.2),
        *([full] if _has_full(results) else []),
        KeyEntry(text="stage ends", line="", mark="o", face=PAPER),
        TRIVIAL_ENTRY,
    ]


def _has_full(results: "Sequence[TrainingRun]") -> bool:
    return any(r.plan == "full" for r in results)


def groups_of(results: "Sequence[TrainingRun]") -> "dict[Group, list[TrainingRun]]":
    """Return the trainings by task and layer, in the order in which they first came."""
    groups: dict[Group, list[TrainingRun]] = {}
    for run in results:
        groups.setdefault((run.task, run.layer), []).append(run)
    return groups


def plans_of(runs: "Sequence[TrainingRun]") -> "dict[str, list[TrainingRun]]":
    """Return the trainings by plan, full resolution first."""
    plans = sorted({r.plan for r in runs}, key=lambda p: (p != "full", p))
    return {plan: [r for r in runs if r.plan == plan] for plan in plans}


def is_staged(results: "Sequence[TrainingRun]") -> bool:
    """Return whether any of the trainings has stages of several strides."""
    return any(r.plan != "full" for r in results)


def _score_limits(runs: "Sequence[TrainingRun]") -> tuple[float, float]:
    scores = [row.score for r in runs for row in r.history]
    values = [0.0, *(r.trivial_score for r in runs), *scores]
    return min(values) - 0.02, max(values) + 0.06


def _draw(
    axes: "Axes",
    runs: "Sequence[TrainingRun]",
    own: ModelStyle,
    full: ModelStyle,
    made: Sheet,
) -> None:
    axes.set_xlim(0, max([1e-9, *(row.seconds for r in runs for row in r.history)]) * 1.02)
    trivial_line(axes, runs[0].trivial_score, right=True, named=not made.small)
    plans, labels = plans_of(runs), []
    for plan, of_plan in plans.items():
        style = full if plan == "full" else own
        shade = style.colour
        seconds, middle = median_curve(of_plan)
        for run in of_plan:
            points = [(row.seconds, row.score) for row in run.history]
            axes.plot(*zip(*points, strict=True), color=shade, linewidth=0.8, alpha=0.6)
        if len(seconds):
            axes.plot(seconds, middle, color=shade, linestyle=style.line, linewidth=2.2, zorder=3)
            axes.plot(seconds[-1:], middle[-1:], color=shade, marker=style.mark, zorder=4)
            _stage_ends(axes, of_plan[0], seconds, middle, shade)
            text = "full" if plan == "full" else "stages" if len(plans) <= 2 else short(plan, 9)
            labels.append(EndLabel(x=seconds[-1], y=middle[-1], text=text, colour=shade))
    made.label(axes, labels)


def _stage_ends(
    axes: "Axes", run: "TrainingRun", seconds: np.ndarray, middle: np.ndarray, colour: str
) -> None:
    """Ring the median where a stage ends, with the stride of that stage above."""
    epochs = np.cumsum([stage.epochs for stage in run.stages])[:-1]
    for stage, last in zip(run.stages, epochs, strict=False):
        at = [row.seconds for row in run.history if row.epoch <= last][-1:]
        if not at:
            continue
        y = float(np.interp(at[0], seconds, middle))
        axes.plot(
            at,
            [y],
            marker="o",
            markersize=5,
            markerfacecolor=PAPER,
            markeredgecolor=colour,
            linestyle="none",
            zorder=4,
        )
        axes.annotate(
            f"÷{stage.stride}",
            xy=(at[0], y),
            xytext=(3, -6),
            textcoords="offset points",
            ha="left",
            va="top",
            fontsize=8,
            color=colour,
        )


def median_curve(runs: "Sequence[TrainingRun]") -> tuple[np.ndarray, np.ndarray]:
    """Return times, and the median over the runs of their scores drawn straight between epochs.

    Only times at which every run has begun and none has ended are used.

    Args:
        runs: Trainings of one plan.

    Returns:
        Seconds, shape `(time,)`, and scores, shape `(time,)`; empty when there is no such time.
    """
    curves = [np.array([(row.seconds, row.score) for row in r.history]) for r in runs if r.history]
    if not curves:
        return np.empty(0), np.empty(0)
    first, last = max(c[0, 0] for c in curves), min(c[-1, 0] for c in curves)
    times = np.unique(np.concatenate([c[:, 0] for c in curves]))
    times = times[(times >= first) & (times <= last)]
    scores = [np.interp(times, c[:, 0], c[:, 1]) for c in curves]
    return times, np.median(scores, axis=0) if len(times) else np.empty(0)


def equal_time(runs: "Sequence[TrainingRun]") -> tuple[float, float, float] | None:
    """Return the mean training time and scores of stages and full resolution after equal time.

    Each seed's trainings are compared when the first of them ended.

    Args:
        runs: Trainings of one model on one task.

    Returns:
        `(seconds, staged, full)`, or None where no seed has both.
    """
    full = {r.seed: r for r in runs if r.plan == "full"}
    rows = []
    for staged in (r for r in runs if r.plan != "full" and r.seed in full):
        seconds = min(staged.seconds, full[staged.seed].seconds)
        scores = staged.score_at(seconds), full[staged.seed].score_at(seconds)
        if scores[0] is not None and scores[1] is not None:
            rows.append((seconds, scores[0], scores[1]))
    if not rows:
        return None
    return fmean(r[0] for r in rows), fmean(r[1] for r in rows), fmean(r[2] for r in rows)


def _verdicts(results: "Sequence[TrainingRun]") -> str:
    """Return how many comparisons have which verdict, as the table beside the figure has it."""
    found = savings(results)
    n = len(found)
    return f"Stages beside full resolution, {n} comparisons: {verdict_counts(found)}"


def _end_text(runs: "Sequence[TrainingRun]") -> str:
    score, seconds = median(r.score for r in runs), median(r.seconds for r in runs)
    return f"{minus(f'{score:.2f}')} after {seconds_text(seconds)}"


def _scored(results: "Sequence[TrainingRun]") -> str:
    """Return what the scores are of, and where their intervals are."""
    on = "all samples of the rate trained at" if any(map(tuned, results)) else "all samples"
    tested = list(dict.fromkeys(tested_text(r.n_test, r.over) for r in results))
    n = tested[0] if len(tested) == 1 else "the test parts"
    text = f"Every score is on {on}, {n}; no interval is drawn"
    first = results[0]
    if len(results) == 1 and first.low is not None and first.high is not None:
        ends = minus(f"{first.low:.2f} to {first.high:.2f}")
        return f"{text}: that of the last score, 95 %, is {ends}."
    return f"{text}" + (": the table of scores has them." if len(results) > 1 else ".")


def pace_words(results: "Sequence[TrainingRun]") -> Words:
    """Return the title, the caption and the description of `pace`."""
    groups = groups_of(results)
    compared = [runs for runs in groups.values() if equal_time(runs) is not None]
    if not compared:
        (task, layer), runs = next(iter(groups.items()))
        score, seconds = median(r.score for r in runs), median(r.seconds for r in runs)
        took = seconds_text(seconds)
        at = minus(f"{score:.2f}")
        how = f", {text}," if (text := tuned(runs[0])) else ""
        title = f"{display(layer)} on {task}{how} scores {at} after {took} of training"
    elif len(compared) == 1:
        # the scores of the table and of the saving, each with its own time
        ends = ((r for r in compared[0] if (r.plan == "full") == whole) for whole in (False, True))
        staged_text, full_text = map(_end_text, map(list, ends))
        title = f"Stages end at {staged_text}, full resolution at {full_text}"
        found = savings(compared[0])
        title += f": {found[0].verdict}" if len(found) == 1 else ""
        title = f"{text.capitalize()}: {title}" if (text := tuned(compared[0][0])) else title
    else:
        title = _verdicts(results)
    spoken = "; ".join(
        f"{display(layer)} on {task}, {plan}: {median(r.score for r in runs):.2f} after "
        f"{median(r.seconds for r in runs):.0f} s"
        for (task, layer), group in groups.items()
        for plan, runs in plans_of(group).items()
    )
    caption = f"Thin lines are seeds, thick ones their medians. {_scored(results)}"
    if is_staged(results):
        caption = (
            "Staged training begins on few samples of each sequence, where an epoch is cheap; a "
            "ring with ÷k ends the stage on every k-th sample."
            + " Full resolution is grey and dotted." * _has_full(results)
            + f" {caption}"
        )
    return Words(title=title, caption=caption, description=f"Score over seconds. {spoken}.")
