"""D(k) against the stride, with the horizon of each dataset."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel, frame, name_axes, points_wide, text_width
from timegrain.report.figures.labels import LINE, EndLabel, label_ends
from timegrain.report.figures.scales import decades, octaves, power_of_ten
from timegrain.report.figures.style import INK, MUTED, PAPER, SET_MARKS, SETS, short, styled
from timegrain.report.figures.words import Words, ordinal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.continuity.task.result import TaskContinuity

LABELS = "name · horizon"
FLOOR = 1e-6  # what lies lower is drawn here: a logarithmic axis has no zero


def profiles(
    results: "Sequence[TaskContinuity]", *, width: float = WIDE, title: bool = True
) -> "Figure":
    """Draw D(k) against the stride k for each dataset, both axes logarithmic.

    A ring marks the horizon. One dataset alone is drawn with its channels.

    Args:
        results: One a dataset, at least one.
        width: Of the figure, in points.
        title: Whether to write the title above the panel.
    """
    with styled():
        names = [curve_label(r, 14 if width < WIDE else 20) for r in results]
        alone = len(results) == 1 and len(results[0].channels) > 1
        if alone:
            names = ["mean over channels"]
        texts = [*names, _worst_label(results[0])] if alone else names
        room = text_width([*texts, LABELS]) + 14.0
        panel = Panel(height=max(210.0, LINE * len(results) + 5.0), right=room, top=20.0)
        words = profiles_words(results)
        figure, (axes,) = frame(1, panel, width=width, title=words.title if title else None)
        draw_profiles(axes, results, names)
        return figure


def draw_profiles(axes: "Axes", results: "Sequence[TaskContinuity]", names: Sequence[str]) -> None:
    """Draw the curves, the tolerances and the horizons into a panel.

    Args:
        axes: The panel.
        results: One a dataset.
        names: Their labels.
    """
    drawn = [row for r in results for row in r.profile if row.channel is None or len(results) == 1]
    # the curves set the axis: one interval that reaches 0 would flatten all of them
    values = [max(row.discontinuity, FLOOR) for row in drawn if row.discontinuity is not None]
    decades(axes, 0.6 * min([0.01, *values]), max([2.2, *(1.3 * v for v in values)]))
    octaves(axes, [row.stride for r in results for row in r.profile] or [2, 64])
    name_axes(
        axes,
        x="stride k (every k-th sample is kept)",
        # in one column of a paper the heading of the labels begins where the long name would end
        y="discontinuity D(k), log scale" if points_wide(axes) > 170.0 else "D(k), log scale",
    )
    _references(axes, {r.tolerance for r in results})
    order = sorted(range(len(results)), key=lambda i: _roughness(results[i]))
    labels = _channels(axes, results[0]) if len(results) == 1 else []
    for place, i in enumerate(order):
        # a channel that is drawn bears the mark of the horizon that it sets
        labels += _curve(axes, results[i], names[i], place, marked=not labels or len(results) > 1)
    label_ends(axes, labels, heading=LABELS)


def _references(axes: "Axes", tolerances: set[float]) -> None:
    left = axes.get_xlim()[0] * 1.03
    axes.axhline(1.0, color=MUTED, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
    axes.text(left, 1.12, "shuffled data: 1", color=MUTED, va="bottom", ha="left", fontsize=8)
    for tolerance in sorted(tolerances):
        axes.axhline(tolerance, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
        axes.text(
            left,
            1.04 * tolerance,
            f"tolerance {tolerance:g}",
            va="bottom",
            ha="left",
            fontsize=8,
            color=INK,
        )


def _channels(axes: "Axes", result: "TaskContinuity") -> list[EndLabel]:
    if len(result.channels) < 2:
        return []
    labels = []
    for channel in result.channels:
        points = _points(result, channel.name)
        if not points:
            continue
        worst = channel.name == result.worst_channel
        axes.plot(
            *zip(*points, strict=True),
            color=MUTED,
            alpha=1.0 if worst else min(0.3, 3 / len(result.channels)),
            linewidth=1.2 if worst else 0.8,
            zorder=2.5 if worst else 2,
        )
        if worst:
            x, y = points[-1]
            labels.append(EndLabel(x=x, y=y, text=_worst_label(result), colour=MUTED))
            _mark_horizon(axes, result, points, MUTED)
    return labels


def _worst_label(result: "TaskContinuity") -> str:
    return f"worst: {short(worst_name(result), 14)} · {horizon_text(result)}"


def _mark_horizon(
    axes: "Axes", result: "TaskContinuity", points: list[tuple[int, float]], colour: str
) -> None:
    at = dict(points).get(result.horizon)
    if at is None:
        return
    axes.plot(
        [result.horizon],
        [at],
        marker=">" if result.horizon_open else "o",
        markersize=8.5,
        markerfacecolor=PAPER,
        markeredgecolor=colour,
        markeredgewidth=2.0,
        linestyle="none",
        zorder=4,
        clip_on=False,
    )


def _points(result: "TaskContinuity", channel: str | None) -> list[tuple[int, float]]:
    return [
        (row.stride, max(row.discontinuity, FLOOR))
        for row in sorted(result.profile, key=lambda row: row.stride)
        if row.channel == channel and row.discontinuity is not None
    ]


def _curve(
    axes: "Axes", result: "TaskContinuity", name: str, place: int, *, marked: bool
) -> list[EndLabel]:
    points = _points(result, None)
    if not points:
        return []
    colour = SETS[place % len(SETS)]
    style = "-" if place < len(SETS) else (0, (5, 2))
    bands = [
        (row.stride, max(row.low, FLOOR), max(row.high, FLOOR))
        for row in sorted(result.profile, key=lambda row: row.stride)
        if row.channel is None and row.low is not None and row.high is not None
    ]
    if bands:
        strides, low, high = zip(*bands, strict=True)
        axes.fill_between(strides, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(
        *zip(*points, strict=True),
        color=colour,
        linestyle=style,
        marker=SET_MARKS[place % len(SET_MARKS)],
        markersize=3.6,
        zorder=3,
    )
    if marked:
        _mark_horizon(axes, result, points, colour)
    return [EndLabel(x=points[-1][0], y=points[-1][1], text=name, colour=colour)]


def curve_label(result: "TaskContinuity", limit: int = 18) -> str:
    """Return the name of a dataset, cut to `limit`, with its horizon: `OSULeaf · 16`."""
    return f"{short(result.name, limit)} · {horizon_text(result)}"


def horizon_text(result: "TaskContinuity") -> str:
    """Return the horizon in samples as printed: `16`, or `≥64` when no stride failed."""
    return f"≥{result.horizon}" if result.horizon_open else str(result.horizon)


def _roughness(result: "TaskContinuity") -> float:
    points = _points(result, None)
    return points[0][1] if points else float("inf")


def profiles_words(results: "Sequence[TaskContinuity]") -> Words:
    """Return the title, the caption and the description of `profiles`."""
    measured = [r for r in results if _points(r, None)]
    best = max(measured, key=lambda r: (r.horizon, -_roughness(r)), default=None)
    worst = min(measured, key=lambda r: (r.horizon, -_roughness(r)), default=None)
    if best is None or worst is None:
        title = "No channel varies, so there is no discontinuity to draw"
    elif best is worst or best.horizon == worst.horizon:
        title = _keeps(best)
    else:
        title = f"{_keeps(best)}; {_keeps(worst)}"
    curves = "; ".join(
        f"{r.name}: "
        + ", ".join(f"D({k}) = {d:.3g}" for k, d in _points(r, None))
        + f", horizon {horizon_text(r)}"
        for r in results
    )
    caption = (
        "Keep every k-th sample and draw straight lines between them: D(k) is how far the samples "
        "left out lie from those lines, 0 on them and 1 for shuffled data. A large mark is the "
        "horizon (the number after the name), the longest stride at which the worst channel, its "
        "noise share set aside, stays within the tolerance; bands are 95 % intervals, cut at the "
        "lower edge."
    )
    if len(results) == 1 and len(results[0].channels) > 1:
        caption += " The thick line is the mean over channels, thin ones are the channels."
    if any(d <= FLOOR for r in results for _, d in _points(r, None)):
        caption += f" What lies below {power_of_ten(-6)} is drawn there."
    return Words(title=title, caption=caption, description=f"Curves of D against stride. {curves}.")


def worst_name(result: "TaskContinuity") -> str:
    """Return the channel that sets the horizon, as people call it: `channel 3`, `pressure`."""
    name = str(result.worst_channel)
    return f"channel {name}" if name.isdigit() else name


def _keeps(result: "TaskContinuity") -> str:
    many = len(result.channels) > 1
    subject = f"{result.name}: {worst_name(result)}, the worst channel," if many else result.name
    if result.horizon <= 1:
        return f"{subject} loses its shape at the smallest stride"
    more = " or beyond" if result.horizon_open else ""
    return f"{subject} keeps its shape at every {ordinal(result.horizon)} sample{more}"
