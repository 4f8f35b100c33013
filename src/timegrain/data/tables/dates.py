"""Dates that are not written year first: 31.12.2024, 31/12/2024, 12/31/2024."""

import re
from dataclasses import dataclass
from typing import Any

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.tables.source import TableSource

DAY_FIRST, MONTH_FIRST = "day-first", "month-first"
_TIME = (
    r"(?:(?:[ T]|, ?)\s*(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})"
    r"(?P<rest>(?::[0-9]{2}(?:\.[0-9]+)?)?)"
    r"\s*(?P<half>(?:[aApP]\.?[mM]\.?)?)\s*(?P<zone>(?:Z|[+-][0-9]{2}(?::?[0-9]{2})?)?))?$"
)
_YEAR_LAST = r"^(?P<a>[0-9]{1,2})[./-](?P<b>[0-9]{1,2})[./-](?P<year>[0-9]{2}|[0-9]{4})" + _TIME
_YEAR_FIRST = r"^(?P<year>[0-9]{4})[./](?P<a>[0-9]{1,2})[./](?P<b>[0-9]{1,2})" + _TIME


@dataclass(frozen=True, kw_only=True, eq=False)
class Rewritten:
    """Dates as they are written in ISO 8601.

    Args:
        words: A `pyarrow.Array` of strings; where a cell is no such date it is as it was.
        order: How they were read, for the note.
    """

    words: Any
    order: str


def year_first(source: TableSource, name: str, words: Any, dates: str | None) -> Rewritten | None:
    """Return dates with the year first; None where the first of them already is a time.

    Dots stand for day, month, year. Slashes and hyphens stand for that, or for month, day, year: a
    part above 12 settles it for the whole column, else `dates` has to.

    Args:
        source: The table.
        name: Of the column.
        words: Its cells, trimmed.
        dates: `"day-first"`, `"month-first"`, or None for what the cells say.

    Raises:
        ConfigError: If `dates` is said of times without day and month, or contradicts them.
        DataError: If both orders are possible, or a year has two digits.
    """
    import pyarrow.compute as pc

    first = words[words.is_valid().to_pylist().index(True)].as_py()
    style = next((s for s in (_YEAR_LAST, _YEAR_FIRST) if re.match(s, first)), None)
    if dates is not None and style != _YEAR_LAST:
        raise ConfigError(
            f"{source.file}: column {name!r} holds no dates whose day or month comes first",
            got=f"dates={dates!r} and {first!r:.60}",
            hint="leaving it out",
        )
    if style is None:
        return None
    parts = pc.extract_regex(words, style)
    if style == _YEAR_FIRST:
        return Rewritten(words=_iso(words, parts, "a", "b"), order="year first")
    _check_years(source, name, words, parts)
    order, telling = (dates, first) if dates else _order(source, name, words, parts)
    day, month = ("a", "b") if order == DAY_FIRST else ("b", "a")
    shown = "as was said" if dates else f"as {telling.split()[0]} shows"
    return Rewritten(
        words=_iso(words, parts, month, day), order=f"{order.replace('-', ' ')}, {shown}"
    )


def _order(source: TableSource, name: str, words: Any, parts: Any) -> tuple[str, str]:
    """Return which comes first, and the cell that shows it."""
    first = words[words.is_valid().to_pylist().index(True)].as_py()
    dots = "." in first[:3]
    day, month = (_first_above(parts, field) for field in ("a", "b"))
    if month is not None and (day is not None or dots):
        row = max(day or 0, month)
        raise DataError(
            f"{source.place(row)}: column {name!r} has no one order of day and month",
            got=repr(words[row].as_py()),
            expected="12 or less in one of both places, the same in every row",
            hint=None if day is not None else f"dates={MONTH_FIRST!r}, if the month stands first",
        )
    if dots:
        return DAY_FIRST, first
    if day is not None:
        return DAY_FIRST, words[day].as_py()
    if month is not None:
        return MONTH_FIRST, words[month].as_py()
    first = _telling(words, parts) or first
    x, y, year = re.split(r"[/-]", first.split()[0])
    raise DataError(
        f"{source.file}: the dates of column {name!r} can be read in two ways",
        got=f"{first!r}: day {int(x)} of month {int(y)}, or month {int(x)}, day {int(y)}, of "
        f"{year[:4]}; no row has a number above 12 there",
        hint=f"dates={DAY_FIRST!r} or dates={MONTH_FIRST!r}",
    )


def _telling(words: Any, parts: Any) -> str | None:
    """Return the first cell whose day is not its month."""
    import pyarrow as pa
    import pyarrow.compute as pc

    a, b = (pc.struct_field(parts, field).cast(pa.int32()) for field in ("a", "b"))
    row = pc.index(pc.fill_null(pc.not_equal(a, b), False), True).as_py()
    return None if row < 0 else str(words[row].as_py())


def _check_years(source: TableSource, name: str, words: Any, parts: Any) -> None:
    import pyarrow.compute as pc

    short = pc.not_equal(pc.utf8_length(pc.struct_field(parts, "year")), 4)
    row = pc.index(pc.fill_null(short, False), True).as_py()
    if row >= 0:
        raise DataError(
            f"{source.place(row)}: the year of column {name!r} has no century",
            got=repr(words[row].as_py()),
            expected="four digits, such as 2024",
        )


def _first_above(parts: Any, field: str) -> int | None:
    """Return the first row whose number can be no month."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.struct_field(parts, field).cast(pa.int32())
    row = pc.index(pc.fill_null(pc.greater(numbers, 12), False), True).as_py()
    return None if row < 0 else int(row)


def _iso(words: Any, parts: Any, month: str, day: str) -> Any:
    """Return cells as year-month-day, with their time; those that are no dates as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    date = pc.binary_join_element_wise(
        *(pc.utf8_lpad(pc.struct_field(parts, f), 2, "0") for f in ("year", month, day)), "-"
    )
    minute, rest, zone = (pc.struct_field(parts, f) for f in ("minute", "rest", "zone"))
    time = pc.binary_join_element_wise(date, "T", _hours(parts), ":", minute, rest, zone, "")
    stamp = pc.if_else(pc.not_equal(minute, ""), time, date)
    return pc.coalesce(stamp, words).cast(pa.string())


def _hours(parts: Any) -> Any:
    """Return hours of 24 in two digits; an afternoon of 12 hours is counted on."""
    import pyarrow as pa
    import pyarrow.compute as pc

    said = pc.struct_field(parts, "hour")
    half = pc.utf8_lower(pc.utf8_slice_codeunits(pc.struct_field(parts, "half"), 0, 1))
    number = pc.if_else(pc.equal(said, ""), "0", said).cast(pa.int32())
    twelve = pc.if_else(pc.equal(number, 12), 0, number)
    counted = pc.if_else(pc.equal(half, "p"), pc.add(twelve, 12), twelve)
    hours = pc.if_else(pc.equal(half, ""), number, counted)
    return pc.utf8_lpad(hours.cast(pa.string()), 2, "0")
