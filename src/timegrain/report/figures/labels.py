"""Labels at the ends of curves, spread so that none covers another."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.transforms import ScaledTranslation

from timegrain.report.figures.frame import ABOVE, POINTS, points_high
from timegrain.report.figures.style import INK, MUTED

LINE = 11.5  # points from one label to the next
_NEAR = 0.95  # of the panel's width; a curve that ends before has a dotted line to its label
_ROOM = 12.0  # points between the panel and its labels


@dataclass(frozen=True, kw_only=True)
class EndLabel:
    """A label for the end of a curve.

    Args:
        x: Where the curve ends, in data.
        y: Likewise.
        text: What the curve is.
        colour: Of the line that leads from the curve to the label.
    """

    x: float
    y: float
    text: str
    colour: str


def label_ends(axes: Axes, labels: Sequence[EndLabel], *, heading: str | None = None) -> None:
    """Write labels to the right of a panel, each led to by a line from the end of its curve.

    The limits and scales of the axes have to be final.

    Args:
        axes: The panel.
        labels: In any order.
        heading: What the labels hold, written above them.
    """
    high = points_high(axes)
    fraction = axes.transData + axes.transAxes.inverted()
    ordered = sorted(labels, key=lambda e: fraction.transform((e.x, e.y))[1])
    wanted = [float(fraction.transform((e.x, e.y))[1]) * high for e in ordered]
    shift = ScaledTranslation(_ROOM / POINTS, 0, axes.figure.dpi_scale_trans)
    if heading is not None and labels:
        axes.annotate(
            heading,
            xy=(1.0, 1 + ABOVE / high),
            xycoords=axes.transAxes + shift,
            va="bottom",
            color=MUTED,
            annotation_clip=False,
        )
    for label, y in zip(ordered, spread(wanted, gap=LINE, high=high - 5.0), strict=True):
        axes.annotate(
            label.text,
            xy=(label.x, label.y),
            xytext=(1.0, y / high),
            textcoords=axes.transAxes + shift,
            va="center",
            ha="left",
            color=INK,
            annotation_clip=False,
            arrowprops={
                "arrowstyle": "-",
                "color": label.colour,
                "linewidth": 1.0,
                # a line across the panel must not read as data
                "linestyle": ":" if fraction.transform((label.x, label.y))[0] < _NEAR else "-",
                "shrinkA": 0,
                "shrinkB": 3,
                "relpos": (0, 0.5),
            },
        )


def spread(wanted: Sequence[float], *, gap: float, high: float) -> list[float]:
    """Return places at least `gap` apart, as near as can be to ascending wanted ones.

    Args:
        wanted: Ascending places.
        gap: Least distance between neighbours.
        high: Places stay within `0..high` where there is room for all.

    Example:
        >>> spread([10.0, 10.0, 40.0], gap=10.0, high=50.0)
        [5.0, 15.0, 40.0]
    """
    steps = np.arange(len(wanted)) * gap
    blocks: list[list[float]] = []
    for value in np.asarray(wanted) - steps:
        blocks.append([float(value)])
        while len(blocks) > 1 and np.mean(blocks[-2]) > np.mean(blocks[-1]):
            last = blocks.pop()
            blocks[-1] += last
    level = np.repeat([np.mean(b) for b in blocks], [len(b) for b in blocks])
    top = max(high - (len(wanted) - 1) * gap, 0.0)
    return [float(v) for v in np.clip(level, 0.0, top) + steps]


def merge_equal(
    labels: Sequence[EndLabel], *, noun: str, plural: str, ratio: float = 1.02
) -> list[EndLabel]:
    """Return the labels with those of curves that end at the same place made one.

    Args:
        labels: Texts without the noun.
        noun: Put before each text that is left.
        plural: Stands for all of several, when all end at the same place.
        ratio: Ends whose values are within this factor count as the same.
    """
    groups: list[list[EndLabel]] = []
    for label in sorted(labels, key=lambda e: e.y):
        if groups and groups[-1][0].y > 0 and label.y <= ratio * groups[-1][0].y:
            groups[-1].append(label)
        else:
            groups.append([label])
    if len(groups) == 1 and len(labels) > 1:
        return [dataclasses.replace(groups[0][-1], text=f"all {plural}")]
    return [
        dataclasses.replace(g[-1], text=f"{noun} " + ", ".join(e.text for e in g)) for g in groups
    ]
