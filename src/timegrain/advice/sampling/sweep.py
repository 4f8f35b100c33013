"""The retention of a label over windows and strides, thinned and filtered."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from timegrain.advice.sampling.choice import KEEP
from timegrain.advice.sampling.result import Kept, SweepRow
from timegrain.continuity.retention.result import LabelRetention, RetentionRow

Measure = Callable[[int | None, str], LabelRetention]
"""Returns the retention in a window, `"phase"` or `"fir"`."""


def thinned_rows(retention: LabelRetention) -> list[SweepRow]:
    """Return the sweep of one window, thinned without a filter."""
    return [
        SweepRow(
            window=retention.window,
            stride=row.stride,
            dt=row.dt,
            n_cases=retention.n_cases,
            thinned=kept(row),
            filtered=None,
            keeps=_keeps([kept(row)]),
            reason=row.reason,
        )
        for row in retention.profile
    ]


def with_filtered(rows: Sequence[SweepRow], filtered: LabelRetention | str) -> list[SweepRow]:
    """Return the rows with what is kept behind a filter; it counts as much as thinning.

    Args:
        rows: Of the window that was filtered, and of others.
        filtered: The retention behind the filter, or why there is none.
    """
    return [_joined(row, filtered) for row in rows]


def kept(row: RetentionRow | None) -> Kept | None:
    """Return what a stride keeps, or None where it could not be measured."""
    if row is None or row.score is None or row.skill is None:
        return None
    return Kept(
        score=row.score,
        low=row.low,
        high=row.high,
        skill=row.skill,
        retention=row.retention,
        retention_low=row.retention_low,
        retention_high=row.retention_high,
    )


def _joined(row: SweepRow, filtered: LabelRetention | str) -> SweepRow:
    if row.stride == 1:
        return row
    if isinstance(filtered, str):
        return replace(row, reason=row.reason or filtered)
    if row.window != filtered.window:
        return row
    found = filtered.at(row.stride)
    behind = kept(found)
    reason = row.reason or (found.reason if found is not None else "")
    return replace(
        row, filtered=behind, keeps=row.keeps and _keeps([row.thinned, behind]), reason=reason
    )


def _keeps(both: Sequence[Kept | None]) -> bool:
    known = [k for k in both if k is not None]
    return bool(known) and all(
        k.retention_low is not None and k.retention_low >= KEEP for k in known
    )
