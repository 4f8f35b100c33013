"""Long form: a row is a time step of a recording."""

from dataclasses import dataclass

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.audit.clock import CommonClock, common_clock
from timegrain.data.audit.recording import Audited, Clock, audit_recording
from timegrain.data.audit.stretch import Stretch
from timegrain.data.readers.columns import WIDE
from timegrain.data.tables.keys import Keys, constant_within, first_conflict, read_keys, read_names
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
    owner = Keys(codes=np.zeros(source.n_rows, dtype=np.int32), names=(name,))
    if roles.id:
        owner = read_names(source, roles.id, "recording")
    columns = _Columns(
        values=values,
        owner=owner,
        times=None if roles.time is None else read_times(source, roles.time, dates),
        target=None if roles.target is None else read_target(source, roles.target, owner),
        group=_groups(source, roles, owner),
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
        words=_words(roles, columns, values, len(owner)),
        notes=(
            *_mixed(recordings),
            *_ungrouped(source, roles, owner),
            *_lost(lost),
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
        raise DataError(
            f"{source.file}: every recording has a single row",
            got=f"{len(lost):,} recordings",
            expected="two rows or more in each",
            hint="form='wide' if a row is a series, or another column for id=",
        )
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


def _groups(source: TableSource, roles: Roles, owner: Keys) -> np.ndarray:
    if roles.group is None:
        return np.arange(len(owner), dtype=np.int64)
    keys = read_keys(source, roles.group, "group")
    found = constant_within(keys, owner)
    if found is None:
        row = first_conflict(keys, owner)
        recording = owner.names[owner.codes[row]]
        raise DataError(
            f"{source.place(row)}: recording {recording!r} belongs to two groups",
            got=f"{keys.names[keys.codes[row]]!r} in column {roles.group!r}",
            expected="one group a recording",
            hint=_apart(roles, len(source.names)),
        )
    return found


def _apart(roles: Roles, width: int) -> str:
    hint = "id= with the column that tells recordings apart"
    if roles.id:
        hint = f"id={(roles.group, *roles.id)!r}, if they name a recording together"
    return f"form='wide', if a row is a series; or {hint}" if width > WIDE else hint


def _words(roles: Roles, columns: _Columns, values: Values, recordings: int) -> str:
    parts = []
    if roles.time is not None and columns.times is not None:
        parts.append(f"time {roles.time!r} ({columns.times.words})")
    if roles.id:
        parts.append(f"recording {'/'.join(roles.id)!r} ({recordings:,})")
    if roles.group is not None:
        parts.append(f"group {roles.group!r} ({len(np.unique(columns.group)):,})")
    if roles.target is not None and columns.target is not None:
        parts.append(f"label {roles.target!r} ({columns.target.words})")
    if not parts:
        return ""
    more = f" and {len(values.names) - 8} more" if len(values.names) > 8 else ""
    return f"columns: {', '.join(parts)}, channels {', '.join(values.names[:8])}{more}"


def _mixed(recordings: Recordings) -> tuple[str, ...]:
    if not recordings.mixed:
        return ()
    return ("rows of different recordings stand between each other; each keeps its own order",)


def _ungrouped(source: TableSource, roles: Roles, owner: Keys) -> tuple[str, ...]:
    """A person's sessions are recordings of their own; say how to keep them together."""
    if len(roles.id) < 2 or roles.group is not None:
        return ()
    first = read_keys(source, roles.id[0], "recording")
    if len(first) == len(owner):
        return ()
    return (
        f"recordings of one {roles.id[0]!r} may stand on both sides of a split; "
        f"group={roles.id[0]!r} keeps them together",
    )


def _lost(names: list[str]) -> tuple[str, ...]:
    if not names:
        return ()
    more = f" and {len(names) - 8} more" if len(names) > 8 else ""
    return (f"recordings of a single row were left out: {', '.join(names[:8])}{more}",)
