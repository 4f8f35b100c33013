"""Numbers and instants in the columns of a table; whole numbers and dates exactly."""

from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError
from timegrain.data.arrays import EXACT, exact_floats
from timegrain.data.readers.delimiter import MISSING, decimal_comma_error, is_decimal_comma
from timegrain.data.readers.table import Table
from timegrain.data.units import UNKNOWN

_TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86400
_WHOLE = r"^[+-]?[0-9]+$"


def numbers(table: Table, name: str) -> tuple[Float64[np.ndarray, " time"], int]:
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
    if pa.types.is_temporal(kind):
        raise DataError(
            f"{table.file}: column {name!r} holds dates or times of day",
            got=str(column[0]),
            expected="numbers",
            hint=f"time={name!r}, if these are the times of the rows",
        )
    words = _trimmed(table.words(name))
    row = _first_unlike(words, pa.float64())
    if row is None:
        return _floats(table, name, words.cast(pa.float64()))
    raise _no_number(table, name, row, words[row].as_py())


def instants(table: Table, name: str) -> tuple[Float64[np.ndarray, " time"], str]:
    """Return the times in a column and their unit: dates and times of day from the first row.

    Args:
        table: Where it stands.
        name: Of the column.

    Raises:
        DataError: With the line, if a cell is no time.
    """
    import pyarrow as pa

    column = table.column(name)
    kind = column.type
    if pa.types.is_string(kind):
        _check_are_times(table, name)
    if not pa.types.is_temporal(kind):
        return numbers(table, name)[0], UNKNOWN
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise DataError(f"{table.file}, line {table.line(row)}: no time in column {name!r}")
    narrow = pa.types.is_date32(kind) or pa.types.is_time32(kind)
    count = column.cast(pa.int32() if narrow else pa.int64()).cast(pa.int64()).to_numpy()
    # whole ticks are subtracted first: a float of seconds since 1970 is 2e-7 s coarse
    since = count - count[0]
    if pa.types.is_date32(kind):
        return (since * _DAY).astype(np.float64), "s"
    return since / _TICKS[kind.unit], "s"


def _counted(values: np.ndarray, known: np.ndarray) -> tuple[Float64[np.ndarray, " time"], int]:
    found = values[known]
    (floats,), origin = exact_floats([found[:, None]], name="column")
    out = np.full(len(values), np.nan)
    out[known] = floats[:, 0]
    return out, origin[0] if origin else 0


def _floats(table: Table, name: str, column: Any) -> tuple[Float64[np.ndarray, " time"], int]:
    """Whole numbers that no type of 64 bits holds were read as floats: read them again."""
    import pyarrow.compute as pc

    values = column.to_numpy(zero_copy_only=False).astype(np.float64)
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    # an infinite value is refused by `Dataset`
    if largest <= EXACT or np.isinf(values).any():
        return values, 0
    words = _trimmed(table.words(name)).drop_null()
    if not pc.all(pc.match_substring_regex(words, _WHOLE)).as_py():
        return values, 0
    whole = [int(word) for word in words.to_pylist()]
    low = min(whole)
    out = np.full(len(values), np.nan)
    out[~np.isnan(values)] = [float(v - low) for v in whole]
    return out, low


def _trimmed(words: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    bare = pc.ascii_trim_whitespace(words)
    missing = pc.is_in(bare, value_set=pa.array(MISSING))
    return pc.if_else(missing, pa.scalar(None, pa.string()), bare)


def _first_unlike(words: Any, kind: Any) -> int | None:
    """Return the row of the first cell that is not of a type; None where all are."""
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


def _check_are_times(table: Table, name: str) -> None:
    import pyarrow as pa

    words = _trimmed(table.words(name))
    first = next((i for i, known in enumerate(words.is_valid().to_pylist()) if known), 0)
    kinds = [k for k in (pa.float64(), pa.timestamp("s")) if _are(words[first : first + 1], k)]
    row = _first_unlike(words, kinds[0]) if kinds else first
    if row is None:
        return
    cell = words[row].as_py()
    if is_decimal_comma(cell or ""):
        raise _no_number(table, name, row, cell)
    raise DataError(
        f"{table.file}, line {table.line(row)}: column {name!r} holds no time",
        got=repr(cell),
        expected="numbers, or dates such as 2020-01-31 10:00:00, all of one form",
    )


def _no_number(table: Table, name: str, row: int, cell: str) -> DataError:
    where = f"{table.file}, line {table.line(row)}: column {name!r}"
    if is_decimal_comma(cell):
        return decimal_comma_error(where, cell, alone=len(table.names) == 1)
    shown = cell if len(cell) <= 60 else cell[:57] + "..."
    return DataError(
        f"{where} holds no number",
        got=repr(shown),
        expected="numbers; empty where a sample is missing",
        hint="removing the column, or time= with its name if it holds the times of the rows",
    )
