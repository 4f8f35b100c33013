"""D(2) and the horizon against the window."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel, text_width
from timegrain.report.figures.labels import LINE, EndLabel
from timegrain.report.figures.scales import decades, octaves
from timegrain.report.figures.sheet import KeyEntry, PanelWords, sheet
from timegrain.report.figures.style import SET_MARKS, SETS, short, styled
from timegrain.report.figures.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.continuity.windows.result import WindowProfile, WindowRow

FLOOR = 1e-6  # what lies lower is drawn here: a logarithmic axis has no zero
_OPEN = 5  # matplotlib's caret that points right: no set's marker


def window_curves(
    results: "Sequence[WindowProfile]", *, width: float = WIDE, title: bool = True
) -> "Figure":
    """Draw D(2), and the horizon below it, against the window; all axes logarithmic.

    Args:
        results: One a dataset, at least one.
        width: Of the figure, in points.
        title: Whether to write the title above the panels.
    """
    with styled():
        names = [short(r.name, 14) for r in results]
        level = "window, samples"
        made = sheet(
            [
                PanelWords(title="", x=level, y="D(2), log scale"),
                PanelWords(title="", x=level, y="horizon, samples, log scale"),
            ],
            Panel(height=max(150.0, LINE * len(results) + 5.0), right=text_width(names) + 14.0),
            width=width,
            key=[
                KeyEntry(text=name, colour=SETS[i % len(SETS)], mark=SET_MARKS[i % len(SET_MARKS)])
                for i, name in enumerate(names)
            ],
            columns=1,
            title=window_words(results).title if title else None,
        )
        upper, lower = made.panels
        for axes in (upper, lower):
            _level(axes, results)
        rows = [row for r in results for row in r.windows]
        d = [max(v, FLOOR) for row in rows for v in (row.discontinuity, row.high) if v is not None]
        decades(upper, 0.6 * min([1.0, *d]), 1.6 * max([0.01, *d]))
        lower.set_yscale("log", base=2)
        _upright(lower, rows)
        labels: list[list[EndLabel]] = [[], []]
        for i, (result, name) in enumerate(zip(results, names, strict=True)):
            labels[0] += _rough(upper, result.windows, i, name)
            labels[1] += _horizons(lower, result.windows, i, name)
        made.label(upper, labels[0])
        made.label(lower, labels[1])
        return made.figure


def _level(axes: "Axes", results: "Sequence[WindowProfile]") -> None:
    windows = sorted({row.window for r in results for row in r.windows})
    octaves(axes, windows, text="{:,}".format)


def _upright(axes: "Axes", rows: "Sequence[WindowRow]") -> None:
    from matplotlib.ticker import FixedLocator, NullLocator

    most = max(max(row.horizon, row.horizon_high) for row in rows)
    axes.set_ylim(0.8, max(2, most) * 1.3)
    ticks = [2**i for i in range(most.bit_length() + 1) if 2**i <= max(2, most)]
    axes.yaxis.set_major_locator(FixedLocator(ticks))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_yticklabels([str(t) for t in ticks])


def _rough(axes: "Axes", rows: "Sequence[WindowRow]", place: int, name: str) -> list[EndLabel]:
    colour, mark = SETS[place % len(SETS)], SET_MARKS[place % len(SET_MARKS)]
    at = [(r.window, max(r.discontinuity, FLOOR)) for r in rows if r.discontinuity is not None]
    if not at:
        return []
    bands = [
        (r.window, max(r.low, FLOOR), max(r.high, FLOOR))
        for r in rows
        if r.low is not None and r.high is not None
    ]
    if bands:
        x, low, high = zip(*bands, strict=True)
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(*zip(*at, strict=True), color=colour, marker=mark, markersize=3.5, zorder=3)
    return [EndLabel(x=at[-1][0], y=at[-1][1], text=name, colour=colour)]


def _horizons(axes: "Axes", rows: "Sequence[WindowRow]", place: int, name: str) -> list[EndLabel]:
    colour, mark = SETS[place % len(SETS)], SET_MARKS[place % len(SET_MARKS)]
    x = [r.window for r in rows]
    low, high = [r.horizon_low for r in rows], [r.horizon_high for r in rows]
    axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(x, [r.horizon for r in rows], color=colour, zorder=3)
    for row in rows:
        axes.plot(
            [row.window],
            [row.horizon],
            marker=_OPEN if row.horizon_open else mark,
            markersize=5 if row.horizon_open else 3.5,
            color=colour,
            zorder=4,
        )
    return [EndLabel(x=rows[-1].window, y=rows[-1].horizon, text=name, colour=colour)]


def window_words(results: "Sequence[WindowProfile]") -> Words:
    """Return the title, the caption and the description of `window_curves`."""
    clauses = []
    for r in results:
        seen = [row for row in r.windows if row.discontinuity is not None]
        if len(seen) > 1 and seen[0].discontinuity and seen[-1].discontinuity:
            factor = seen[0].discontinuity / seen[-1].discontinuity
            span = f"from {seen[0].window:,} to {seen[-1].window:,} samples"
            clauses.append(f"{r.name}: D(2) falls {factor:.2g}-fold {span}")
    spoken = "; ".join(
        f"{r.name}: "
        + ", ".join(
            f"window {row.window}, D(2) "
            + ("-" if row.discontinuity is None else f"{row.discontinuity:.3g}")
            + f", horizon {row.horizon}"
            for row in r.windows
        )
        for r in results
    )
    caption = (
        "D measures roughness against the variation within a window. Where the curve still falls, "
        "slower variation keeps coming in and the number belongs to its window; where it is level, "
        "the window holds all there is. Bands are 95 % intervals, for the horizon those of D; an "
        "arrow marks a horizon at which every stride that fits passes."
    )
    title = "; ".join(clauses[:2]) or "D(2) and the horizon against the window"
    return Words(title=title, caption=caption, description=f"Curves against window. {spoken}.")
