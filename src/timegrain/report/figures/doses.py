"""Continuity, and what a label keeps, as a dial is turned."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel, text_width
from timegrain.report.figures.labels import LINE, EndLabel
from timegrain.report.figures.scales import places
from timegrain.report.figures.sheet import KeyEntry, PanelWords, sheet
from timegrain.report.figures.style import PAPER, SET_MARKS, SETS, LineStyle, short, styled
from timegrain.report.figures.words import Words, listing, unique

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.continuity.dose.result import DoseResponse, DoseRow

_KEPT: LineStyle = (0, (3, 2))
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
        many = len(results) > 1
        texts = [text for r in results for text in _labels(r, many).values()]
        made = sheet(
            [
                PanelWords(title=t, x=x, y="share")
                for t, x in (_TITLES.get(d, (d, "dose")) for d in dials)
            ],
            Panel(height=max(150.0, 2 * LINE * len(results) + 5.0), right=text_width(texts) + 14.0),
            width=width,
            key=_key(results),
            columns=1,
            title=dose_words(results).title if title else None,
        )
        low, high = _limits(results)
        for axes, dial in zip(made.panels, dials, strict=True):
            axes.set_ylim(low, high)
            made.label(axes, _panel(axes, results, dial))
        return made.figure


def _key(results: "Sequence[DoseResponse]") -> list[KeyEntry]:
    entries = []
    for i, result in enumerate(results):
        colour = SETS[i % len(SETS)]
        for kind, text in _labels(result, len(results) > 1).items():
            kept = kind == "retention"
            entries.append(
                KeyEntry(
                    text=text,
                    colour=colour,
                    line=_KEPT if kept else "-",
                    mark=SET_MARKS[i % len(SET_MARKS)],
                    face=PAPER if kept else None,
                )
            )
    return entries


def _panel(axes: "Axes", results: "Sequence[DoseResponse]", dial: str) -> list[EndLabel]:
    rows = [row for r in results for row in r.doses if row.dial == dial]
    order = unique([row.dose_text for row in sorted(rows, key=_strength)])
    places(axes, order)
    labels = []
    for i, result in enumerate(results):
        own = sorted((row for row in result.doses if row.dial == dial), key=_strength)
        names = _labels(result, len(results) > 1)
        labels += _curve(axes, own, order, i, names["continuity"])
        if "retention" in names:
            labels += _kept(axes, own, order, i, names["retention"])
    return labels


def _curve(
    axes: "Axes", rows: "Sequence[DoseRow]", order: Sequence[str], place: int, name: str
) -> list[EndLabel]:
    colour, mark = SETS[place % len(SETS)], SET_MARKS[place % len(SET_MARKS)]
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
    axes.plot(*zip(*at, strict=True), color=colour, marker=mark, markersize=4, zorder=3)
    return [EndLabel(x=at[-1][0], y=at[-1][1], text=name, colour=colour)]


def _kept(
    axes: "Axes", rows: "Sequence[DoseRow]", order: Sequence[str], place: int, name: str
) -> list[EndLabel]:
    colour, mark = SETS[place % len(SETS)], SET_MARKS[place % len(SET_MARKS)]
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
        linestyle=_KEPT,
        marker=mark,
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
