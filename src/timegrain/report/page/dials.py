"""The sections on dials and on windows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.continuity.windows.result import horizon_text
from timegrain.data.units import duration_text
from timegrain.report.figures.doses import dose_curves, dose_words
from timegrain.report.figures.windows import window_curves, window_words
from timegrain.report.page.numbers import Cell, cell, fixed, significant
from timegrain.report.page.parts import Plate, Section, Table, attributed, named

if TYPE_CHECKING:
    from timegrain.continuity.dose.result import DoseResponse, DoseRow
    from timegrain.continuity.windows.result import WindowProfile, WindowRow


def dose_section(results: "Sequence[DoseResponse]") -> Section:
    """Return the section with a panel a dial, and the table of doses.

    Args:
        results: One a dataset.
    """
    plate = Plate(
        draw=lambda width: dose_curves(results, width=width, title=False),
        words=dose_words(results),
    )
    return Section(
        key="dials",
        heading="What follows when one thing is changed?",
        lead=(
            "A number that goes with continuity on many datasets may go with something else. Here "
            "one dataset is changed in one way at a time, and measured again."
        ),
        plates=(plate,),
        tables=tuple(_doses(r) for r in results),
        notes=attributed(pair for r in results for pair in named(r.name, r.notes)),
    )


def _doses(result: "DoseResponse") -> Table:
    kept = result.stride is not None
    header = ("Dial and dose", "D(2)", "Horizon, samples")
    more = (f"Retention at stride {result.stride}", f"Score ({result.metric})") if kept else ()
    return Table(
        caption=f"The doses of {result.name}, with 95 % intervals",
        header=header + more,
        rows=tuple(_dose(row, kept) for row in result.doses),
    )


def _dose(row: "DoseRow", kept: bool) -> tuple[Cell, ...]:
    unit = " dB" if row.unit == "dB" and row.dose is not None else ""
    sign = "≥" if row.horizon_open else ""
    cells = (
        Cell(text=f"{row.dial.replace('_', ' ')} {row.dose_text}{unit}"),
        _with_ends(row.discontinuity, row.low, row.high, "nothing varies"),
        Cell(text=f"{sign}{row.horizon}"),
    )
    if not kept:
        return cells
    retention = cell(None, why=row.reason)
    if row.retention is not None:
        ends = ""
        if row.retention_low is not None and row.retention_high is not None:
            ends = f"{fixed(row.retention_low)} to {fixed(row.retention_high)}"
        retention = Cell(text=fixed(row.retention), more=ends)
    return (*cells, retention, cell(row.score, why=row.reason))


def window_section(results: "Sequence[WindowProfile]") -> Section:
    """Return the section with D and the horizon against the window.

    Args:
        results: One a dataset.
    """
    plate = Plate(
        draw=lambda width: window_curves(results, width=width, title=False),
        words=window_words(results),
    )
    return Section(
        key="windows",
        heading="How much does it depend on the window?",
        lead="Roughness is a share of the variation in a window, and longer windows hold more.",
        plates=(plate,),
        tables=tuple(_windows(r) for r in results),
        notes=attributed(pair for r in results for pair in named(r.name, r.notes)),
    )


def _windows(result: "WindowProfile") -> Table:
    return Table(
        caption=f"The windows of {result.name}, with 95 % intervals",
        header=("Window, samples", "Pieces", "D(2)", "Exponent", "Horizon, samples"),
        rows=tuple(_window(row, result.unit) for row in result.windows),
        folded=True,
    )


def _window(row: "WindowRow", unit: str) -> tuple[Cell, ...]:
    duration = "" if unit == "sample" else duration_text(row.duration, unit)
    return (
        Cell(text=f"{row.window:,}", more=duration),
        Cell(text=f"{row.n_pieces:,}"),
        _with_ends(row.discontinuity, row.low, row.high, "nothing varies"),
        cell(row.exponent, why="too few strides for a law"),
        Cell(
            text=horizon_text(row).replace(">=", "≥"),
            more=f"{row.horizon_low} to {row.horizon_high}",
        ),
    )


def _with_ends(value: float | None, low: float | None, high: float | None, why: str) -> Cell:
    if value is None:
        return cell(None, why=why)
    ends = "" if low is None or high is None else f"{significant(low)} to {significant(high)}"
    return Cell(text=significant(value), more=ends)
