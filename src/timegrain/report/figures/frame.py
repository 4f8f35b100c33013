"""Figures with panels at known places, so that labels can be set beside them."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from timegrain.report.figures.style import INK

POINTS = 72.0
WIDE = 560.0  # of the page
NARROW = 276.0
TWO_COLUMNS = 504.0  # of a paper: 7 inches, 178 mm
ONE_COLUMN = 241.2  # 3.35 inches, 85 mm
ABOVE = 4.0  # points from a panel to what is written above it
_TITLE_LINE = 15.0
_CHARACTER = 5.3  # mean advance of DejaVu Sans at 8.5 points


@dataclass(frozen=True, kw_only=True)
class Panel:
    """Sizes of one panel, in points.

    Args:
        height: Of the plotting area.
        left: Room for tick labels.
        right: Room for labels beside the curves.
        top: Room for the panel's title and the label of its upright axis.
        bottom: Room for tick labels and the label of the level axis.
    """

    height: float = 190.0
    left: float = 38.0
    right: float = 12.0
    top: float = 34.0
    bottom: float = 36.0

    @property
    def total(self) -> float:
        """Height with the margins, in points."""
        return self.top + self.height + self.bottom


def frame(
    count: int, panel: Panel, *, width: float = WIDE, columns: int = 2, title: str | None = None
) -> tuple[Figure, list[Axes]]:
    """Return a figure with `count` panels in rows, and their axes.

    Args:
        count: Number of panels.
        panel: Sizes of each.
        width: Of the figure, in points.
        columns: Panels in a row; one where the figure is too narrow for two.
        title: Set above the panels, wrapped to the width.
    """
    columns = min(columns, count) if width >= WIDE * 0.8 else 1
    rows = -(-count // columns)
    lines = title_lines(title, width)
    head = _TITLE_LINE * len(lines) + (8.0 if lines else 0.0)
    height = head + rows * panel.total
    figure = Figure(figsize=(width / POINTS, height / POINTS))
    draw_title(figure, lines)
    cell = width / columns
    axes = []
    for i in range(count):
        row, column = divmod(i, columns)
        bottom = height - head - (row + 1) * panel.total + panel.bottom
        box = (column * cell + panel.left, bottom, cell - panel.left - panel.right, panel.height)
        axes.append(
            figure.add_axes((box[0] / width, box[1] / height, box[2] / width, box[3] / height))
        )
    return figure, axes


def title_lines(title: str | None, width: float) -> list[str]:
    """Return a title wrapped to the width of a figure, in points; no line for None."""
    return textwrap.wrap(title, int(width / (_CHARACTER * 1.22))) if title else []


def draw_title(figure: Figure, lines: Sequence[str]) -> None:
    """Write the lines of a title at the top of a figure."""
    width, height = (v * POINTS for v in figure.get_size_inches())
    for i, line in enumerate(lines):
        y = 1 - (_TITLE_LINE * i + 4.0) / height
        figure.text(
            4.0 / width, y, line, ha="left", va="top", color=INK, fontsize=10.5, fontweight="bold"
        )


def name_axes(
    axes: Axes, *, x: str, y: str, panel: str | None = None, panel_colour: str = INK
) -> None:
    """Label the axes: the upright one above its top left corner, where it can be read level.

    Args:
        axes: The panel.
        x: What runs along, with its unit.
        y: What runs up, with its unit.
        panel: Title of the panel.
        panel_colour: Of that title.
    """
    axes.set_xlabel(x, loc="left")
    axes.set_ylabel(y, rotation=0, ha="left", va="bottom")
    axes.yaxis.set_label_coords(0.0, 1 + ABOVE / points_high(axes))
    if panel is not None:
        axes.set_title(panel, loc="left", pad=19.0, color=panel_colour)


def points_high(axes: Axes) -> float:
    """Return the height of the plotting area in points."""
    return float(axes.bbox.height / axes.figure.dpi * POINTS)


def points_wide(axes: Axes) -> float:
    """Return the width of the plotting area in points."""
    return float(axes.bbox.width / axes.figure.dpi * POINTS)


def text_width(texts: Sequence[str]) -> float:
    """Return the room, in points, that the widest of some labels needs."""
    return max((len(t) for t in texts), default=0) * _CHARACTER


def widen(axes: Axes, points: float) -> None:
    """Move the right edge of a panel to the right.

    Args:
        axes: The panel.
        points: How far; to the left where negative.
    """
    box = axes.get_position()
    share = points / POINTS * axes.figure.dpi * box.width / axes.bbox.width
    axes.set_position((box.x0, box.y0, box.width + share, box.height))
