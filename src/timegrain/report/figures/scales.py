"""Logarithmic axes with ticks that read as plain numbers."""

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FixedLocator, NullLocator

from timegrain.report.figures.frame import points_high, points_wide, text_width
from timegrain.report.figures.style import MUTED, LineStyle

TRIVIAL: LineStyle = (0, (1, 2))
_ROW = 14.0  # points that a tick label takes up, at least
_COLUMN = 26.0  # likewise along the level axis
_GAP = 3.0  # points between two
_SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def power_of_ten(exponent: int) -> str:
    """Return `10` with a raised exponent, in Unicode.

    Example:
        >>> power_of_ten(-12)
        '10⁻¹²'
    """
    return "10" + str(exponent).translate(_SUPERSCRIPTS)


def decades(axes: Axes, low: float, high: float) -> None:
    """Make the upright axis logarithmic from `low` to `high`, with ticks at powers of ten.

    Where these are fewer than two, ticks stand at 1, 2 and 5 as well.

    Args:
        axes: The panel.
        low: Positive.
        high: Above `low`.
    """
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    _decades(axes.yaxis, low, high, most=max(2, int(points_high(axes) / _ROW)))


def level_decades(axes: Axes, low: float, high: float) -> None:
    """Do the same to the level axis."""
    axes.set_xscale("log")
    axes.set_xlim(low, high)
    _decades(axes.xaxis, low, high, most=max(2, int(points_wide(axes) / _COLUMN)))


def _decades(axis: Axis, low: float, high: float, *, most: int) -> None:
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    step = max(1, round((last - first) / 6), math.ceil((last - first) / most))
    if last - first < 1:
        _few_ticks(axis, low, high, most)
        return
    exponents = range(last, first - 1, -step)
    plain = first >= -4 and last <= 4
    texts = [f"{10.0**e:g}" if plain else power_of_ten(e) for e in exponents]
    if plain:
        texts = ["0.0001" if e == -4 else t for e, t in zip(exponents, texts, strict=True)]
    _ticks(axis, [10.0**e for e in exponents], texts)


def _few_ticks(axis: Axis, low: float, high: float, most: int) -> None:
    first = math.floor(math.log10(low))
    places = [m * 10.0**e for e in range(first, first + 3) for m in (1, 2, 5)]
    inside = [p for p in places if low <= p <= high]
    inside = inside[:: max(1, -(-len(inside) // most))]
    _ticks(axis, inside, [f"{p:g}" for p in inside])


def octaves(
    axes: Axes,
    values: Sequence[float],
    *,
    pad: float = 0.12,
    text: Callable[[float], str] | None = None,
) -> None:
    """Make the level axis logarithmic with a tick at each value, fractions written as `1/8`.

    Where labels would touch, only every second is written, or fewer.

    Args:
        axes: The panel.
        values: Positive, such as strides or step ratios.
        pad: Room left and right, in octaves.
        text: Writes a value; None for `ratio`.
    """
    ordered = sorted(set(values))
    axes.set_xscale("log", base=2)
    axes.set_xlim(ordered[0] * 2**-pad, ordered[-1] * 2**pad)
    texts = [(text or ratio)(v) for v in ordered]
    _ticks(axes.xaxis, ordered, _legible(axes, [math.log2(v) for v in ordered], texts, pad=pad))


def places(axes: Axes, names: Sequence[str], *, pad: float = 0.25) -> None:
    """Make the level axis one of equal steps with a name at each.

    Args:
        axes: The panel.
        names: From the left.
        pad: Room left and right, in steps.
    """
    axes.set_xlim(-pad, len(names) - 1 + pad)
    _ticks(axes.xaxis, range(len(names)), _legible(axes, range(len(names)), names, pad=pad))


def trivial_line(
    axes: Axes,
    score: float,
    *,
    right: bool = False,
    under: float | None = None,
    named: bool = True,
) -> None:
    """Draw what the trivial answer scores, as a dotted line with its name.

    Args:
        axes: A panel whose upright axis is a score.
        score: Of the majority class or the mean.
        right: Write the name at the right end instead of the left.
        under: Write it below the line around this place of the level axis instead.
        named: Whether to write it at all.
    """
    axes.axhline(score, color=MUTED, linewidth=0.9, linestyle=TRIVIAL, zorder=1)
    if not named:
        return
    end = under is None
    axes.annotate(
        "trivial answer",
        xy=(float(right) if under is None else under, score),
        xycoords=axes.get_yaxis_transform() if end else axes.transData,
        xytext=((-2 if right else 2), 2) if end else (0, -3),
        textcoords="offset points",
        ha=("right" if right else "left") if end else "center",
        va="baseline" if end else "top",
        color=MUTED,
        fontsize=8,
    )


def ratio(value: float) -> str:
    """Return a ratio as people write it: whole numbers and one over whole numbers.

    Example:
        >>> ratio(4.0), ratio(0.125), ratio(0.3)
        ('4', '1/8', '0.3')
    """
    if value >= 1 or value <= 0 or not math.isclose(1 / value, round(1 / value)):
        return f"{value:g}"
    return f"1/{round(1 / value)}"


def _legible(axes: Axes, at: Sequence[float], texts: Sequence[str], *, pad: float) -> list[str]:
    """Return the texts, all but every n-th emptied where neighbours would touch; the last stays."""
    span = at[-1] - at[0] + 2 * pad
    scale = points_wide(axes) / span if span else 0.0
    wide = [text_width([text]) for text in texts]
    for every in range(1, len(texts) + 1):
        kept = range(len(texts) - 1, -1, -every)
        if all(
            (at[i] - at[j]) * scale >= (wide[i] + wide[j]) / 2 + _GAP for i, j in pairwise(kept)
        ):
            break
    return [text if i in kept else "" for i, text in enumerate(texts)]


def _ticks(axis: Axis, places: Sequence[float], texts: Sequence[str]) -> None:
    axis.set_major_locator(FixedLocator(list(places)))
    axis.set_minor_locator(NullLocator())
    axis.set_ticklabels(list(texts))
