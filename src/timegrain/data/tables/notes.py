"""What a reader must know of how a table was read, whether at once or in blocks."""

from collections.abc import Iterable

from timegrain.data.arrays import origin_note
from timegrain.data.readers.columns import WIDE
from timegrain.data.step import unit_note
from timegrain.data.tables.keys import Keys, read_keys
from timegrain.data.tables.roles import Roles
from timegrain.data.tables.source import TableSource
from timegrain.data.tables.values import ValueColumns


def table_notes(
    source: TableSource,
    roles: Roles,
    values: ValueColumns,
    *,
    how: str,
    rows: float | None,
    words: str,
    found: tuple[str, ...],
    noted: tuple[str, ...],
    unit: str,
) -> tuple[str, ...]:
    """Return all notes on a table, in their order.

    Args:
        source: The table.
        roles: Of its columns.
        values: Of its channels.
        how: How the rows were found in the file, for the first note.
        rows: Of a recording on average; None where a row is a series.
        words: From `column_words`.
        found: On its recordings, times and labels.
        noted: On its format and its channels.
        unit: Of its times.
    """
    notes = [_shape(source, values, how, wide=rows is None), *((words,) if words else ())]
    if rows is not None and not roles.id:
        rows = source.n_rows
    if rows is not None and len(values.names) > max(rows, WIDE if roles.id else 0):
        notes.append(
            f"there are more columns than rows{' in a recording' if roles.id else ''}; if a row is "
            "a series, say form='wide'; if it is a channel, transpose the file"
        )
    for names, why in ((values.empty, "without a value"), (roles.left_out, "without numbers")):
        if names:
            notes.append(f"columns {why} were left out: {_listed(names, 20)}")
    end = (*filter(None, [unit_note(unit)]), *origin_note(values.origins))
    return (*notes, *found, *noted, *end)


def column_words(
    roles: Roles,
    channels: tuple[str, ...],
    *,
    times: str = "",
    recordings: int = 0,
    groups: int = 0,
    label: str = "",
) -> str:
    """Return the note on which column of a long table is what; empty where nothing was said.

    Args:
        roles: Of the columns.
        channels: Their names.
        times: What the times were taken for.
        recordings: Number of recordings.
        groups: Number of groups.
        label: What the label was taken for.
    """
    parts = []
    if roles.time is not None and times:
        parts.append(f"time {roles.time!r} ({times})")
    if roles.id:
        parts.append(f"recording {'/'.join(roles.id)!r} ({recordings:,})")
    if roles.group is not None:
        parts.append(f"group {roles.group!r} ({groups:,})")
    if roles.target is not None and label:
        parts.append(f"label {roles.target!r} ({label})")
    return f"columns: {', '.join(parts)}, channels {_listed(channels, 8)}" if parts else ""


def recording_notes(
    source: TableSource, roles: Roles, owner: Keys, *, mixed: bool, lost: Iterable[str]
) -> tuple[str, ...]:
    """Return the notes on the recordings of a long table.

    Args:
        source: The table.
        roles: Of its columns.
        owner: Recording of every row.
        mixed: Whether their rows stand between each other.
        lost: Names of those with a single row.
    """
    notes = []
    if mixed:
        notes.append(
            "rows of different recordings stand between each other; each keeps its own order"
        )
    notes += _ungrouped(source, roles, owner)
    if lost := tuple(lost):
        notes.append(f"recordings of a single row were left out: {_listed(lost, 8)}")
    return tuple(notes)


def _shape(source: TableSource, values: ValueColumns, how: str, *, wide: bool) -> str:
    width = len(values.names)
    if wide:
        text = f"{source.n_rows:,} rows were read as series, {width:,} columns as their samples"
    else:
        channels = f"{width:,} columns as channels" if width > 1 else "1 column as the channel"
        text = f"{source.n_rows:,} rows were read as time steps, {channels}"
    return f"{text}; {how}" if how else text


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


def _listed(names: tuple[str, ...], most: int) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"
