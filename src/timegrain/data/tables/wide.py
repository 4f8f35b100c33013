"""Wide form: a row is a whole series of one channel, and its columns follow each other in time."""

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.tables.keys import Keys, read_names
from timegrain.data.tables.parts import Parts
from timegrain.data.tables.roles import Roles
from timegrain.data.tables.source import TableSource
from timegrain.data.tables.target import read_target
from timegrain.data.tables.values import Values


def read_wide(source: TableSource, roles: Roles, values: Values) -> Parts:
    """Return the sequences of a table in which a row is a series.

    Empty cells at the end of a row are padding, others are missing samples.

    Args:
        source: The table.
        roles: Of its columns; the values are the samples in the order of the columns.
        values: Of the samples.

    Raises:
        ConfigError: If a column of times was named: a row has many.
        DataError: With file and row, if a series has fewer than two samples, or no label.
    """
    if roles.time is not None:
        raise ConfigError(
            "in wide form a row holds many times, so no column holds them",
            got=f"time={roles.time!r}",
            hint="dt= or hz= for the step between the columns",
        )
    _check_alike(source, values)
    rows = np.arange(source.n_rows, dtype=np.int32)
    each = Keys(codes=rows, names=tuple(str(i) for i in rows)) if roles.target else None
    target = read_target(source, roles.target, each) if roles.target and each else None
    lengths = _lengths(source, values.array)
    groups, ids = _groups(source, roles), _ids(source, roles)
    padded = int((lengths < values.array.shape[1]).sum())
    return Parts(
        sequences=tuple(r[:n, None] for r, n in zip(values.array, lengths, strict=True)),
        ids=ids,
        groups=groups,
        labels=None if target is None else target.label,
        class_names=() if target is None else target.class_names,
        words=_words(roles, groups, "" if target is None else target.words, values),
        notes=(
            *((f"{padded:,} rows end in empty cells: they are shorter",) if padded else ()),
            *_repeated(ids, roles),
            *(target.notes(roles.target or "") if target is not None else ()),
        ),
    )


def _check_alike(source: TableSource, values: Values) -> None:
    if any(values.origins):
        name = values.names[next(i for i, o in enumerate(values.origins) if o)]
        raise DataError(
            f"{source.file}: whole numbers beyond 2^53 cannot stand in a row of samples",
            got=f"column {name!r}",
            hint="subtracting one number from all of them",
        )
    if len(values.names) < 2:
        raise DataError(
            f"{source.file} has too few columns for series in rows",
            got=f"{len(values.names)} with numbers",
            expected="one for every sample",
            hint="form='long' if a row is a time step",
        )


def _lengths(source: TableSource, array: np.ndarray) -> np.ndarray:
    known = ~np.isnan(array)
    lengths: np.ndarray = array.shape[1] - known[:, ::-1].argmax(axis=1)
    short = np.flatnonzero((lengths < 2) | ~known.any(axis=1))
    if short.size:
        row = int(short[0])
        raise DataError(
            f"{source.place(row)}: too few samples to be a time series",
            got=f"{int(known[row].sum())} numbers",
            expected="two or more",
        )
    return lengths


def _ids(source: TableSource, roles: Roles) -> tuple[str, ...]:
    if not roles.id:
        return ()
    keys = read_names(source, roles.id, "recording")
    return tuple(keys.names[i] for i in keys.codes)


def _repeated(ids: tuple[str, ...], roles: Roles) -> tuple[str, ...]:
    different = len(set(ids))
    if different == len(ids):
        return ()
    kept = "each row is a series of its own" + (
        "" if roles.group is not None else "; those of one name stay on one side of a split"
    )
    return (f"{len(ids):,} rows share {different:,} names in {'/'.join(roles.id)!r}: {kept}",)


def _groups(source: TableSource, roles: Roles) -> np.ndarray | None:
    columns = (roles.group,) if roles.group is not None else roles.id
    if not columns:
        return None
    return read_names(source, columns, "group").codes.astype(np.int64)


def _words(roles: Roles, groups: np.ndarray | None, label: str, values: Values) -> str:
    parts = []
    if roles.id:
        parts.append(f"name {'/'.join(roles.id)!r}")
    if roles.group is not None and groups is not None:
        parts.append(f"group {roles.group!r} ({len(np.unique(groups)):,})")
    if roles.target is not None:
        parts.append(f"label {roles.target!r} ({label})")
    parts.append(f"samples {values.names[0]} to {values.names[-1]}")
    return f"columns: {', '.join(parts)}"
