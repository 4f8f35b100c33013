"""Score of trained networks at other sampling rates."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel, frame, name_axes, text_width
from timegrain.report.figures.labels import EndLabel, label_ends
from timegrain.report.figures.scales import octaves, trivial_line
from timegrain.report.figures.style import INK, PAPER, display, model_colours, short, styled
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
        texts = [telling_label(r.layer, False) for r in results]
        panel = Panel(height=190.0, right=text_width(texts) + 14.0)
        figure, axes = frame(len(groups), panel, width=width, title=heading)
        for place, (name, curves) in zip(axes, groups, strict=True):
            same = [r for r in results if r.metric == curves[0].metric]
            draw_rates(place, curves, panel=name, limits=score_limits(same))
        return figure


def _one_each(results: "Sequence[TransferCurve]", *, width: float, heading: str | None) -> "Figure":
    """Draw one panel for each kind of network and task."""
    panels = [
        (f"{short(display(layer), 16)} on {name}", [c for c in curves if c.layer == layer])
        for name, curves in panels_of(results)
        for layer in best_first(curves)
    ]
    panel = Panel(height=105.0, right=text_width(["not told"]) + 14.0)
    figure, axes = frame(len(panels), panel, width=width, title=heading)
    for place, (name, curves) in zip(axes, panels, strict=True):
        same = [r for r in results if r.metric == curves[0].metric]
        draw_rates(place, curves, panel=name, limits=score_limits(same), alone=True)
    return figure


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
    panel: str | None = None,
    tellings: Sequence[bool] = (True, False),
    limits: tuple[float, float] | None = None,
    alone: bool = False,
) -> None:
    """Draw the score of each model against the stride into a panel.

    Args:
        axes: The panel.
        curves: Networks trained on one task.
        panel: Title of the panel.
        tellings: Which to draw: told the step, not told, or both.
        limits: Of the upright axis, where panels share it.
        alone: The panel is of one kind of network, which its title names.
    """
    strides = sorted({row.stride for c in curves for row in c.scores})
    octaves(axes, strides, pad=0.18)
    axes.set_ylim(*(limits or score_limits(curves)))
    trivial_line(axes, curves[0].trivial_score, under=fmean(strides[-2:]))
    colours = model_colours(c.layer for c in curves)
    labels = []
    shown = sorted(tellings) if alone else tellings  # the told above a ring at the same place
    series = [(layer, told) for layer in colours for told in shown]
    for place, (layer, told) in enumerate(series):
        points = rate_points(curves, layer, told=told)
        if not points:
            continue
        shift = 1.0 if alone else 2 ** (_DODGE * (place - (len(series) - 1) / 2))
        _draw_series(axes, points, colours[layer], told=told, shift=shift)
        text = _TELLINGS[told] if alone else telling_label(layer, told)
        x, y = points[-1].stride * shift, points[-1].mean
        labels.append(EndLabel(x=x, y=y, text=text, colour=colours[layer]))
    name_axes(
        axes,
        x="tau = stride (1 is the trained rate)",
        y=f"test {metric_name(curves[0].metric)} (1 is perfect)",
        panel=panel,
        panel_colour=colours[curves[0].layer] if alone else INK,
    )
    label_ends(axes, labels)


def _draw_series(
    axes: "Axes", points: Sequence[RatePoint], colour: str, *, told: bool, shift: float
) -> None:
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
        linestyle="-" if told else (0, (3, 2)),
        marker="o",
        markersize=5.5 if told else 7.0,  # a ring shows around a dot at the same place
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
        "Trained networks are given every k-th sample: told the new step (solid), or not, as when "
        f"a device changes and nobody says so (dashed). {marks} over test sequences or the groups "
        f"that they belong to; {_tested(results)}.{order}"
    )
    return Words(
        title=at + (", ".join(clauses) or "scores at other rates"),
        caption=caption,
        description=f"Score against stride. {spoken}.",
    )
