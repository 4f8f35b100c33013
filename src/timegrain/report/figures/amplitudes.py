"""Errors of random systems against the step, one curve an amplitude."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE, Panel
from timegrain.report.figures.labels import EndLabel, merge_equal
from timegrain.report.figures.ladder import SLOPE, slope_one
from timegrain.report.figures.scales import decades, octaves, ratio
from timegrain.report.figures.sheet import KeyEntry, PanelWords, Sheet, sheet
from timegrain.report.figures.style import MUTED, PAPER, ModelStyle, display, model_styles, styled
from timegrain.report.figures.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.study.presets.paper_continuity.result import ErrorCell, PaperContinuity

RULES = {"zoh": "zero-order hold", "bilinear": "bilinear"}


def amplitude_curves(
    result: "PaperContinuity", *, norm: str = "sup", width: float = WIDE, title: bool = True
) -> "Figure":
    """Draw the median error against tau at each amplitude, a panel a family and discretisation.

    Args:
        result: Of the study `paper-continuity`.
        norm: `"sup"` or `"rms"`.
        width: Of the figure, in points; 504 and 252 are two columns and one of most journals.
        title: Whether to write the title above the panels.
    """
    with styled():
        kinds = [(g.family, g.discretization) for g in result.growths if g.norm == norm]
        ordered = sorted(kinds, key=lambda kind: list(RULES).index(kind[1]))
        styles = model_styles(family for family, _ in ordered)
        made = sheet(
            [
                PanelWords(
                    title=f"{display(family)}, {RULES[rule]}",
                    x="tau = step / interval",
                    y="relative error, log scale",
                    colour=styles[family].colour,
                )
                for family, rule in ordered
            ],
            Panel(height=150.0, right=86.0),
            width=width,
            key=_key(result),
            title=amplitude_words(result, norm=norm).title if title else None,
        )
        values = [c.error for c in result.errors if c.error and c.norm == norm]
        low, high = min(values, default=1e-3) * 0.5, max(values, default=1.0) * 1.6
        for axes, (family, rule) in zip(made.panels, ordered, strict=True):
            decades(axes, low, high)
            _draw(axes, _curves(result, family, rule, norm), styles[family], made)
        return made.figure


def _key(result: "PaperContinuity") -> list[KeyEntry]:
    first, last = result.amplitudes[0], result.amplitudes[-1]
    ends = [
        KeyEntry(text=f"amplitude {first:g}", mark="o", face=PAPER, alpha=0.6),
        KeyEntry(text=f"amplitude {last:g}", mark="s"),
    ]
    between = KeyEntry(text="between", weight=0.8, alpha=0.7)
    slope = KeyEntry(text="slope 1", colour=MUTED, line=SLOPE, weight=1.0)
    return [ends[0], *([between] if len(result.amplitudes) > 2 else []), ends[1], slope]


def _curves(
    result: "PaperContinuity", family: str, rule: str, norm: str
) -> "list[tuple[float, list[ErrorCell]]]":
    cells = [
        c
        for c in result.errors
        if (c.family, c.discretization, c.norm) == (family, rule, norm) and c.error
    ]
    return [
        (a, sorted((c for c in cells if c.amplitude == a), key=_tau))
        for a in result.amplitudes
        if any(c.amplitude == a for c in cells)
    ]


def _tau(cell: "ErrorCell") -> float:
    return cell.tau


def _draw(
    axes: "Axes",
    curves: "list[tuple[float, list[ErrorCell]]]",
    style: ModelStyle,
    made: Sheet,
) -> None:
    colour = style.colour
    taus = sorted({c.tau for _, cells in curves for c in cells}) or [1.0]
    octaves(axes, sorted({taus[0], taus[(len(taus) - 1) // 2], taus[-1]}))
    labels = []
    for i, (amplitude, cells) in enumerate(curves):
        ends = i in (0, len(curves) - 1)
        points = [(c.tau, c.error or 0.0) for c in cells]
        axes.plot(
            *zip(*points, strict=True),
            color=colour,
            linestyle=style.line if ends else "-",
            # the palest is the smallest amplitude; the ends differ in their marks, too
            alpha=0.45 + 0.55 * i / max(len(curves) - 1, 1),
            linewidth=1.8 if ends else 0.8,
            marker=("s" if i else "o") if ends else None,
            markersize=5.5 if i == 0 else 3.5,
            markerfacecolor=PAPER if i == 0 else colour,
            zorder=3 if ends else 2,
        )
        if ends:
            _band(axes, cells, colour)
            x, y = points[-1]
            labels.append(EndLabel(x=x, y=y, text=f"{amplitude:g}", colour=colour))
    made.label(axes, merge_equal(labels, noun="amplitude", plural="amplitudes"))
    points_of = [(a, [(c.tau, c.error or 0.0) for c in cells]) for a, cells in curves]
    slope_one(axes, points_of, named=not made.small)


def _band(axes: "Axes", cells: "Sequence[ErrorCell]", colour: str) -> None:
    band = [(c.tau, c.low, c.high) for c in cells if c.low is not None and c.high is not None]
    if band:
        x, low, high = zip(*band, strict=True)
        axes.fill_between(x, low, high, color=colour, alpha=0.14, linewidth=0)


def amplitude_words(result: "PaperContinuity", *, norm: str = "sup") -> Words:
    """Return the title, the caption and the description of `amplitude_curves`."""
    finest, ends = result.taus[0], (result.amplitudes[0], result.amplitudes[-1])
    cells = [g for g in result.growths if g.norm == norm]
    clauses = []
    for family in dict.fromkeys(g.family for g in cells):
        known = [g.growth for g in cells if g.family == family and g.growth is not None]
        times = f"{max(known):.1f} times" if known else "unknown"
        clauses.append(f"{display(family)} {times}")
    said = "; ".join(
        f"{display(g.family)}, {RULES[g.discretization]}, at amplitude {a:g}: "
        + ", ".join(
            f"{c.error:.2g} at tau {ratio(c.tau)}"
            for c in dict(_curves(result, g.family, g.discretization, norm)).get(a, [])
        )
        for g in cells
        for a in ends
    )
    return Words(
        title=(
            f"Error at amplitude {ends[1]:g} over that at {ends[0]:g}, at tau {ratio(finest)}: "
            + ", ".join(clauses)
        ),
        caption=(
            f"Medians over {result.n_systems:,} random systems, a line an amplitude, from the "
            f"palest, {ends[0]:g} (circles), to the darkest, {ends[1]:g} (squares); bands are 95 % "
            "intervals of those two. Lines as steep as the dotted one converge at order 1; lines "
            "that lie apart have another constant."
        ),
        description=f"Relative error ({norm}) against tau. {said}.",
    )
