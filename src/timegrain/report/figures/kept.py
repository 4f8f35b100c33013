"""The share of a label's predictability that is left at each stride."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel, text_width
from timegrain.report.figures.labels import EndLabel
from timegrain.report.figures.scales import octaves
from timegrain.report.figures.sheet import KeyEntry, PanelWords, sheet
from timegrain.report.figures.style import (
    INK,
    MUTED,
    PAPER,
    SET_MARKS,
    SETS,
    LineStyle,
    short,
    styled,
)
from timegrain.report.figures.words import Words, metric_name, ordinal, unique

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FILTERED: LineStyle = (0, (3, 2))


@dataclass(frozen=True, kw_only=True)
class KeptCurve:
    """Retention against the stride, for one window and one way of thinning.

    Args:
        panel: Title of the panel it stands in.
        label: What it is, at its end.
        points: `(stride, retention, low, high)`, the ends None where there is no interval.
        filtered: Drawn dashed: behind a filter.
        chosen: Marks the advised stride with a ring, or None.
    """

    panel: str
    label: str
    points: tuple[tuple[int, float, float | None, float | None], ...]
    filtered: bool
    chosen: int | None = None


def retention_curves(
    curves: Sequence[KeptCurve],
    words: Words,
    *,
    limit: float,
    width: float = WIDE,
    title: bool = True,
) -> "Figure":
    """Draw the share of the skill that is kept at each stride, one panel a dataset.

    Args:
        curves: At least one, each with at least one point.
        words: Title, caption and description.
        limit: What an interval's lower end has to reach.
        width: Of the figure, in points.
        title: Whether to write the title above the panels.
    """
    with styled():
        panels = list(dict.fromkeys(c.panel for c in curves))
        made = sheet(
            [
                PanelWords(
                    title=short(panel, 40),
                    x="stride (every so many-th sample is kept)",
                    y="share of the skill at stride 1",
                )
                for panel in panels
            ],
            Panel(height=190.0, right=text_width([c.label for c in curves]) + 14.0),
            width=width,
            key=_key(curves),
            columns=1,
            title=words.title if title else None,
        )
        for place, panel in zip(made.panels, panels, strict=True):
            own = [c for c in curves if c.panel == panel]
            made.label(place, _draw(place, own, _styles(curves), limit))
        return made.figure


def _styles(curves: Sequence[KeptCurve]) -> dict[str, tuple[str, str]]:
    """Return colour and marker by the label of a curve, that of its filtered twin the same."""
    names = unique([_plain(c.label) for c in curves])
    return {n: (SETS[i % len(SETS)], SET_MARKS[i % len(SET_MARKS)]) for i, n in enumerate(names)}


def _plain(label: str) -> str:
    return label.removesuffix(", filtered")


def _key(curves: Sequence[KeptCurve]) -> list[KeyEntry]:
    styles, entries = _styles(curves), {}
    for c in curves:
        colour, mark = styles[_plain(c.label)]
        entries[c.label] = KeyEntry(
            text=c.label,
            colour=colour,
            mark=mark,
            line=_FILTERED if c.filtered else "-",
            face=PAPER if c.filtered else None,
        )
    return list(entries.values())


def kept_words(curves: Sequence[KeptCurve], metric: str, limit: float) -> Words:
    """Return the words of the figure.

    Args:
        curves: As drawn.
        metric: Name of the score behind the skill.
        limit: What an interval's lower end has to reach.
    """
    spoken = "; ".join(
        f"{c.panel}, {c.label}: " + ", ".join(f"{r:.0%} at stride {k}" for k, r, _, _ in c.points)
        for c in curves
    )
    advised = [(c.panel, c.chosen) for c in curves if c.chosen is not None and not c.filtered]
    titles = [
        f"{panel}: every {ordinal(k)} sample keeps the label"
        if k > 1
        else f"{panel}: no lower rate is shown to keep the label"
        for panel, k in dict.fromkeys(advised)
    ]
    return Words(
        title="; ".join(titles) or "What a label keeps of its predictability at lower rates",
        caption=(
            f"Skill ({metric_name(metric)}, from the trivial answer to the perfect one) of a probe "
            "that is fitted anew at every stride and scored on held-out groups, as a share of that "
            "at stride 1, with 95 % intervals. Solid: samples dropped as they are. Dashed: after "
            "the filter that a slower converter needs. A stride is advised where the intervals "
            f"stay above {limit:g}; a ring marks the advised one."
        ),
        description=f"Share of the skill kept against stride. {spoken}.",
    )


def _draw(
    axes: "Axes", curves: Sequence[KeptCurve], styles: dict[str, tuple[str, str]], limit: float
) -> list[EndLabel]:
    strides = sorted({k for c in curves for k, *_ in c.points} | {1})
    octaves(axes, strides, pad=0.18)
    ends = [v for c in curves for _, r, low, high in c.points for v in (r, low, high)]
    known = [v for v in ends if v is not None]
    axes.set_ylim(min(0.0, *known) - 0.03, max(1.05, *known) + 0.05)
    axes.axhline(1.0, color=MUTED, linewidth=0.7, zorder=1)
    axes.axhline(limit, color=INK, linewidth=0.9, linestyle=(0, (4, 3)), zorder=1)
    axes.annotate(
        f"limit {limit:g}",
        xy=(0.0, limit),
        xycoords=axes.get_yaxis_transform(),
        xytext=(2, -3),
        textcoords="offset points",
        ha="left",
        va="top",
        fontsize=8,
    )
    labels = []
    for place, curve in enumerate(curves):
        colour, mark = styles[_plain(curve.label)]
        shift = 2 ** (0.04 * (place - (len(curves) - 1) / 2))
        _draw_curve(axes, curve, colour, mark, shift)
        k, r, _, _ = curve.points[-1]
        labels.append(EndLabel(x=k * shift, y=r, text=curve.label, colour=colour))
    return labels


def _draw_curve(axes: "Axes", curve: KeptCurve, colour: str, mark: str, shift: float) -> None:
    for k, _, low, high in curve.points:
        if low is not None and high is not None:
            axes.plot([k * shift] * 2, [low, high], color=colour, linewidth=1.0, alpha=0.55)
    axes.plot(
        [k * shift for k, *_ in curve.points],
        [r for _, r, *_ in curve.points],
        color=colour,
        linestyle=_FILTERED if curve.filtered else "-",
        marker=mark,
        markersize=4.5,
        markerfacecolor=PAPER if curve.filtered else colour,
        markeredgecolor=colour,
        zorder=3,
    )
    at = {k: r for k, r, *_ in curve.points}.get(curve.chosen or 0)
    if at is not None and curve.chosen is not None:
        axes.plot(
            [curve.chosen * shift],
            [at],
            marker="o",
            markersize=10,
            markerfacecolor="none",
            markeredgecolor=colour,
            markeredgewidth=1.6,
            linestyle="none",
            zorder=4,
        )
