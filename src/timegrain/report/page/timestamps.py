"""The table of what was found in timestamps."""

from typing import TYPE_CHECKING

from timegrain.data.audit.words import duration
from timegrain.report.page.numbers import Cell, significant
from timegrain.report.page.parts import Table

if TYPE_CHECKING:
    from timegrain.continuity.task.result import TaskContinuity
    from timegrain.data.audit.result import TimestampAudit

MOST = 50


def audit_tables(result: "TaskContinuity") -> list[Table]:
    """Return the table of the recordings of a dataset, those with most findings first.

    Args:
        result: Of a dataset; one without times has no table.
    """
    if not result.audits:
        return []
    audits = sorted(result.audits, key=_findings, reverse=True)[:MOST]
    more = "" if len(audits) == len(result.audits) else f", the first {MOST}"
    table = Table(
        caption=(
            f"Timestamps of the {len(result.audits):,} recordings of {result.name}{more}. Gaps are "
            "left open, repeated times averaged, and recordings cut where their clock goes back."
            if len(result.audits) > 1
            else f"Timestamps of {result.name}"
        ),
        header=(
            "Recording",
            "Rows",
            "Step",
            "Jitter",
            "Gaps",
            "Longest gap",
            "Rows missing",
            "Repeats",
            "Steps back",
            "Zone changes",
            "Missing values",
            "What was done",
        ),
        rows=tuple(_row(a) for a in audits),
        folded=True,
    )
    empty = [
        name
        for name, zero in (
            ("Gaps", "0"),
            ("Longest gap", "0"),
            ("Rows missing", "0"),
            ("Repeats", "0"),
            ("Steps back", "0"),
            ("Zone changes", "0"),
            ("Missing values", "0 %"),
        )
        if set(table.column(name)) == {zero}
    ]
    return [table.without(*empty)]


def _findings(audit: "TimestampAudit") -> tuple[int, float]:
    counts = audit.n_gaps + audit.n_duplicates + audit.n_resets + audit.n_zone_changes
    return counts, audit.share_missing


def _row(audit: "TimestampAudit") -> tuple[Cell, ...]:
    return (
        Cell(text=audit.recording),
        Cell(text=f"{audit.n_rows:,}"),
        Cell(text=duration(audit.step, audit.unit), more="" if audit.regular else "irregular"),
        Cell(text=f"{significant(100 * audit.jitter, 2)} %"),
        Cell(text=f"{audit.n_gaps:,}"),
        Cell(text=duration(audit.longest_gap, audit.unit) if audit.n_gaps else "0"),
        Cell(text=f"{audit.n_missing_rows:,}"),
        Cell(text=f"{audit.n_duplicates:,}"),
        Cell(text=f"{audit.n_resets:,}"),
        Cell(text=f"{audit.n_zone_changes:,}"),
        Cell(text=f"{significant(100 * audit.share_missing, 2)} %"),
        Cell(text="; ".join(audit.actions) or "nothing"),
    )
