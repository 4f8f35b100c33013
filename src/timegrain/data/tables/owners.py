"""Which recording a row of a long table is part of, and in which group that is."""

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.readers.columns import WIDE
from timegrain.data.tables.keys import Keys, constant_within, first_conflict, read_keys, read_names
from timegrain.data.tables.roles import Roles
from timegrain.data.tables.source import TableSource


def read_owner(source: TableSource, roles: Roles, name: str) -> Keys:
    """Return the recording of every row.

    Args:
        source: The table.
        roles: Of its columns.
        name: Of the only recording, where no column tells them apart.

    Raises:
        DataError: With file and row, if a name is missing.
    """
    if roles.id:
        return read_names(source, roles.id, "recording")
    # one number stands for all rows
    return Keys(codes=np.broadcast_to(np.int32(0), (source.n_rows,)), names=(name,))


def first_recording(owner: Keys) -> int:
    """Return how many rows stand before the first one of another recording.

    Args:
        owner: Recording of every row.
    """
    return int((owner.codes != owner.codes[0]).argmax()) or len(owner.codes)


def read_groups(source: TableSource, roles: Roles, owner: Keys) -> np.ndarray:
    """Return the group of every recording, `(recording,)`: its own where no column names one.

    Args:
        source: The table.
        roles: Of its columns.
        owner: Recording of every row.

    Raises:
        DataError: With file and row, if a recording belongs to two groups.
    """
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


def all_single(source: TableSource, count: int) -> DataError:
    """Return the error on a table in which no recording has two rows.

    Args:
        source: The table.
        count: Number of recordings.
    """
    return DataError(
        f"{source.file}: every recording has a single row",
        got=f"{count:,} recordings",
        expected="two rows or more in each",
        hint="form='wide' if a row is a series, or another column for id=",
    )
