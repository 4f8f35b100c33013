"""Continuity, and what a label keeps, as a dial is turned."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel, frame, name_axes, text_width
from timegrain.report.figures.labels import LINE, EndLabel, label_ends
from timegrain.report.figures.scales import places
from timegrain.report.figures.style import PAPER, SETS, short, styled
from timegrain.report.figures.words import Words, listing, unique

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.continuity.dose.result import DoseResponse, DoseRow

_TITLES = {
    "window_shuffle": ("samples shuffled within windows", "window, samples (1: untouched)"),
    "noise": ("white noise added", "decibels below the signal"),
    "decimate": ("every k-th sample kept, unfiltered", "k (1: untouched)"),
}


def dose_curves(
    results: "Sequence[DoseResponse]", *, width: float = WIDE, title: bool = True
) -> "Figure":
    """Draw, for each dial, continuity and the label's retention against the dose.

    Args:
        results: One a dataset, at least one.
        width: Of the figure, in points.
        title: Whether to write the title above the panels.
    """
    with styled():
        dials = unique([d for r in results for d in r.dials])
        texts = [text for r in results for text in _labels(r, len(results) > 1).values()]
        room = text_width(texts) + 14.0
        panel = Panel(height=max(150.0, 2 * LINE * len(results) + 5.0), right=room)
        words = dose_words(results)
        heading = words.title if title else None
        figure, panels = frame(len(dials), panel, width=width, columns=1, title=heading)
        low, high = _limits(results)
        for axes, dial in zip(panels, dials, strict=True):
            axes.set_ylim(low, high)
            _panel(axes, [r for r in results if dial in r.dials], dial, len(results) > 1)
        return figure


def _panel(axes: "Axes", results: "Sequence[DoseResponse]", dial: str, many: bool) -> None:
    rows = [row for r in results for row in r.doses if row.dial == dial]
    order = unique([row.dose_text for row in sorted(rows, key=_strength)])
    places(axes, order)
    labels = []
    for i, result in enumerate(results):
        own = sorted((row for row in result.doses if row.dial == dial), key=_strength)
        names = _labels(result, many)
        labels += _curve(axes, own, order, SETS[i % len(SETS)], names["continuity"])
        if "retention" in names:
            labels += _kept(axes, own, order, SETS[i % len(SETS)], names["retention"])
    panel, along = _TITLES.get(dial, (dial, "dose"))
    name_axes(axes, x=along, y="share", panel=panel)
    label_ends(axes, labels)


def _curve(
    axes: "Axes", rows: "Sequence[DoseRow]", order: Sequence[str], colour: str, name: str
) -> list[EndLabel]:
    at = [
        (order.index(r.dose_text), 1 - r.discontinuity) for r in rows if r.discontinuity is not None
    ]
    if not at:
        return []
    bands = [
        (order.index(r.dose_text), 1 - r.high, 1 - r.low)
        for r in rows
        if r.low is not None and r.high is not None
    ]
    if bands:
        x, low, high = zip(*bands, strict=True)
        axes.fill_between(x, low, high, color=colour, alpha=0.18, linewidth=0)
    axes.plot(*zip(*at, strict=True), color=colour, marker="o", markersize=4, zorder=3)
    return [EndLabel(x=at[-1][0], y=at[-1][1], text=name, colour=colour)]


def _kept(
    axes: "Axes", rows: "Sequence[DoseRow]", order: Sequence[str], colour: str, name: str
) -> list[EndLabel]:
    at = [(order.index(r.dose_text), r.retention) for r in rows if r.retention is not None]
    if not at:
        return []
    for row in rows:
        if row.retention_low is not None and row.retention_high is not None:
            x = order.index(row.dose_text)
            axes.plot([x, x], [row.retention_low, row.retention_high], color=colour, linewidth=1.0)
    axes.plot(
        *zip(*at, strict=True),
        color=colour,
        linestyle=(0, (3, 2)),
        marker="s",
        markersize=4.5,
        markerfacecolor=PAPER,
        zorder=3,
    )
    return [EndLabel(x=at[-1][0], y=at[-1][1], text=name, colour=colour)]


def _strength(row: "DoseRow") -> tuple[bool, float]:
    """Untouched first, then ever more; of noise the quiet before the loud."""
    dose = row.dose if row.dose is not None else float("inf")
    return not row.untouched, -dose if row.unit == "dB" else dose


def _labels(result: "DoseResponse", many: bool) -> dict[str, str]:
    name = f"{short(result.name, 12)} · " if many else ""
    labels = {"continuity": f"{name}1 − D(2)"}
    if result.stride is not None:
        labels["retention"] = f"{name}R({result.stride})"
    return labels


def _limits(results: "Sequence[DoseResponse]") -> tuple[float, float]:
    rows = [row for r in results for row in r.doses]
    of_d = [1 - v for row in rows for v in (row.discontinuity, row.high, row.low) if v is not None]
    kept = [row.retention_low for row in rows] + [row.retention_high for row in rows]
    values = [0.0, 1.0, *of_d, *(v for v in kept if v is not None)]
    # one interval far outside would flatten all curves
    return max(min(values), -1.5) - 0.04, min(max(values), 1.6) + 0.06


def dose_words(results: "Sequence[DoseResponse]") -> Words:
    """Return the title, the caption and the description of `dose_curves`."""
    spoken = []
    for r in results:
        for dial in r.dials:
            rows = sorted((row for row in r.doses if row.dial == dial), key=_strength)
            points = [
                f"{row.dose_text}: continuity "
                + ("-" if row.discontinuity is None else f"{1 - row.discontinuity:.3g}")
                + ("" if row.retention is None else f", retention {row.retention:.2f}")
                for row in rows
            ]
            spoken.append(f"{r.name}, {dial}: " + "; ".join(points))
    names = listing([r.name for r in results])
    kept = any(r.stride is not None for r in results)
    caption = (
        "Each dial is turned alone on the untouched data, whose dose stands at the left. Solid: "
        "continuity, with its 95 % interval."
    )
    if kept:
        caption += (
            " Dashed: the share of a probe's skill that is left when it is given every so many-th "
            "sample of the turned data. Where continuity falls and the dashed curve stays, the "
            "label does not need what continuity measures."
        )
    return Words(
        title=f"{names}: what continuity{' and the label' if kept else ''} answer to a dial",
        caption=caption,
        description=f"Curves against dose. {'. '.join(spoken)}.",
    )
