"""Columns of numbers as one array, read a column at a time."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.arrays import EXACT
from timegrain.data.memory import check_fits
from timegrain.data.readers.columns import numbers
from timegrain.data.tables.source import TableSource


@dataclass(frozen=True, kw_only=True, eq=False)
class Values:
    """Numbers of several columns.

    Args:
        array: `(row, column)` float64; NaN where a cell is empty.
        names: Of the columns that hold a number at all.
        empty: Columns without one, left out.
        origins: What was subtracted from each column of whole numbers beyond 2^53; else 0.
    """

    array: np.ndarray
    names: tuple[str, ...]
    empty: tuple[str, ...]
    origins: tuple[int, ...]


def read_values(source: TableSource, names: tuple[str, ...]) -> Values:
    """Return columns of numbers.

    Args:
        source: The table.
        names: Of the columns, in order.

    Raises:
        DataError: With file and row, if a cell is no number; or if none is, or they do not fit
            into memory.
    """
    shape = (source.n_rows, len(names))
    check_fits(8 * shape[0] * shape[1], f"the table of {source.file}")
    out = np.empty(shape)
    origins = [read_numbers(source, name, out[:, j]) for j, name in enumerate(names)]
    known = [bool((~np.isnan(out[:, j])).any()) for j in range(len(names))]
    if not any(known):
        raise DataError(f"{source.file} has no column with numbers", got=", ".join(names[:20]))
    keep = [j for j, some in enumerate(known) if some]
    return Values(
        array=out if all(known) else np.ascontiguousarray(out[:, keep]),
        names=tuple(names[j] for j in keep),
        empty=tuple(n for n, some in zip(names, known, strict=True) if not some),
        origins=tuple(origins[j] for j in keep),
    )


def read_numbers(source: TableSource, name: str, out: np.ndarray) -> int:
    """Write a column into `out`, part by part where it can be, and return what was subtracted.

    Args:
        source: The table.
        name: Of the column.
        out: `(row,)` float64; NaN is written where a cell is empty.

    Raises:
        DataError: With file and row, if a cell is no number.
    """
    import pyarrow as pa

    kind = source.kind(name)
    plain = pa.types.is_floating(kind) or pa.types.is_integer(kind)
    if source.declared and plain and _fill_by_chunks(source, name, out):
        return 0
    out[:], origin = numbers(source, name)
    return origin


def _fill_by_chunks(source: TableSource, name: str, out: np.ndarray) -> bool:
    """Write a column part by part; False where numbers beyond 2^53 need to be seen together."""
    at = 0
    for chunk in source.chunks(name):
        part = _floats(chunk)
        if part is None:
            return False
        out[at : at + len(part)] = part
        at += len(part)
    if at != len(out):
        raise DataError(
            f"{source.file} is damaged",
            got=f"{at:,} rows in column {name!r}",
            expected=f"{len(out):,}",
        )
    return True


def _floats(chunk: Any) -> np.ndarray | None:
    import pyarrow as pa

    if pa.types.is_integer(chunk.type):
        known = chunk.drop_null().to_numpy(zero_copy_only=False)
        if len(known) and max(abs(int(known.min())), abs(int(known.max()))) > EXACT:
            return None
    found: np.ndarray = chunk.to_numpy(zero_copy_only=False)
    return found
