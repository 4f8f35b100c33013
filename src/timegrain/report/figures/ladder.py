"""Error of a model against the step ratio, at several amplitudes."""

import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.continuity.model.summary import slopes_text
from timegrain.core.outcome import Outcome
from timegrain.report.figures.frame import WIDE, Panel
from timegrain.report.figures.labels import EndLabel, merge_equal
from timegrain.report.figures.scales import decades, octaves, ratio
from timegrain.report.figures.sheet import KeyEntry, PanelWords, Sheet, sheet
from timegrain.report.figures.style import (
    MUTED,
    LineStyle,
    ModelStyle,
    display,
    model_styles,
    short,
    styled,
)
from timegrain.report.figures.words import Words

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from timegrain.continuity.model.result import ModelContinuity

OUTPUT = "output"  # the readout that is the model's own output
_MARKERS = ("o", "s", "^", "D", "v")
SLOPE: LineStyle = (0, (1, 2))  # of the line of slope 1: no model's
FLAT = 0.05  # an exponent below this is drawn and told as "does not depend on"


def refinement(
    results: "Sequence[ModelContinuity]", *, width: float = WIDE, title: bool = True
) -> "Figure":
    """Draw the error against tau at each amplitude, one panel a model, with slope 1 for reference.

    Args:
        results: One a model, at least one.
        width: Of the figure, in points.
        title: Whether to write the title above the panels.
    """
    with styled():
        styles = model_styles(r.name for r in results)
        made = sheet(
            [
                PanelWords(
                    title=short(model_label(r), 34),
                    x="tau = step / trained step",
                    y="relative error, log scale",
                    colour=styles[r.name].colour,
                )
                for r in results
            ],
            Panel(height=175.0, right=88.0),
            width=width,
            key=_key(results),
            title=refinement_words(results).title if title else None,
        )
        values = [e for r in results for _, points in _curves(r) for _, e in points if e > 0]
        low, high = min(values, default=1e-3) * 0.5, max(values, default=1.0) * 2
        for axes, result in zip(made.panels, results, strict=True):
            decades(axes, low, high)
            _draw(axes, result, styles[result.name], made)
        return made.figure


def _key(results: "Sequence[ModelContinuity]") -> list[KeyEntry]:
    amplitudes = sorted({a for r in results for a, _ in _curves(r)})
    entries = [
        KeyEntry(text=f"amplitude {a:g}", mark=mark_of(i), weight=_weight(i))
        for i, a in enumerate(amplitudes)
    ]
    return [*entries, KeyEntry(text="slope 1", colour=MUTED, line=SLOPE, weight=1.0)]


def mark_of(place: int) -> str:
    """Return the marker of the amplitude at a place in ascending order."""
    return _MARKERS[place % len(_MARKERS)]


def _weight(place: int) -> float:
    return 3.0 - 0.9 * min(place, 2)


def _draw(axes: "Axes", result: "ModelContinuity", style: ModelStyle, made: Sheet) -> None:
    curves = _curves(result)
    octaves(axes, [tau for _, points in curves for tau, _ in points] or [1.0])
    labels = []
    for i, (amplitude, points) in enumerate(curves):
        strength = 1.0 if len(curves) == 1 else 0.4 + 0.6 * i / (len(curves) - 1)
        axes.plot(
            *zip(*points, strict=True),
            color=style.colour,
            alpha=strength,
            linestyle=style.line,
            marker=mark_of(i),
            markersize=(6.5 - 1.6 * min(i, 2)) * (0.8 if made.small else 1.0),
            linewidth=_weight(i) * (0.7 if made.small else 1.0),
        )
        x, y = points[-1]
        labels.append(EndLabel(x=x, y=y, text=f"{amplitude:g}", colour=style.colour))
    if not curves:
        why = "\n".join(textwrap.wrap(result.outcome.message, 18 if made.small else 24))
        axes.text(0.5, 0.5, why, transform=axes.transAxes, ha="center", va="center", color=MUTED)
    made.label(axes, merge_equal(labels, noun="amplitude", plural="amplitudes"))
    slope_one(axes, curves, named=not made.small)


def slope_one(
    axes: "Axes", curves: "list[tuple[float, list[tuple[float, float]]]]", *, named: bool = True
) -> None:
    """Draw the slope of order 1 below curves of `(name, points)`, with its name or without."""
    if not curves:
        return
    points = [p for _, points in curves for p in points]
    x0, x1 = min(x for x, _ in points), max(x for x, _ in points)
    start = 0.62 * x0 * min(y / x for x, y in points)
    axes.plot(
        [x0, x1],
        [start, start * x1 / x0],
        color=MUTED,
        linewidth=1.0,
        linestyle=SLOPE,
        zorder=1,
    )
    if not named:
        return
    middle = (x0 * x1) ** 0.5
    axes.annotate(
        "slope 1",
        xy=(middle, start * middle / x0),
        xytext=(6, -9),
        textcoords="offset points",
        color=MUTED,
        fontsize=8,
    )


def _curves(result: "ModelContinuity") -> "list[tuple[float, list[tuple[float, float]]]]":
    """Return the amplitudes, ascending, with their `(tau, error)` points of the whole model."""
    curves = []
    for amplitude in sorted({row.amplitude for row in result.errors}):
        points = sorted(
            (row.tau, row.error)
            for row in result.errors
            if row.amplitude == amplitude and row.layer == OUTPUT and row.error
        )
        if points:
            curves.append((amplitude, points))
    return curves


def model_label(result: "ModelContinuity") -> str:
    """Return the model's name with what was asked of it: `S6 (zoh, not told its step)`."""
    asked = [v if isinstance(v, str) else f"{k}={v}" for k, v in result.options.items()]
    if result.scope == "network":
        asked.append("in a network")
    if result.protocol == "native":
        asked.append("not told its step")
    return display(result.name) + (f" ({', '.join(asked)})" if asked else "")


def refinement_words(results: "Sequence[ModelContinuity]") -> Words:
    """Return the title, the caption and the description of `refinement`."""
    clauses = [f"{model_label(r)}: {_clause(r)}" for r in results]
    curves = "; ".join(
        f"{model_label(r)} at amplitude {a:g}: "
        + ", ".join(f"{e:.2g} at tau {ratio(tau)}" for tau, e in reversed(points))
        for r in results
        for a, points in _curves(r)
    )
    caption = (
        "The same signal is given on finer and finer grids (to the left); the error is the "
        "distance to the limit. A line as steep as the dotted one halves its error whenever the "
        "step is halved. Lines apart mean that the error depends on how large the input is; the "
        "smallest amplitude has the palest and thickest line."
    )
    return Words(
        title="; ".join(clauses), caption=caption, description=f"Error against tau. {curves}."
    )


def _clause(result: "ModelContinuity") -> str:
    exponent = result.amplitude_exponent
    if result.outcome is not Outcome.CONVERGES:
        return result.outcome.message
    if not result.memory_seen:
        return "outputs converge, but the memory was not seen"
    if exponent is None:
        return result.outcome.message
    several = bool(slopes_text(result))
    if abs(exponent) < FLAT and not several:
        return "the same error at every amplitude"
    verb = "grows" if exponent > 0 else "falls"
    power = "not as one power" if several else f"power {exponent:.2f}"
    return f"the error {verb} with amplitude ({power})"
