"""Rows with a place on one or more scales, before and after, under names at the left."""

from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from timegrain.report.figures.frame import POINTS, draw_title, points_wide, title_lines
from timegrain.report.figures.scales import level_decades
from timegrain.report.figures.sheet import LEADING, SMALL, KeyEntry, draw_key, key_columns, wrapped
from timegrain.report.figures.style import GRID, INK, MUTED, PAPER, short

_ROW = 13.0  # points from one row to the next
_LETTER = 4.7  # mean advance of the small letters
_GAP = 14.0
SHARE = 0.45  # of the width, that the names may take up


@dataclass(frozen=True, kw_only=True)
class Track:
    """One scale.

    Args:
        title: What is told there.
        x: Its axis, with the unit.
        pairs: `(before, after)` of each row; None where a value is not known.
        log: Whether the scale is logarithmic.
        lines: Places of dotted lines to compare with.
        notes: Written in rows without a value, by row.
    """

    title: str
    x: str
    pairs: tuple[tuple[float | None, float | None], ...]
    log: bool = False
    lines: tuple[float, ...] = ()
    notes: dict[int, str] | None = None


def draw_tracks(
    names: Sequence[str],
    tracks: Sequence[Track],
    *,
    width: float,
    key: Sequence[KeyEntry],
    strong: Sequence[int] = (),
    title: str | None = None,
) -> Figure:
    """Return a figure with a row for each name and a panel for each track.

    A ring is the value before, a dot that after, with a line between.

    Args:
        names: Of the rows, from the top.
        tracks: Scales, beside each other.
        width: Of the figure, in points.
        key: What ring and dot are.
        strong: Rows whose names are bold and whose marks are squares.
        title: Set above, wrapped to the width.
    """
    lines, columns = title_lines(title, width), key_columns(key, width)
    head = 15.0 * len(lines) + 8.0 * bool(lines)
    foot = 12.0 * -(-len(key) // columns) + 4.0
    left = min(SHARE * width, max(len(n) for n in names) * _LETTER + 12.0)
    each = (width - left - 8.0 - _GAP * (len(tracks) - 1)) / len(tracks)
    titles = ["\n".join(wrapped(t.title, each + _GAP - 4.0, bold=True)) for t in tracks]
    alongs = ["\n".join(wrapped(t.x, each + _GAP - 4.0)) for t in tracks]
    top = 6.0 + LEADING * max(text.count("\n") + 1 for text in titles)
    bottom = 18.0 + LEADING * max(text.count("\n") + 1 for text in alongs)
    high = _ROW * len(names)
    total = head + top + high + bottom + foot
    figure = Figure(figsize=(width / POINTS, total / POINTS))
    draw_title(figure, lines)
    for i, track in enumerate(tracks):
        at = left + i * (each + _GAP)
        box = (at / width, (foot + bottom) / total, each / width, high / total)
        axes = figure.add_axes(box)
        _level(axes, track)
        _rows(axes, names if i == 0 else [""] * len(names), strong)
        _draw(axes, track, strong)
        axes.set_title(titles[i], loc="left", fontsize=SMALL, pad=4.0, linespacing=1.1)
        axes.set_xlabel(alongs[i], loc="left", fontsize=SMALL, linespacing=1.1, labelpad=2.0)
        axes.set_ylabel("row")
        axes.yaxis.label.set_visible(False)
    draw_key(figure, key, columns)
    return figure


def fitting(long: str, brief: str, width: float) -> str:
    """Return the long name of a row where it fits beside the tracks, else the brief one, cut."""
    limit = int((SHARE * width - 12.0) / _LETTER)
    return long if len(long) <= limit else short(brief, limit)


def _level(axes: Axes, track: Track) -> None:
    known = [v for pair in track.pairs for v in pair if v is not None]
    axes.tick_params(axis="x", labelsize=SMALL, pad=2)
    if track.log:
        positive = [v for v in known if v > 0] or [0.1, 1.0]
        level_decades(axes, min(positive) / 1.7, max(positive) * 1.7)
        return
    ends = [0.0, *track.lines, *known]
    low, high = min(ends), max(ends)
    room = 0.08 * ((high - low) or 1.0)
    axes.set_xlim(low - room, high + room)
    axes.locator_params(axis="x", nbins=max(2, int(points_wide(axes) / 30.0)))


def _rows(axes: Axes, names: Sequence[str], strong: Sequence[int]) -> None:
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.yaxis.set_major_locator(FixedLocator(list(range(len(names)))))
    axes.yaxis.set_minor_locator(NullLocator())
    labels = axes.set_yticklabels(list(names), fontsize=SMALL, color=INK)
    for i in strong:
        labels[i].set_fontweight("bold")
    axes.grid(visible=True, axis="y", color=GRID)


def _draw(axes: Axes, track: Track, strong: Sequence[int]) -> None:
    for place in track.lines:
        axes.axvline(place, color=MUTED, linewidth=0.9, linestyle=(0, (1, 2)), zorder=1)
    lowest = axes.get_xlim()[0]
    for row, pair in enumerate(track.pairs):
        shown = [max(v, lowest) for v in pair if v is not None]
        mark = "s" if row in strong else "o"
        if len(shown) == 2:
            axes.plot(shown, [row, row], color=MUTED, linewidth=1.2, zorder=2)
        for value, face in zip(pair, (PAPER, INK), strict=True):
            if value is not None:
                axes.plot(
                    [max(value, lowest)],
                    [row],
                    marker=mark,
                    markersize=5.5 if face == PAPER else 4.5,
                    markerfacecolor=face,
                    markeredgecolor=INK,
                    linestyle="none",
                    zorder=3,
                    clip_on=False,
                )
        if not shown and track.notes and row in track.notes:
            axes.annotate(
                track.notes[row],
                xy=(0.02, row),
                xycoords=axes.get_yaxis_transform(),
                va="center",
                fontsize=7.0,
                color=MUTED,
            )
