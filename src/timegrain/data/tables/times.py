"""A column of times: dates, with zones or without, times of day, epoch numbers or plain numbers."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float64, Int

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.readers.columns import first_unlike, no_number, trimmed
from timegrain.data.readers.delimiter import is_decimal_comma
from timegrain.data.tables.dates import year_first
from timegrain.data.tables.source import TableSource
from timegrain.data.tables.values import read_numbers
from timegrain.data.units import UNKNOWN

TICKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
DAY = 86400
_FORMS = "numbers, or dates such as 2020-01-31 10:00:00 or 31.01.2020 10:00"
_LONG = {"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}
# seconds from 1980 to 2100: no counter that starts at 0 comes there by chance at all its ends
_FIRST, _LAST = 315532800, 4102444800
_ZONE = r"(?P<zone>Z|[+-][0-9]{2}(?::?[0-9]{2})?)$"


@dataclass(frozen=True, kw_only=True, eq=False)
class Times:
    """The instants of the rows.

    Args:
        instants: `(row,)`, from the first row on where they are dates or epoch numbers.
        unit: `"s"`, or unknown for plain numbers.
        words: What they were taken for.
        day: Length of a day, for times of day.
        local: Dates without a zone.
        offset: `(row,)`, number of the offset from UTC of each row; None where none is written.
        offsets: As they are written.
    """

    instants: Float64[np.ndarray, " row"]
    unit: str
    words: str
    day: float | None = None
    local: bool = False
    offset: Int[np.ndarray, " row"] | None = None
    offsets: tuple[str, ...] = ()


def read_times(source: TableSource, name: str, dates: str | None = None) -> Times:
    """Return the times in a column.

    Args:
        source: The table.
        name: Of the column.
        dates: Which comes first in dates that have the year last; None for what they show.

    Raises:
        ConfigError: If `dates` is said of times that are not written so.
        DataError: With file and row, if a cell is no time or all are not of one form.
    """
    import pyarrow as pa

    kind = source.kind(name)
    if dates is not None and not pa.types.is_string(kind):
        raise ConfigError(
            f"{source.file}: column {name!r} says itself which is day and month",
            got=f"dates={dates!r} for {kind}",
            hint="leaving it out",
        )
    if source.declared and (pa.types.is_floating(kind) or pa.types.is_integer(kind)):
        return _from_numbers(source, name)
    column = source.column(name)
    if pa.types.is_null(kind):
        raise DataError(f"{source.place(0)}: no time in column {name!r}, which is empty")
    if pa.types.is_string(kind):
        return _from_text(source, name, dates)
    _check_complete(source, name, column)
    if pa.types.is_temporal(kind):
        return _from_dates(source, name, column)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return _from_numbers(source, name)
    raise DataError(
        f"{source.file}: column {name!r} holds no times", got=str(kind), expected=_FORMS
    )


def epoch_unit(low: float, high: float) -> str | None:
    """Return the unit in which numbers count from 1970, if all of them lie between 1980 and 2100.

    Example:
        >>> epoch_unit(1.7e12, 1.7e12 + 5), epoch_unit(0.0, 1.7e12)
        ('ms', None)
    """
    for unit, ticks in TICKS.items():
        if _FIRST * ticks <= low and high <= _LAST * ticks:
            return unit
    return None


def _from_numbers(source: TableSource, name: str) -> Times:
    found = np.empty(source.n_rows)
    origin = read_numbers(source, name, found)
    low, high = (float(found.min()), float(found.max())) if len(found) else (0.0, 0.0)
    if np.isnan(low):
        raise _missing(source, name, int(np.isnan(found).argmax()))
    unit = epoch_unit(low + origin, high + origin)
    if unit is None:
        return Times(instants=found, unit=UNKNOWN, words="numbers")
    first = np.datetime64(round((origin + found[0]) / TICKS[unit] * 1000), "ms")
    found -= float(found[0])
    found /= TICKS[unit]
    return Times(
        instants=found,
        unit="s",
        words=f"{_LONG[unit]} since 1970, the first being {first} UTC",
    )


def _from_dates(source: TableSource, name: str, column: Any) -> Times:
    import pyarrow as pa

    kind = column.type
    if pa.types.is_timestamp(kind) and kind.tz and not source.declared:
        return _zoned(source, name, column, source.words(name))
    if pa.types.is_date(kind):
        days = pa.types.is_date32(kind)
        return Times(instants=_counted(column, 1 / DAY if days else 1000), unit="s", words="dates")
    ticks = TICKS[kind.unit]
    if pa.types.is_duration(kind):
        return Times(instants=_counted(column, ticks), unit="s", words="durations")
    if pa.types.is_time(kind):
        instants = _counted(column, ticks)
        return Times(instants=instants, unit="s", words="times of day", day=float(DAY))
    words = "dates in UTC" if kind.tz else "dates without a zone"
    return Times(instants=_counted(column, ticks), unit="s", words=words, local=not kind.tz)


def _counted(column: Any, ticks: float) -> Float64[np.ndarray, " row"]:
    """Whole ticks are subtracted first: a float of seconds since 1970 is 2e-7 s coarse."""
    import pyarrow as pa

    wide = column if column.type.bit_width == 64 else column.cast(pa.int32())
    whole = wide.cast(pa.int64()).to_numpy(zero_copy_only=False)
    out: Float64[np.ndarray, " row"] = (whole - whole[0]) / ticks if len(whole) else np.empty(0)
    return out


def _from_text(source: TableSource, name: str, dates: str | None) -> Times:
    import pyarrow as pa
    import pyarrow.compute as pc

    written = words = trimmed(source.words(name))
    if words.null_count == len(words):
        raise DataError(f"{source.place(0)}: no time in column {name!r}, which is empty")
    turned = year_first(source, name, words, dates)
    words = words if turned is None else turned.words
    known = words.is_valid().to_pylist().index(True)
    first = words[known : known + 1]
    kind: Any = next((k for k in _text_kinds() if first_unlike(first, k) is None), None)
    if kind is None and pc.all(pc.match_substring_regex(first, _TIME_OF_DAY)).as_py():
        return _times_of_day(source, name, words)
    row = known if kind is None else first_unlike(words, kind)
    if row is not None:
        raise _no_time(source, name, row, written[row].as_py())
    _check_complete(source, name, words)
    if pa.types.is_floating(kind):
        return _from_numbers(source, name)
    column = words.cast(kind)
    if kind.tz:
        found = _zoned(source, name, column, words)
    else:
        found = Times(
            instants=_counted(column, TICKS[kind.unit]),
            unit="s",
            words="dates without a zone",
            local=True,
        )
    return found if turned is None else replace(found, words=f"{found.words}, {turned.order}")


def _text_kinds() -> tuple[Any, ...]:
    import pyarrow as pa

    stamps = [pa.timestamp(u, z) for z in (None, "UTC") for u in ("ns", "us")]
    return (pa.float64(), *stamps)


_TIME_OF_DAY = r"^[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]{1,9})?)?$"


def _times_of_day(source: TableSource, name: str, words: Any) -> Times:
    import pyarrow as pa
    import pyarrow.compute as pc

    _check_complete(source, name, words)
    stamps = pc.binary_join_element_wise("1970-01-01T", words, "")
    kind = pa.timestamp("ns")
    row = first_unlike(stamps, kind)
    if row is not None:
        raise _no_time(source, name, row, words[row].as_py())
    instants = _counted(stamps.cast(kind), TICKS["ns"])
    return Times(instants=instants, unit="s", words="times of day", day=float(DAY))


def _zoned(source: TableSource, name: str, column: Any, words: Any) -> Times:
    import pyarrow.compute as pc

    zones = pc.struct_field(pc.extract_regex(pc.utf8_trim_whitespace(words), _ZONE), "zone")
    encoded = zones.dictionary_encode()
    offsets = tuple("UTC" if z == "Z" else str(z) for z in encoded.dictionary.to_pylist())
    return Times(
        instants=_counted(column, TICKS[column.type.unit]),
        unit="s",
        words="dates with their offset from UTC",
        offset=encoded.indices.to_numpy(zero_copy_only=False),
        offsets=offsets,
    )


def _check_complete(source: TableSource, name: str, column: Any) -> None:
    if column.null_count:
        raise _missing(source, name, column.is_null().to_pylist().index(True))


def _missing(source: TableSource, name: str, row: int) -> DataError:
    return DataError(f"{source.place(row)}: no time in column {name!r}", got="an empty cell")


def _no_time(source: TableSource, name: str, row: int, cell: str | None) -> DataError:
    if cell is None:
        return _missing(source, name, row)
    if is_decimal_comma(cell):
        return no_number(source, name, row, cell)
    return DataError(
        f"{source.place(row)}: column {name!r} holds no time",
        got=repr(cell if len(cell) <= 60 else cell[:57] + "..."),
        expected=f"{_FORMS}, all of one form",
    )
