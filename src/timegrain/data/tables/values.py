"""Columns of numbers as one array, read a column at a time."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.arrays import EXACT, counted_from
from timegrain.data.memory import check_fits
from timegrain.data.readers.columns import numbers
from timegrain.data.tables.source import TableSource


@dataclass(frozen=True, kw_only=True, eq=False)
class ValueColumns:
    """What is known of columns of numbers without their cells.

    Args:
        names: Of the columns that hold a number at all.
        empty: Columns without one, left out.
        origins: What is subtracted from each column of whole numbers beyond 2^53; else 0.
    """

    names: tuple[str, ...]
    empty: tuple[str, ...]
    origins: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Values(ValueColumns):
    """Numbers of several columns.

    Args:
        array: `(row, column)` float64; NaN where a cell is empty.
    """

    array: np.ndarray


def read_values(source: TableSource, names: tuple[str, ...], *, in_time: bool = False) -> Values:
    """Return columns of numbers.

    Args:
        source: The table.
        names: Of the columns, in order.
        in_time: The columns follow each other in time: one without a number is left out only where
            none comes after it, since time would close up.

    Raises:
        DataError: With file and row, if a cell is no number; or if none is, or they do not fit
            into memory.
    """
    shape = (source.n_rows, len(names))
    check_fits(8 * shape[0] * shape[1], f"the table of {source.file}")
    out = np.empty(shape)
    origins = [read_numbers(source, name, out[:, j]) for j, name in enumerate(names)]
    known = [bool((~np.isnan(out[:, j])).any()) for j in range(len(names))]
    if in_time and any(known):
        last = len(known) - known[::-1].index(True)
        known = [j < last for j in range(len(known))]
    kept = _kept(source, names, known, origins)
    keep = [j for j, some in enumerate(known) if some]
    return Values(
        array=out if all(known) else np.ascontiguousarray(out[:, keep]),
        names=kept.names,
        empty=kept.empty,
        origins=kept.origins,
    )


def scan_values(source: TableSource, names: tuple[str, ...]) -> ValueColumns | None:
    """Return what `read_values` would find of columns of numbers, part by part.

    Args:
        source: A table that says its types.
        names: Of the columns, in order.

    Returns:
        None where a column has to be read as a whole: one that holds no plain numbers.

    Raises:
        DataError: If none holds a number.
    """
    import pyarrow as pa

    kinds = [source.kind(name) for name in names]
    numbers = (pa.types.is_floating, pa.types.is_integer, pa.types.is_null)
    if not all(any(test(kind) for test in numbers) for kind in kinds):
        return None
    found = [_scan(source, name) for name in names]
    return _kept(source, names, [known for known, _ in found], [origin for _, origin in found])


def _scan(source: TableSource, name: str) -> tuple[bool, int]:
    """Whether a column holds a number at all, and what is subtracted from it."""
    import pyarrow as pa

    kind = source.kind(name)
    if pa.types.is_null(kind):
        return False, 0
    if not pa.types.is_integer(kind):
        return any(_has_number(chunk) for chunk in source.chunks(name)), 0
    low, high = None, 0
    for chunk in source.chunks(name):
        known = chunk.drop_null().to_numpy(zero_copy_only=False)
        if len(known):
            least, most = int(known.min()), int(known.max())
            low, high = least if low is None else min(low, least), max(high, most, -least)
    return low is not None, low if low is not None and high > EXACT else 0


def _has_number(chunk: Any) -> bool:
    return bool((~np.isnan(chunk.to_numpy(zero_copy_only=False))).any())


def _kept(
    source: TableSource, names: tuple[str, ...], known: list[bool], origins: list[int]
) -> ValueColumns:
    if not any(known):
        raise DataError(f"{source.file} has no column with numbers", got=", ".join(names[:20]))
    return ValueColumns(
        names=tuple(n for n, some in zip(names, known, strict=True) if some),
        empty=tuple(n for n, some in zip(names, known, strict=True) if not some),
        origins=tuple(o for o, some in zip(origins, known, strict=True) if some),
    )


def part_as_floats(part: Any, origin: int) -> np.ndarray:
    """Return part of a column of numbers as floats, as `read_values` does for all of it.

    Args:
        part: A `pyarrow.Array` of integers, floats or nulls.
        origin: What is subtracted from the column.
    """
    import pyarrow as pa

    if pa.types.is_null(part.type):
        return np.full(len(part), np.nan)
    if not origin:
        found: np.ndarray = part.to_numpy(zero_copy_only=False)
        return found
    out = np.full(len(part), np.nan)
    known = part.is_valid().to_numpy(zero_copy_only=False)
    out[known] = counted_from(part.drop_null().to_numpy(zero_copy_only=False), origin)
    return out


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
