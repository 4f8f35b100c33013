"""Long form: a row is a time step of a recording."""

from dataclasses import dataclass

import numpy as np

from timegrain.data.audit.clock import CommonClock, common_clock
from timegrain.data.audit.recording import Audited, Clock, audit_recording
from timegrain.data.audit.stretch import Stretch
from timegrain.data.tables.keys import Keys
from timegrain.data.tables.notes import column_words, recording_notes
from timegrain.data.tables.owners import all_single, read_groups, read_owner
from timegrain.data.tables.parts import Parts
from timegrain.data.tables.recordings import Recordings, find_recordings
from timegrain.data.tables.roles import Roles
from timegrain.data.tables.source import TableSource
from timegrain.data.tables.target import Target, read_target
from timegrain.data.tables.times import Times, read_times
from timegrain.data.tables.values import Values


@dataclass(frozen=True, kw_only=True, eq=False)
class _Columns:
    values: Values
    owner: Keys
    times: Times | None
    target: Target | None
    group: np.ndarray


def read_long(
    source: TableSource, roles: Roles, values: Values, *, name: str, dates: str | None = None
) -> Parts:
    """Return the sequences of a table in which a row is a time step.

    With times every recording is audited: it is cut where its clock goes back, rows of one time
    are averaged, and gaps are left open.

    Args:
        source: The table.
        roles: Of its columns.
        values: Of its channels.
        name: Of the only recording, where no column tells them apart.
        dates: Whether dates have the day or the month first; None for what they show.

    Raises:
        DataError: With file and row, if a name, a time or a label is missing or contradicts
            another row of its recording.
    """
    owner = read_owner(source, roles, name)
    columns = _Columns(
        values=values,
        owner=owner,
        times=None if roles.time is None else read_times(source, roles.time, dates),
        target=None if roles.target is None else read_target(source, roles.target, owner),
        group=read_groups(source, roles, owner),
    )
    recordings = find_recordings(owner)
    clock, stretches, lost = _stretches(source, recordings, columns, named=bool(roles.id))
    of = np.array([r for r, parts in stretches for _ in parts], dtype=np.int64)
    flat = [part for _, parts in stretches for part in parts]
    target = columns.target
    return Parts(
        sequences=tuple(part.values for part in flat),
        ids=tuple(owner.names[r] for r in of) if roles.id or len(flat) > 1 else (),
        groups=columns.group[of] if roles.id or len(flat) > 1 else None,
        starts=np.array([p.start for p in flat]) if len(flat) > len(stretches) else None,
        labels=None if target is None or target.label is None else target.label[of],
        targets=tuple(p.target for p in flat if p.target is not None)
        if target is not None and target.label is None
        else None,
        class_names=target.class_names if target is not None else (),
        clock=clock,
        unit=columns.times.unit if columns.times else "sample",
        words=column_words(
            roles,
            values.names,
            times=columns.times.words if columns.times else "",
            recordings=len(owner),
            groups=len(np.unique(columns.group)),
            label=target.words if target is not None else "",
        ),
        notes=(
            *recording_notes(source, roles, owner, mixed=recordings.mixed, lost=lost),
            *(clock.notes if clock else ()),
            *(target.notes(roles.target or "") if target is not None else ()),
        ),
    )


_Found = list[tuple[int, tuple[Stretch, ...]]]


def _stretches(
    source: TableSource, recordings: Recordings, columns: _Columns, *, named: bool
) -> tuple[CommonClock | None, _Found, list[str]]:
    audited: list[Audited] = []
    found: _Found = []
    lost = []
    for r, rows in enumerate(recordings.rows):
        name = recordings.names[r]
        part = _rows(columns, rows)
        if named and len(part) < 2:
            lost.append(name)
            continue
        if columns.times is None:
            found.append((r, (part,)))
            continue
        where = f"{source.file}, recording {name!r}" if named else source.file
        clock = _clock(columns.times, rows)
        one = audit_recording(part, clock, recording=name, where=where, alone=not named)
        audited.append(one)
        found.append((r, one.stretches))
    if not found:
        raise all_single(source, len(lost))
    return (common_clock(audited) if audited else None), found, lost


def _rows(columns: _Columns, rows: slice | np.ndarray) -> Stretch:
    values = columns.values.array[rows]
    target = columns.target
    per_sample = target is not None and target.label is None
    return Stretch(
        times=np.empty(len(values)) if columns.times is None else columns.times.instants[rows],
        values=values,
        target=target.row[rows] if target is not None and per_sample else None,
    )


def _clock(times: Times, rows: slice | np.ndarray) -> Clock:
    offsets: tuple[str, ...] = ()
    if times.offset is not None:
        codes = times.offset[rows]
        first = np.concatenate([[0], np.flatnonzero(np.diff(codes)) + 1])
        offsets = tuple(times.offsets[codes[i]] for i in first)
    return Clock(unit=times.unit, day=times.day, local=times.local, offsets=offsets)
