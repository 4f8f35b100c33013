"""The timestamp audit of one recording."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.audit import words
from timegrain.data.audit.duplicates import without_duplicates
from timegrain.data.audit.gaps import Gaps, open_gaps
from timegrain.data.audit.order import Order, find_order
from timegrain.data.audit.result import TimestampAudit
from timegrain.data.audit.steps import Steps, grid_steps, measure_steps
from timegrain.data.audit.stretch import Stretch

SHARE_DUPLICATES = 0.5


@dataclass(frozen=True, kw_only=True)
class Clock:
    """What is known of the clock that wrote the times.

    Args:
        unit: Of the times.
        day: Length of a day in that unit, for times of day, which start again at midnight.
        local: Dates without a zone, whose offset from UTC may change unseen.
        offsets: Offsets from UTC as written, in the order in which they change; for zones.
    """

    unit: str
    day: float | None = None
    local: bool = False
    offsets: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class Audited:
    """A recording whose times can be measured.

    Args:
        stretches: Two samples or more each, with strictly increasing times.
        audit: What was found.
        steps: Statistics of its steps.
    """

    stretches: tuple[Stretch, ...]
    audit: TimestampAudit
    steps: Steps


def audit_recording(
    rows: Stretch, clock: Clock, *, recording: str, where: str, alone: bool = True
) -> Audited:
    """Return a recording cut where its clock goes back, without duplicates, its gaps left open.

    Args:
        rows: As they stand in the file.
        clock: What wrote their times.
        recording: Its name.
        where: File and recording, for errors.
        alone: No column tells recordings apart.

    Raises:
        DataError: If a time is missing, a tenth of the steps go back, most rows share a time, or
            fewer than two samples remain.

    Example:
        >>> t = np.array([0.0, 1.0, 1.0, 2.0, 3.0, 0.0, 1.0])
        >>> found = audit_recording(
        ...     Stretch(times=t, values=t[:, None]), Clock(unit="s"), recording="a", where="a.csv"
        ... )
        >>> found.audit.n_duplicates, found.audit.n_resets, [len(s) for s in found.stretches]
        (1, 1, [4, 2])
    """
    steps = grid_steps(rows.times)
    if steps is not None:
        return _on_grid(rows, clock, steps, recording)
    order = find_order(rows.times, where, day=clock.day)
    pairs = [without_duplicates(part) for part in _cut(rows, order)]
    lost = sum(n for _, n in pairs)
    _check_duplicates(lost, rows, where)
    long = [part for part, _ in pairs if len(part) > 1]
    if not long:
        raise DataError(
            f"{where} has too few samples to be a time series",
            got=f"{len(rows)} rows, of which no two follow each other in time",
            expected="two times or more, in order",
        )
    steps = measure_steps([part.times for part in long])
    opened = [open_gaps(part, steps) for part in long]
    gaps = sum((g for _, g in opened), Gaps())
    stretches = _numbered([part for part, _ in opened])
    audit = TimestampAudit(
        recording=recording,
        unit=clock.unit,
        n_rows=len(rows),
        step=steps.median,
        jitter=steps.jitter,
        regular=steps.regular,
        n_gaps=gaps.number,
        gap_time=gaps.time,
        longest_gap=gaps.longest,
        n_missing_rows=gaps.rows,
        n_duplicates=lost,
        n_resets=len(order.cuts),
        n_zone_changes=max(len(clock.offsets) - 1, 0),
        share_missing=_share_missing(stretches, gaps),
        actions=tuple(
            words.actions(
                order=order,
                lost=lost,
                lonely=len(pairs) - len(long),
                gaps=gaps,
                steps=steps,
                clock=clock,
                n_rows=len(rows),
                alone=alone,
            )
        ),
    )
    return Audited(stretches=stretches, audit=audit, steps=steps)


def _on_grid(rows: Stretch, clock: Clock, steps: Steps, recording: str) -> Audited:
    audit = TimestampAudit(
        recording=recording,
        unit=clock.unit,
        n_rows=len(rows),
        step=steps.median,
        jitter=0.0,
        regular=True,
        n_zone_changes=max(len(clock.offsets) - 1, 0),
        share_missing=_share_missing((rows,), Gaps()),
        actions=tuple(words.zones(clock.offsets)),
    )
    return Audited(stretches=(rows,), audit=audit, steps=steps)


def _cut(rows: Stretch, order: Order) -> list[Stretch]:
    whole = rows.rows(slice(None, None, -1)) if order.reversed else rows
    whole = Stretch(times=order.times, values=whole.values, target=whole.target)
    ends = [0, *order.cuts.tolist(), len(rows)]
    return [whole.rows(slice(a, b)) for a, b in pairwise(ends)]


def _check_duplicates(lost: int, rows: Stretch, where: str) -> None:
    if lost < SHARE_DUPLICATES * len(rows) or lost < 2:
        return
    raise DataError(
        f"{where}: most rows share their time with another row",
        got=f"{len(rows):,} rows at {len(rows) - lost:,} times",
        expected="one row a time, but for a few",
        hint="id= with the column that tells recordings apart; or, if the times are written with "
        "too few digits, value= with the channels and dt= with the step in their place",
    )


def _numbered(parts: list[Stretch]) -> tuple[Stretch, ...]:
    starts = np.cumsum([0, *(len(part) for part in parts)])
    return tuple(
        Stretch(times=p.times, values=p.values, target=p.target, start=int(start))
        for p, start in zip(parts, starts[:-1], strict=True)
    )


def _share_missing(stretches: tuple[Stretch, ...], gaps: Gaps) -> float:
    width = stretches[0].values.shape[1]
    beyond = gaps.rows - gaps.put_in
    empty = sum(int(np.isnan(s.values).sum()) for s in stretches) + beyond * width
    return empty / ((sum(len(s) for s in stretches) + beyond) * width)
