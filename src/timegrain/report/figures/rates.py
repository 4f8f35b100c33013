"""Score of trained networks at other sampling rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel, text_width
from timegrain.report.figures.labels import EndLabel
from timegrain.report.figures.scales import octaves, trivial_line
from timegrain.report.figures.sheet import PanelWords, sheet
from timegrain.report.figures.style import (
    INK,
    PAPER,
    ModelStyle,
    display,
    model_colours,
    model_styles,
    short,
    styled,
)
from timegrain.report.figures.telling import TOLD, TRIVIAL_ENTRY, UNTOLD, told_entry
from timegrain.report.figures.words import Words, metric_name, minus, ordinal, unique
from timegrain.training.units import tested_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.training.rate_transfer import TransferCurve


_TELLINGS = {True: "told", False: "not told"}
_TOGETHER = 3  # networks in one panel; more have one each
_DODGE = 0.03  # octaves between curves side by side in a panel


@dataclass(frozen=True, kw_only=True)
class RatePoint:
    """The score of one kind of network at one stride.

    Args:
        stride: Every so many-th sample is given.
        scores: One a seed.
        low: Least lower end of the seeds' intervals, where there are any.
        high: Largest upper end.
    """

    stride: int
    scores: tuple[float, ...]
    low: float | None
    high: float | None

    @property
    def mean(self) -> float:
        """Mean over the seeds."""
        return fmean(self.scores)


def transfer(
    results: "Sequence[TransferCurve]", *, width: float = WIDE, title: bool = True
) -> "Figure":
    """Draw the score at each stride, told the step and not told, one panel a task.

    Where a task has more than three kinds of network, each has a panel, the best first.

    Args:
        results: One a trained network, at least one.
        width: Of the figure, in points.
        title: Whether to write the title above the panels.
    """
    with styled():
        heading = transfer_words(results).title if title else None
        groups = panels_of(results)
        if any(len({c.layer for c in curves}) > _TOGETHER for _, curves in groups):
            return _one_each(results, width=width, heading=heading)
        styles = model_styles(r.layer for r in results)
        texts = [telling_label(r.layer, False) for r in results]
        made = sheet(
            [PanelWords(title=name, **axis_names(curves)) for name, curves in groups],
            Panel(height=190.0, right=text_width(texts) + 14.0),
            width=width,
            key=[
                told_entry(telling_label(layer, told), style, told=told)
                for layer, style in styles.items()
                for told in (True, False)
            ]
            + [TRIVIAL_ENTRY],
            title=heading,
        )
        for axes, (_, curves) in zip(made.panels, groups, strict=True):
            same = [r for r in results if r.metric == curves[0].metric]
            made.label(axes, draw_rates(axes, curves, limits=score_limits(same), small=made.small))
        return made.figure


def axis_names(curves: "Sequence[TransferCurve]") -> dict[str, str]:
    """Return what runs along, `x`, and up, `y`, where networks of one metric are drawn."""
    return {
        "x": "tau = stride (1 is the trained rate)",
        "y": f"test {metric_name(curves[0].metric)} (1 is perfect)",
    }


def _one_each(results: "Sequence[TransferCurve]", *, width: float, heading: str | None) -> "Figure":
    """Draw one panel for each kind of network and task."""
    panels = [
        (f"{short(display(layer), 16)} on {name}", [c for c in curves if c.layer == layer])
        for name, curves in panels_of(results)
        for layer in best_first(curves)
    ]
    styles = model_styles(r.layer for r in results)
    plain = ModelStyle(colour=INK, line="-", mark="o")
    made = sheet(
        [
            PanelWords(title=name, colour=styles[curves[0].layer].colour, **axis_names(curves))
            for name, curves in panels
        ],
        Panel(height=105.0, right=text_width(["not told"]) + 14.0),
        width=width,
        key=[
            *(told_entry(_TELLINGS[told], plain, told=told) for told in (True, False)),
            TRIVIAL_ENTRY,
        ],
        title=heading,
    )
    for axes, (_, curves) in zip(made.panels, panels, strict=True):
        same = [r for r in results if r.metric == curves[0].metric]
        limits = score_limits(same)
        labels = draw_rates(axes, curves, limits=limits, alone=True, small=made.small)
        made.label(axes, labels)
    return made.figure


def best_first(curves: "Sequence[TransferCurve]") -> list[str]:
    """Return the layers by mean score at their coarsest stride, told it where they can be.

    Args:
        curves: Networks trained on one task.
    """

    def rank(layer: str) -> tuple[int, float, float, str]:
        points = rate_points(curves, layer, told=True) or rate_points(curves, layer, told=False)
        return -points[-1].stride, -points[-1].mean, -points[0].mean, layer

    return sorted({c.layer for c in curves}, key=rank)


def telling_label(layer: str, told: bool) -> str:
    """Return the label of a curve: `S4D not told`."""
    return f"{short(display(layer), 11)} {_TELLINGS[told]}"


def score_limits(curves: "Sequence[TransferCurve]") -> tuple[float, float]:
    """Return limits of an upright axis that hold every score with its interval, and 0."""
    ends = [v for c in curves for row in c.scores for v in (row.low, row.high, row.score)]
    values = [0.0, *(c.trivial_score for c in curves), *(v for v in ends if v is not None)]
    return min(values) - 0.02, max(values) + 0.06


def panels_of(
    results: "Sequence[TransferCurve]",
) -> "list[tuple[str, list[TransferCurve]]]":
    """Return the curves by task, and by training plan where a task has several."""
    groups = []
    for task in unique([r.task for r in results]):
        of_task = [r for r in results if r.task == task]
        plans = list(dict.fromkeys(r.plan for r in of_task))
        for plan in plans:
            more = _trained(plan, plans) if len(plans) > 1 else ""
            groups.append((short(task, 24) + more, [r for r in of_task if r.plan == plan]))
    return groups


def _trained(plan: str | None, plans: "Sequence[str | None]") -> str:
    if plan is None:
        return " (training unknown)"
    if plan == "full":
        return " (trained in full)"
    several = sum(p not in (None, "full") for p in plans) > 1
    return f" (stages {plan})" if several else " (trained in stages)"


def draw_rates(
    axes: "Axes",
    curves: "Sequence[TransferCurve]",
    *,
    limits: tuple[float, float] | None = None,
    alone: bool = False,
    small: bool = False,
) -> list[EndLabel]:
    """Draw the score of each model against the stride into a panel; return labels of the curves.

    Args:
        axes: The panel.
        curves: Networks trained on one task.
        limits: Of the upright axis, where panels share it.
        alone: The panel is of one kind of network, which its title names.
        small: The panel is small, and a key says what is drawn.
    """
    strides = sorted({row.stride for c in curves for row in c.scores})
    octaves(axes, strides, pad=0.18)
    axes.set_ylim(*(limits or score_limits(curves)))
    trivial_line(axes, curves[0].trivial_score, under=fmean(strides[-2:]), named=not small)
    styles = model_styles(c.layer for c in curves)
    labels = []
    shown = (False, True) if alone else (True, False)  # the told above a ring at the same place
    series = [(layer, told) for layer in styles for told in shown]
    for place, (layer, told) in enumerate(series):
        points = rate_points(curves, layer, told=told)
        if not points:
            continue
        shift = 1.0 if alone else 2 ** (_DODGE * (place - (len(series) - 1) / 2))
        _draw_series(axes, points, styles[layer], told=told, shift=shift, small=small)
        text = _TELLINGS[told] if alone else telling_label(layer, told)
        x, y = points[-1].stride * shift, points[-1].mean
        labels.append(EndLabel(x=x, y=y, text=text, colour=styles[layer].colour))
    return labels


def _draw_series(
    axes: "Axes",
    points: Sequence[RatePoint],
    style: ModelStyle,
    *,
    told: bool,
    shift: float,
    small: bool,
) -> None:
    colour = style.colour
    xs = [p.stride * shift for p in points]
    for x, point in zip(xs, points, strict=True):
        if point.low is not None and point.high is not None:
            axes.plot([x, x], [point.low, point.high], color=colour, linewidth=1.0, alpha=0.55)
        axes.plot(
            [x] * len(point.scores),
            point.scores,
            linestyle="none",
            marker="_",
            markersize=5,
            color=colour,
        )
    axes.plot(
        xs,
        [p.mean for p in points],
        color=colour,
        linestyle=style.line,
        linewidth=TOLD if told else UNTOLD,
        marker=style.mark,
        markersize=(5.5 if told else 7.0)
        * (0.7 if small else 1.0),  # a ring shows around a dot at the same place
        markerfacecolor=colour if told else PAPER,
        markeredgecolor=colour,
        zorder=3,
    )


def rate_points(curves: "Sequence[TransferCurve]", layer: str, *, told: bool) -> list[RatePoint]:
    """Return the scores of a layer's networks at each stride, all seeds together.

    Args:
        curves: Networks trained on one task.
        layer: Name of the layer.
        told: Whether the networks were told their step.
    """
    rows = [row for c in curves if c.layer == layer for row in c.scores if row.told == told]
    points = []
    for stride in sorted({row.stride for row in rows}):
        here = [row for row in rows if row.stride == stride]
        low = [row.low for row in here if row.low is not None]
        high = [row.high for row in here if row.high is not None]
        points.append(
            RatePoint(
                stride=stride,
                scores=tuple(row.score for row in here),
                low=min(low, default=None),
                high=max(high, default=None),
            )
        )
    return points


def _tested(results: "Sequence[TransferCurve]") -> str:
    """Return on how much was scored."""
    texts = {
        name: unique([tested_text(c.n_test, c.over) for c in curves])
        for name, curves in panels_of(results)
    }
    said = unique([text for found in texts.values() for text in found])
    if len(said) == 1:
        return f"scored: {said[0]}"
    return "scored: " + "; ".join(f"{name}, {', '.join(found)}" for name, found in texts.items())


def transfer_words(results: "Sequence[TransferCurve]") -> Words:
    """Return the title, the caption and the description of `transfer`."""
    name, curves = panels_of(results)[0]
    clauses, stride = [], max(row.stride for c in curves for row in c.scores)
    several = len({c.layer for c in curves}) > _TOGETHER
    for layer in best_first(curves) if several else model_colours(c.layer for c in curves):
        points = rate_points(curves, layer, told=True) or rate_points(curves, layer, told=False)
        first, last = points[0], points[-1]
        if last.stride == stride and first.stride == 1:
            told = "" if rate_points(curves, layer, told=True) else ", not told"
            scores = minus(f"{first.mean:.2f} → {last.mean:.2f}")
            clauses.append(f"{display(layer)} {scores}{told}")
    if len(clauses) > _TOGETHER:
        trivial = minus(f"{curves[0].trivial_score:.2f}")
        clauses = [f"best of {len(clauses)} is {clauses[0]}; the trivial answer has {trivial}"]
    at = f"{name}, every {ordinal(stride)} sample in place of all: " if clauses else f"{name}: "
    spoken = "; ".join(
        f"{panel}, {display(layer)} {'told' if told else 'not told'}: "
        + ", ".join(f"{p.mean:.2f} at tau {p.stride}" for p in points)
        for panel, group in panels_of(results)
        for layer in model_colours(c.layer for c in group)
        for told in (True, False)
        if (points := rate_points(group, layer, told=told))
    )
    seeds = any(
        sum(c.layer == layer for c in group) > 1
        for _, group in panels_of(results)
        for layer in model_colours(c.layer for c in group)
    )
    marks = (
        "Points are means over seeds, short bars the seeds, whiskers the widest 95 % interval"
        if seeds
        else "Whiskers are the 95 % intervals"
    )
    order = (
        " The networks are in the order of their scores at the coarsest rate." if several else ""
    )
    caption = (
        "Trained networks are given every k-th sample: told the new step (filled marks), or not, "
        "as when a device changes and nobody says so (thin, hollow marks). "
        f"{marks} over test sequences or the groups that they belong to; {_tested(results)}.{order}"
    )
    return Words(
        title=at + (", ".join(clauses) or "scores at other rates"),
        caption=caption,
        description=f"Score against stride. {spoken}.",
    )
