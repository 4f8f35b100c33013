"""Numbers in the columns of a table, whole numbers exactly."""

from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError
from timegrain.data.arrays import EXACT, exact_floats
from timegrain.data.readers.delimiter import MISSING, decimal_comma_error, is_decimal_comma
from timegrain.data.tables.source import TableSource

WIDE = 100
"""With more columns of numbers than this a row of a table is likely a series."""

_WHOLE = r"^[+-]?[0-9]+$"


def numbers(table: TableSource, name: str) -> tuple[Float64[np.ndarray, " time"], int]:
    """Return a column as floats, NaN where a cell is missing, and what was subtracted from it.

    Whole numbers beyond 2^53 are counted from the smallest one, which is what was subtracted;
    otherwise that is 0.

    Args:
        table: Where it stands.
        name: Of the column.

    Raises:
        DataError: With the line, if a cell is no number.
    """
    import pyarrow as pa

    column = table.column(name)
    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan), 0
    if pa.types.is_integer(kind):
        return _counted(column.fill_null(0).to_numpy(), column.is_valid().to_numpy(False))
    if pa.types.is_floating(kind):
        return _floats(table, name, column)
    if not (pa.types.is_string(kind) or pa.types.is_boolean(kind) or pa.types.is_temporal(kind)):
        raise DataError(
            f"{table.file}: column {name!r} holds no numbers",
            got=str(kind),
            expected="one number a row",
            hint="value= with the names of the columns that hold numbers",
        )
    if pa.types.is_temporal(kind):
        raise DataError(
            f"{table.file}: column {name!r} holds dates or times of day",
            got=str(column[0]),
            expected="numbers",
            hint=f"time={name!r}, if these are the times of the rows",
        )
    words = trimmed(table.words(name))
    row = first_unlike(words, pa.float64())
    if row is None:
        return _floats(table, name, words.cast(pa.float64()))
    raise no_number(table, name, row, words[row].as_py())


def _counted(values: np.ndarray, known: np.ndarray) -> tuple[Float64[np.ndarray, " time"], int]:
    found = values[known]
    (floats,), origin = exact_floats([found[:, None]], name="column")
    out = np.full(len(values), np.nan)
    out[known] = floats[:, 0]
    return out, origin[0] if origin else 0


def _floats(table: TableSource, name: str, column: Any) -> tuple[Float64[np.ndarray, " time"], int]:
    """Whole numbers that no type of 64 bits holds were read as floats: read them again."""
    import pyarrow.compute as pc

    values = column.to_numpy(zero_copy_only=False).astype(np.float64)
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    # an infinite value is refused by `Dataset`
    if largest <= EXACT or np.isinf(values).any():
        return values, 0
    words = trimmed(table.words(name)).drop_null()
    if not pc.all(pc.match_substring_regex(words, _WHOLE)).as_py():
        return values, 0
    whole = [int(word) for word in words.to_pylist()]
    low = min(whole)
    out = np.full(len(values), np.nan)
    out[~np.isnan(values)] = [float(v - low) for v in whole]
    return out, low


def trimmed(words: Any) -> Any:
    """Return cells without blanks around them, None where they stand for a missing one.

    Args:
        words: A `pyarrow.Array` of strings.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.ascii_trim_whitespace(words)
    missing = pc.is_in(bare, value_set=pa.array(MISSING))
    return pc.if_else(missing, pa.scalar(None, pa.string()), bare)


def first_unlike(words: Any, kind: Any) -> int | None:
    """Return the row of the first cell that is not of a type; None where all are.

    Args:
        words: A `pyarrow.Array` of strings.
        kind: A `pyarrow.DataType`.
    """
    if _are(words, kind):
        return None
    low, high = 0, len(words)
    while high - low > 1:
        middle = (low + high) // 2
        if _are(words[low:middle], kind):
            low = middle
        else:
            high = middle
    return low


def _are(words: Any, kind: Any) -> bool:
    import pyarrow as pa

    try:
        words.cast(kind)
    except pa.ArrowInvalid:
        return False
    return True


def no_number(table: TableSource, name: str, row: int, cell: str) -> DataError:
    """Return the error on a cell that is no number.

    Args:
        table: Where it stands.
        name: Of its column.
        row: Of the data, from 0.
        cell: Its text.
    """
    where = f"{table.place(row)}: column {name!r}"
    if is_decimal_comma(cell):
        return decimal_comma_error(where, cell, alone=len(table.names) == 1)
    shown = cell if len(cell) <= 60 else cell[:57] + "..."
    return DataError(
        f"{where} holds no number",
        got=repr(shown),
        expected="numbers; empty where a sample is missing",
        hint=_hint(table, name, row),
    )


def _hint(table: TableSource, name: str, row: int) -> str:
    import pyarrow as pa

    from timegrain.data.readers.time_column import is_time_name

    kinds = {n: table.kind(n) for n in table.names if n != name and not is_time_name(n)}
    good = [n for n, k in kinds.items() if pa.types.is_integer(k) or pa.types.is_floating(k)]
    if len(good) > WIDE:
        return (
            f"form='wide' if a row is a series: there are {len(good):,} columns with numbers; "
            f"{name!r} may then be id=, target= or group="
        )
    others = repr(tuple(good)) if 0 < len(good) <= 8 else " with the names of the channels"
    roles = f"id=, time=, target= or group={name!r}, if it is one of these"
    if row == 0:
        return f"{roles}; or value={others} to leave it out"
    return f"correcting the cell; or {roles}; or value={others} to leave the column out"
