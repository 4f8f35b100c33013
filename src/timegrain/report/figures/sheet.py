"""Panels on one sheet that fits a page: large ones with labels, or small ones with a key."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from timegrain.report.figures.frame import (
    POINTS,
    WIDE,
    Panel,
    draw_title,
    frame,
    name_axes,
    title_lines,
)
from timegrain.report.figures.labels import EndLabel, label_ends
from timegrain.report.figures.style import INK, LineStyle

TALLEST = 490.0  # points; the text of a page of a journal is about 650 high
_LARGEST = 450.0  # points of large panels, one row below another
SMALL = 7.5  # points of the letters beside small panels
_LOWEST = 46.0
LEADING = 9.5  # points from one line of small letters to the next
_LETTER = 0.6  # mean advance of DejaVu Sans over its size
_BOLD = 0.69
_LEFT, _RIGHT = 33.0, 7.0  # beside a small panel
_TICKS = 14.0
_HANDLE = 34.0  # points of a key's sample and what is around it


@dataclass(frozen=True, kw_only=True)
class PanelWords:
    """What is written around one panel.

    Args:
        title: Of the panel; empty for none.
        x: What runs along, with its unit.
        y: What runs up, with its unit.
        colour: Of the title.
    """

    title: str
    x: str
    y: str
    colour: str = INK


@dataclass(frozen=True, kw_only=True)
class KeyEntry:
    """A line of the key below small panels.

    Args:
        text: What is drawn so.
        colour: As `#rrggbb`.
        line: A line style of matplotlib's.
        mark: A marker, or None.
        face: Colour inside the marker; None for `colour`.
        weight: Width of the line, in points.
        alpha: Opacity.
    """

    text: str
    colour: str = INK
    line: LineStyle = "-"
    mark: str | None = None
    face: str | None = None
    weight: float = 1.6
    alpha: float = 1.0


@dataclass(frozen=True, kw_only=True)
class Sheet:
    """A figure with its panels.

    Args:
        figure: The figure.
        panels: In reading order.
        small: Whether a key stands below the panels in the place of labels beside them.
    """

    figure: Figure
    panels: tuple[Axes, ...]
    small: bool

    def label(self, axes: Axes, labels: Sequence[EndLabel], *, heading: str | None = None) -> None:
        """Write labels beside a panel, unless the key has them."""
        if not self.small:
            label_ends(axes, labels, heading=heading)


def sheet(
    words: Sequence[PanelWords],
    panel: Panel,
    *,
    width: float,
    key: Sequence[KeyEntry],
    columns: int = 2,
    title: str | None = None,
) -> Sheet:
    """Return a sheet with a panel for each of `words`.

    A panel alone, and panels that need not be high in two columns of a paper, are as large as
    `panel` says and labelled at the ends of their curves. Others are small, stand side by side, and
    share the key below them and whatever name of an axis all have.

    Args:
        words: One a panel.
        panel: Sizes of a large one.
        width: Of the figure, in points.
        key: What the key says.
        columns: Large panels in a row.
        title: Set above the panels, wrapped to the width.
    """
    rows = -(-len(words) // columns)
    if len(words) == 1 or (width >= WIDE * 0.8 and rows * panel.total <= _LARGEST):
        figure, axes = frame(len(words), panel, width=width, columns=columns, title=title)
        for place, text in zip(axes, words, strict=True):
            name_axes(place, x=text.x, y=text.y, panel=text.title or None, panel_colour=text.colour)
        return Sheet(figure=figure, panels=tuple(axes), small=False)
    return _small(words, width, key, title)


@dataclass(frozen=True, kw_only=True)
class _Grid:
    """Places on a sheet of small panels, in points."""

    width: float
    columns: int
    rows: int
    shared: bool
    titles: int
    ups: int
    alongs: int
    head: float
    foot: float

    @property
    def cell(self) -> float:
        return self.width / self.columns

    @property
    def above(self) -> float:
        names = 0 if self.shared else self.ups
        return LEADING * (self.titles + names) + 8.0

    @property
    def below(self) -> float:
        return _TICKS + (0.0 if self.shared else LEADING * self.alongs + 2.0)

    @property
    def high(self) -> float:
        """Of one plotting area: as high as the page lets it, from low to as high as it is wide."""
        room = (TALLEST - self.head - self.foot) / self.rows - self.above - self.below
        return max(_LOWEST, min(room, 0.95 * (self.cell - _LEFT - _RIGHT)))

    @property
    def total(self) -> float:
        return self.head + self.rows * (self.above + self.high + self.below) + self.foot


def _small(
    words: Sequence[PanelWords], width: float, key: Sequence[KeyEntry], title: str | None
) -> Sheet:
    wide = width >= WIDE * 0.8
    columns = min(
        len(words), (4 if len(words) in (4, 7, 8) or len(words) > 9 else 3) if wide else 2
    )
    cell, shared = width / columns, len({(w.x, w.y) for w in words}) == 1
    across, lines = key_columns(key, width), title_lines(title, width)
    before = _LEFT if shared else 6.0  # of a title, to the left or right of it
    grid = _Grid(
        width=width,
        columns=columns,
        rows=-(-len(words) // columns),
        shared=shared,
        titles=max(len(wrapped(w.title, cell - before, bold=True)) for w in words),
        ups=max(len(wrapped(w.y, cell - 6.0)) for w in words),
        alongs=max(len(wrapped(w.x, cell - _LEFT)) for w in words),
        head=(15.0 * len(lines) + 8.0 * bool(lines)) + (LEADING + 3.0) * shared,
        foot=(LEADING + 3.0) * shared + 12.0 * -(-len(key) // across) * bool(key) + 4.0,
    )
    figure = Figure(figsize=(width / POINTS, grid.total / POINTS))
    draw_title(figure, lines)
    axes = [_panel(figure, grid, i, text) for i, text in enumerate(words)]
    if key:
        draw_key(figure, key, across)
    return Sheet(figure=figure, panels=tuple(axes), small=True)


def _panel(figure: Figure, grid: _Grid, i: int, words: PanelWords) -> Axes:
    row, column = divmod(i, grid.columns)
    step = grid.above + grid.high + grid.below
    bottom = grid.total - grid.head - (row + 1) * step + grid.below
    left, wide = column * grid.cell + _LEFT, grid.cell - _LEFT - _RIGHT
    box = (
        left / grid.width,
        bottom / grid.total,
        wide / grid.width,
        grid.high / grid.total,
    )
    axes = figure.add_axes(box)
    axes.tick_params(labelsize=SMALL, pad=2)
    title = wrapped(words.title, grid.cell - (_LEFT if grid.shared else 6.0), bold=True)
    up, along = wrapped(words.y, grid.cell - 6.0), wrapped(words.x, grid.cell - _LEFT)
    above = 4.0
    outer = 0.0 if grid.shared else (4.0 - _LEFT) / wide
    if grid.shared:
        up, along = [words.y], [words.x]
        above += LEADING * grid.titles + 3.0
    axes.set_xlabel("\n".join(along), loc="left", fontsize=SMALL, linespacing=1.1)
    axes.set_ylabel(
        "\n".join(up), rotation=0, ha="left", va="bottom", fontsize=SMALL, linespacing=1.1
    )
    axes.xaxis.set_label_coords(outer, -_TICKS / grid.high)
    axes.yaxis.set_label_coords((4.0 - _LEFT) / wide, 1 + above / grid.high)
    axes.xaxis.label.set_visible(not grid.shared or (column == 0 and row == grid.rows - 1))
    axes.yaxis.label.set_visible(not grid.shared or i == 0)
    axes.set_title(
        "\n".join(title),
        loc="left",
        x=outer,
        pad=4.0 if grid.shared else 4.0 + LEADING * grid.ups,
        fontsize=SMALL,
        linespacing=1.1,
        color=words.colour,
    )
    return axes


def wrapped(text: str, room: float, *, bold: bool = False) -> list[str]:
    """Return lines of small letters that fit into `room` points: two, or three bold ones."""
    letter = SMALL * (_BOLD if bold else _LETTER)
    return textwrap.wrap(
        text, max(8, int(room / letter)), max_lines=3 if bold else 2, placeholder="…"
    )


def key_columns(key: Sequence[KeyEntry], width: float) -> int:
    """Return in how many columns a key fits into `width` points."""
    longest = max((len(e.text) for e in key), default=0) * SMALL * _LETTER + _HANDLE
    return max(1, min(len(key), int((width - 8.0) / longest)))


def draw_key(figure: Figure, key: Sequence[KeyEntry], columns: int) -> None:
    """Draw a key at the foot of a figure."""
    handles = [
        Line2D(
            [],
            [],
            color=e.colour,
            linestyle=e.line,
            linewidth=e.weight,
            marker=e.mark,
            markersize=4.5,
            markerfacecolor=e.face or e.colour,
            alpha=e.alpha,
            label=e.text,
        )
        for e in key
    ]
    figure.legend(
        handles=handles,
        loc="lower left",
        bbox_to_anchor=(0.0, 0.0),
        ncols=columns,
        frameon=False,
        fontsize=SMALL,
        handlelength=2.6,
        handletextpad=0.6,
        columnspacing=1.2,
        labelspacing=0.25,
        borderpad=0.1,
        borderaxespad=0.3,
    )
