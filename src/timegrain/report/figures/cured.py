"""Errors and orders of a model before and after its cures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.continuity.model.options import nearest
from timegrain.report.figures.frame import WIDE
from timegrain.report.figures.sheet import KeyEntry
from timegrain.report.figures.style import INK, PAPER, display, short, styled
from timegrain.report.figures.tracks import Track, draw_tracks, fitting
from timegrain.report.figures.words import Words

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from timegrain.continuity.remedies.result import Remedy, RemedyError

_MOST = 28  # rows that a column of a page holds


def cure_rows(results: "Sequence[Remedy]", *, width: float = WIDE, title: bool = True) -> "Figure":
    """Draw the error at tau 1 and the order before and after each cure, a row an amplitude.

    Args:
        results: One a cure, of one model.
        width: Of the figure, in points.
        title: Whether to write the title above.
    """
    with styled():
        rows = _rows(results)
        return draw_tracks(
            [_label(r, e, width) for r, e in rows],
            [
                Track(
                    title="Error",
                    x="at tau 1, log scale",
                    pairs=tuple((e.before or None, e.after or None) for _, e in rows),
                    log=True,
                    notes=dict.fromkeys(range(len(rows)), "no limit"),
                ),
                Track(
                    title="Order",
                    x="of convergence",
                    pairs=tuple(_orders(r, e) for r, e in rows),
                    lines=(1.0, 2.0),
                ),
            ],
            width=width,
            key=[
                KeyEntry(text="before", line="", mark="o", colour=INK, face=PAPER),
                KeyEntry(text="after", line="", mark="o", colour=INK),
            ],
            title=cure_words(results).title if title else None,
        )


def _rows(results: "Sequence[Remedy]") -> "list[tuple[Remedy, RemedyError]]":
    """Return every cure at every amplitude, or at the main one alone where a page is too short."""
    rows = [(r, e) for r in results for e in r.errors]
    if len(rows) > _MOST:
        rows = [(r, e) for r, e in rows if e.amplitude == _main(r)]
    return rows


def _main(result: "Remedy") -> float:
    return result.amplitudes[nearest(result.amplitudes)]


def _label(result: "Remedy", error: "RemedyError", width: float) -> str:
    at = "" if len(result.errors) == 1 else f", a = {error.amplitude:g}"
    brief = short(result.cure, 20 - len(at)) + at
    return fitting(result.cure + at, brief, width)


def _orders(result: "Remedy", error: "RemedyError") -> tuple[float | None, float | None]:
    if error.amplitude != _main(result):
        return None, None
    return result.at("before").order, result.at("after").order


def cure_words(results: "Sequence[Remedy]") -> Words:
    """Return the title, the caption and the description of `cure_rows`."""
    name = short(display(results[0].name), 24)
    known = [
        (after / before, before, after, r.cure)
        for r in results
        if (before := r.at("before").error) and (after := r.at("after").error) is not None
    ]
    title = f"{name}: errors before and after each cure"
    if known:
        share, before, after, cure = min(known)
        title = f"{name}: {cure} takes the error at tau 1 from {before:.2g} to {after:.2g}"
        if share >= 1:
            title = f"{name}: no cure lowers the error at tau 1"
    caption = (
        "Rings are the model before, dots after a cure. Left: the error on the working grid, "
        "relative, each against the limit of the model measured"
    )
    if any(len(r.errors) > 1 for r in results):
        caption += ", at amplitude a of the input"
    caption += (
        ". Right: the order of convergence at the amplitude nearest 1; at 1 half the step halves "
        "the error, at 2 it quarters it (dotted)."
    )
    said = "; ".join(
        f"{r.cure} at amplitude {e.amplitude:g}: error "
        + " to ".join("unknown" if v is None else f"{v:.2g}" for v in (e.before, e.after))
        for r, e in _rows(results)
    )
    return Words(title=title, caption=caption, description=f"Before and after. {said}.")
