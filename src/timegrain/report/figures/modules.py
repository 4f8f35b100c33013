"""What each module of a model keeps of its memory, and how far its output moves."""

from typing import TYPE_CHECKING

from timegrain.report.figures.frame import WIDE
from timegrain.report.figures.sheet import KeyEntry
from timegrain.report.figures.style import INK, display, short, styled
from timegrain.report.figures.tracks import Track, draw_tracks, fitting
from timegrain.report.figures.words import Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from timegrain.continuity.localisation.result import Localisation, ModuleRow

_MOST = 26  # rows that a column of a page holds
_HALF = 0.5  # of the memory: below it collapses


def module_rows(result: "Localisation", *, width: float = WIDE, title: bool = True) -> "Figure":
    """Draw, for each module in the order in which calls end, its memory kept and its change.

    Args:
        result: Of one model.
        width: Of the figure, in points.
        title: Whether to write the title above.
    """
    with styled():
        shown = _shown(result)
        return draw_tracks(
            [fitting(_name(row), row.module or "whole model", width) for row in shown],
            [
                Track(
                    title="Memory kept",
                    x="finest over working grid",
                    pairs=tuple((None, row.memory_ratio) for row in shown),
                    lines=(_HALF, 1.0),
                    notes=dict.fromkeys(range(len(shown)), "none to keep"),
                ),
                Track(
                    title="Moves by",
                    x="relative, log scale",
                    pairs=tuple((None, row.change or None) for row in shown),
                    log=True,
                    notes={
                        i: "not at all" if row.change == 0 else "unknown"
                        for i, row in enumerate(shown)
                    },
                ),
            ],
            width=width,
            key=[
                KeyEntry(text="a module", line="", mark="o", colour=INK),
                KeyEntry(text="where continuity is lost", line="", mark="s", colour=INK),
            ],
            strong=[i for i, row in enumerate(shown) if row.loses],
            title=module_words(result).title if title else None,
        )


def _shown(result: "Localisation") -> "list[ModuleRow]":
    """Return all modules, or of very many those that lose something, the first and the last."""
    rows = result.modules
    if len(rows) <= _MOST:
        return list(rows)
    kept = [row for row in rows if row.loses][: _MOST // 2]
    rest = [row for row in rows if row not in kept]
    kept += rest[: _MOST - len(kept) - 1] + rest[-1:]
    return sorted(kept, key=lambda row: row.position)


def _name(row: "ModuleRow") -> str:
    return f"{row.module} ({row.type})" if row.module else f"whole model ({row.type})"


def module_words(result: "Localisation") -> Words:
    """Return the title, the caption and the description of `module_rows`."""
    shown = _shown(result)
    lost = next((row for row in result.modules if row.loses), None)
    name = short(display(result.name), 24)
    if lost is None:
        title = f"{name}: no module that was measured loses continuity"
    else:
        title = f"{name}: {_name(lost)} is the first that loses {lost.loses}"
    caption = (
        "Modules in the order in which their calls end. Left: the memory on the finest grid over "
        "that on the working grid, in units of time: at 1 (dotted) all is kept, below one half "
        "(dotted) it collapses, and what is computed time by time has none. Right: how far the "
        "output moves from the coarsest grid to the finest, over its size there. Names in bold, "
        "with squares, are where continuity is lost."
    )
    if len(shown) < len(result.modules):
        caption += f" {len(shown)} of {len(result.modules)} modules are drawn."
    said = "; ".join(
        f"{_name(row)}: memory "
        + ("none" if row.memory_ratio is None else f"times {row.memory_ratio:.2g}")
        + ("" if row.change is None else f", moves by {row.change:.2g}")
        for row in shown
    )
    return Words(title=title, caption=caption, description=f"Modules in order. {said}.")
