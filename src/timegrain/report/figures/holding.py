"""What a selective layer selects, and what is left of its amplitude law when parts are held."""

from typing import TYPE_CHECKING

from timegrain.continuity.selective.summary import NAMES, exponent_text
from timegrain.report.figures.frame import WIDE, Panel, text_width
from timegrain.report.figures.labels import EndLabel
from timegrain.report.figures.scales import decades, places
from timegrain.report.figures.sheet import KeyEntry, PanelWords, sheet
from timegrain.report.figures.style import INK, MUTED, PAPER, short, styled
from timegrain.report.figures.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.continuity.selective.result import DistributionRow, Selectivity

# Okabe and Ito's blue and vermilion, told apart with every kind of colour vision; the markers
# differ as well.
_RULES = (("#0072b2", "o"), ("#d55e00", "s"))
_TICKS = {"nothing": "none", "delta": "Δ", "B": "B", "C": "C", "all": "all"}
_PANELS = {
    "delta": ("Selected step Δ", "steps of the trained grid, log scale"),
    "stiffness": ("Stiffness |λ| Δ", "per step, log scale"),
    "memory": ("Memory of a mode", "time constant, log scale"),
}


def attribution(result: "Selectivity", *, width: float = WIDE, title: bool = True) -> "Figure":
    """Draw distributions by amplitude, and the exponent and error by what is held.

    Args:
        result: What was measured.
        width: Of the figure, in points: `WIDE` for two columns of a paper, `NARROW` for one.
        title: Whether to write the title above the panels.
    """
    with styled():
        rules = _rules(result)
        made = sheet(
            _words(result),
            Panel(height=135.0, right=text_width(result.discretizations) + 14.0),
            width=width,
            key=[
                KeyEntry(text="median", line="", mark="o", face=PAPER),
                KeyEntry(text="half of all values", weight=5.0),
                KeyEntry(text="90 %", weight=1.0),
                *(KeyEntry(text=r, colour=c, line="", mark=m) for (c, m), r, _ in rules),
            ],
            title=attribution_words(result).title if title else None,
        )
        layer = _stiffest(result)
        for axes, quantity in zip(made.panels, _PANELS, strict=False):
            rows = [d for d in result.distributions if (d.layer, d.quantity) == (layer, quantity)]
            _distribution(axes, rows, quantity)
        made.label(made.panels[-2], _exponents(made.panels[-2], result))
        made.label(made.panels[-1], _errors(made.panels[-1], result))
        return made.figure


def _words(result: "Selectivity") -> list[PanelWords]:
    spreads = [
        PanelWords(
            title=panel,
            x="amplitude of the input",
            y=f"{result.time_unit}, log scale" if quantity == "memory" else up,
        )
        for quantity, (panel, up) in _PANELS.items()
    ]
    held = "held at its mean"
    return [
        *spreads,
        PanelWords(title="What carries it", x=held, y="amplitude exponent"),
        PanelWords(
            title=f"Error at tau 1, amplitude {max(result.amplitudes):g}",
            x=held,
            y="relative error, log scale",
        ),
    ]


def _stiffest(result: "Selectivity") -> str:
    stiff = [d for d in result.distributions if d.quantity == "stiffness"]
    return max(stiff, key=lambda row: row.high).layer


def _distribution(axes: "Axes", rows: "list[DistributionRow]", quantity: str) -> None:
    places(axes, [f"{row.amplitude:g}" for row in rows])
    decades(axes, min(row.low for row in rows) / 1.6, max(row.high for row in rows) * 1.6)
    for x, row in enumerate(rows):
        axes.plot([x, x], [row.low, row.high], color=INK, linewidth=1.0)
        axes.plot([x, x], [row.lower, row.upper], color=INK, linewidth=5.0, solid_capstyle="butt")
        axes.plot([x], [row.median], color=INK, marker="o", markersize=7, markerfacecolor=PAPER)
    if quantity == "stiffness":
        axes.axhline(1.0, color=MUTED, linewidth=1.0, linestyle=(0, (4, 3)), zorder=1)


def _exponents(axes: "Axes", result: "Selectivity") -> list[EndLabel]:
    places(axes, [_TICKS[held] for held in NAMES])
    axes.axhline(0.0, color=MUTED, linewidth=1.0, zorder=1)
    ends = [0.0]
    labels = []
    for (colour, marker), rule, shift in _rules(result):
        rows = [r for r in result.attribution if r.discretization == rule]
        at = [(x + shift, r.exponent) for x, r in enumerate(rows) if r.exponent is not None]
        for x, row in enumerate(rows):
            if row.exponent_low is not None and row.exponent_high is not None:
                ends += [row.exponent_low, row.exponent_high]
                axes.plot([x + shift] * 2, ends[-2:], color=colour, linewidth=1.2)
        ends += [y for _, y in at]
        axes.plot(
            [x for x, _ in at],
            [y for _, y in at],
            color=colour,
            marker=marker,
            linestyle="none",
            markersize=6,
        )
        labels += [EndLabel(x=x, y=y, text=rule, colour=colour) for x, y in at[-1:]]
    axes.set_ylim(min(ends) - 0.08, max(ends) + 0.08)
    return labels


def _errors(axes: "Axes", result: "Selectivity") -> list[EndLabel]:
    largest = max(result.amplitudes)
    places(axes, [_TICKS[held] for held in NAMES])
    here = [r for r in result.errors if r.amplitude == largest and r.error]
    values = [r.error for r in here if r.error]
    decades(axes, min(values, default=0.1) / 1.6, max(values, default=1.0) * 1.6)
    order = list(NAMES)
    labels = []
    for (colour, marker), rule, shift in _rules(result):
        at = [(order.index(r.held) + shift, r.error) for r in here if r.discretization == rule]
        if at:
            axes.plot(
                *zip(*at, strict=True),
                color=colour,
                marker=marker,
                linestyle="none",
                markersize=6,
            )
            x, y = at[-1]
            labels.append(EndLabel(x=x, y=y or 0.0, text=rule, colour=colour))
    return labels


def _rules(result: "Selectivity") -> "list[tuple[tuple[str, str], str, float]]":
    """Return colour and marker, name and place beside the tick of each discretisation."""
    rules = result.discretizations
    shifts = (0.0,) if len(rules) == 1 else (-0.1, 0.1)
    return list(zip(_RULES, rules, shifts, strict=False))


def attribution_words(result: "Selectivity") -> Words:
    """Return the title, the caption and the description of `attribution`."""
    from timegrain.continuity.selective.summary import conclusions

    laws = "; ".join(
        f"{r.discretization}, {NAMES[r.held]} held: exponent {exponent_text(r)}"
        for r in result.attribution
    )
    spreads = "; ".join(
        f"{d.quantity} at amplitude {d.amplitude:g}: median {d.median:.2g}, {d.low:.2g} to "
        f"{d.high:.2g}"
        for d in result.distributions
        if d.layer == _stiffest(result)
    )
    caption = (
        "Above: circles are medians, thick bars half of all values, thin ones 90 %; a mode above "
        "the dashed line moves on by more than itself in a step. Below: a part of what the layer "
        "selects is held at its mean. Where the exponent falls to 0, that part made the error "
        "depend on how large the input is."
    )
    return Words(
        title=f"{short(result.name, 24)}: {conclusions(result)[0].split(': of')[0]}",
        caption=caption,
        description=f"Distributions and exponents. {spreads}. {laws}.",
    )
