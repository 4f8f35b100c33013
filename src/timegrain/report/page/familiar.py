"""The table of words people know, beside the profile."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.continuity.task.familiar.line import frequency_text
from timegrain.report.page.numbers import Cell, cell, near_one
from timegrain.report.page.parts import Table

if TYPE_CHECKING:
    from timegrain.continuity.task.result import TaskContinuity

_FIELDS = ("autocorrelation", "spectral_edge", "spectral_entropy")


def familiar_tables(results: "Sequence[TaskContinuity]") -> tuple[Table, ...]:
    """Return the table of autocorrelations and spectra; none where no result has any.

    Args:
        results: One a dataset.
    """
    if all(getattr(r, field) is None for r in results for field in _FIELDS):
        return ()
    return (
        Table(
            caption=(
                "The same data in familiar words: correlation of neighbouring samples, the "
                "frequency below which 95 % of the power lies, and how evenly power is spread over "
                "frequency (0 one tone, 1 white noise)"
            ),
            header=("Dataset", "Lag-1 correlation", "95 % spectral edge", "Spectral entropy"),
            rows=tuple(_row(r) for r in results),
            folded=True,
        ),
    )


def _row(r: "TaskContinuity") -> tuple[Cell, ...]:
    lag, edge = (cell(None, why=r.reasons.get(f, "")) for f in ("autocorrelation", "spectral_edge"))
    if r.autocorrelation is not None:
        lag = Cell(text=near_one(r.autocorrelation))
    if r.spectral_edge is not None:
        edge = Cell(text=frequency_text(r.spectral_edge, r.unit))
    why = r.reasons.get("spectral_entropy", "")
    return Cell(text=r.name), lag, edge, cell(r.spectral_entropy, why=why, digits=2)
