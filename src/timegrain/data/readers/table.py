"""Rows and columns of a delimited text file, with the line every row stands on."""

import csv
import io
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from timegrain.core.errors import DataError
from timegrain.data.readers.delimiter import (
    MISSING,
    check_delimiter,
    find_decimal,
    find_delimiter,
    is_decimal_comma,
    is_number,
)
from timegrain.data.readers.place import printable
from timegrain.data.readers.text import read_text

COMMENT = b"#"
_LARGEST_BLOCK = 1 << 28


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Columns of guessed types.

    Args:
        file: Name of the file.
        names: One a column, all different.
        header: Whether they come from the first row.
        data: A `pyarrow.Table`.
        text: The file's text, from which lines are counted when something is wrong.
        delimiter: What stands between cells.
        comments: Lines above the first row that were skipped.
        decimal: A point or a comma: what stands before the decimals of its numbers.
    """

    file: str
    names: tuple[str, ...]
    header: bool
    data: Any
    text: bytes
    delimiter: str
    comments: int
    decimal: str = "."
    declared = False

    @property
    def n_rows(self) -> int:
        """Rows below the header."""
        return int(self.data.num_rows)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    def kind(self, name: str) -> Any:
        """Return the guessed type of a column."""
        return self.data.schema.field(self._places[name]).type

    def chunks(self, name: str) -> Iterator[Any]:
        """Yield a column in parts."""
        yield from self.data.column(self._places[name]).chunks

    def column(self, name: str) -> Any:
        """Return a column as one `pyarrow.Array`."""
        return self.data.column(self._places[name]).combine_chunks()

    def words(self, name: str) -> Any:
        """Return the cells of a column as they are written, None where one is missing."""
        place = self._places[name]
        read = _read(self.text, self.delimiter, len(self.names), self.header, text_column=place)
        found = read.column(0).combine_chunks()
        return found if self.decimal == "." else _with_points(found)

    def place(self, row: int) -> str:
        """Return the file and the line, from 1, on which data row `row`, from 0, stands."""
        return f"{self.file}, line {line_of(self.text, row + self.header, self.delimiter)}"


def read_table(
    path: Path, *, delimiter: str | None, usual: str, header: bool | None = None
) -> Table:
    """Return the table in a file.

    Lines above the first row that start with # are comments, except where the last one names the
    columns of the numbers below it.

    Args:
        path: Of the file; Unicode text, with or without a header.
        delimiter: What the user says stands between cells; None to find out.
        usual: What stands there where nothing else fits better.
        header: Whether the first row names the columns; None where it does if a cell of it is
            neither a number nor empty.

    Raises:
        DataError: With file and line, if a row has other cells than the first one or a quote is
            not closed; or if another delimiter fits than the one given.
    """
    text = read_text(path)
    given, delimiter = delimiter, delimiter or find_delimiter(text, usual)
    text, comments = _without_comments(text, delimiter)
    _check_quotes(text, delimiter, path.name)
    first = _first_row(text, delimiter, path.name)
    if given is not None:
        check_delimiter(text, delimiter, path.name)
    decimal = find_decimal(text, delimiter) if len(first) > 1 else "."
    if header is None:
        comma = decimal == ","
        header = not all(is_number(c) or (comma and is_decimal_comma(c)) for c in first)
    names = _names(first, path.name) if header else tuple(str(i) for i in range(len(first)))
    data = _checked(text, delimiter, len(first), header, path.name, decimal)
    if data.num_rows == 0:
        raise DataError(f"{path.name} has a header but no rows", got=_listed(names))
    return Table(
        file=path.name,
        names=names,
        header=header,
        data=data,
        text=text,
        delimiter=delimiter,
        comments=comments,
        decimal=decimal,
    )


def line_of(text: bytes, row: int, delimiter: str) -> int:
    r"""Return the line, from 1, of row `row`, from 0; empty lines are rows in one column only.

    Example:
        >>> line_of(b"a,b\n\n1,2", 1, ",")
        3
    """
    lines = _reader(text, delimiter)
    one_column, rows, start = False, -1, 1
    with suppress(csv.Error):
        for cells in lines:
            if rows < 0 and cells:
                one_column = len(cells) == 1
            rows += bool(cells) or (one_column and rows >= 0)
            if rows == row:
                break
            start = lines.line_num + 1
    return start


def _checked(text: bytes, delimiter: str, width: int, header: bool, file: str, decimal: str) -> Any:
    import pyarrow as pa

    wrong: list[Any] = []
    try:
        return _read(text, delimiter, width, header, wrong=wrong, decimal=decimal)
    except pa.ArrowInvalid as error:
        if not wrong:
            raise DataError(f"{file} is no table", got=str(error).splitlines()[0]) from error
        row = wrong[0]
        raise DataError(
            f"{file}, line {line_of(text, row.number - 1, delimiter)}: ragged row",
            got=f"{row.actual_columns} cells",
            expected=f"{row.expected_columns}, as in the first row",
            hint="a complete file, or another delimiter",
        ) from error


def _read(
    text: bytes,
    delimiter: str,
    width: int,
    header: bool,
    *,
    wrong: list[Any] | None = None,
    text_column: int | None = None,
    decimal: str = ".",
) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow

    def keep(row: Any) -> str:
        if wrong is not None:
            wrong.append(row)
        return "error"

    # in one column an empty line is an empty cell, but not before the first and after the last
    body = text.strip(b"\n") + b"\n"
    names = [f"f{i}" for i in range(width)]
    only = {} if text_column is None else {names[text_column]: pa.string()}
    return arrow.read_csv(
        pa.BufferReader(body),
        read_options=arrow.ReadOptions(
            # row numbers are known to one thread only
            use_threads=False,
            column_names=names,
            skip_rows_after_names=int(header),
            block_size=min(max(len(body), 1 << 20), _LARGEST_BLOCK),
        ),
        parse_options=arrow.ParseOptions(
            delimiter=delimiter,
            ignore_empty_lines=width > 1,
            newlines_in_values=b'"' in text,
            invalid_row_handler=keep,
        ),
        convert_options=arrow.ConvertOptions(
            null_values=MISSING,
            strings_can_be_null=True,
            column_types=only,
            include_columns=list(only),
            decimal_point=decimal,
        ),
    )


def _with_points(words: Any) -> Any:
    import pyarrow.compute as pc

    return pc.replace_substring_regex(words, r"^(\s*[+-]?\d*),(\d+([eE][+-]?\d+)?\s*)$", r"\1.\2")


def _reader(text: bytes, delimiter: str, *, strict: bool = False) -> Any:
    lines = io.TextIOWrapper(io.BytesIO(text), encoding="utf-8", newline="\n")
    return csv.reader(lines, delimiter=delimiter, strict=strict)


def _first_row(text: bytes, delimiter: str, file: str) -> list[str]:
    try:
        first: list[str] | None = next((r for r in _reader(text, delimiter) if r), None)
    except csv.Error as error:
        raise DataError(f"{file} is no table", got=str(error)) from error
    if first is None:
        raise DataError(f"{file} holds no rows")
    return first


def _check_quotes(text: bytes, delimiter: str, file: str) -> None:
    if text.count(b'"') % 2 == 0:
        return
    rows, start = _reader(text, delimiter, strict=True), 1
    try:
        for _ in rows:
            start = rows.line_num + 1
    except csv.Error as error:
        # a quote within a cell is only odd
        if "unexpected end" in str(error) or "field larger" in str(error):
            raise DataError(
                f"{file}, line {start}: a quote that opens here is never closed",
                expected="quotes in pairs around a cell, and doubled within one",
            ) from error


def _without_comments(text: bytes, delimiter: str) -> tuple[bytes, int]:
    """Return text whose first lines are empty where they are comments, and how many those are."""
    lines, at = [], 0
    while text[at : at + 1] in (COMMENT, b"\n"):
        end = text.find(b"\n", at)
        end = len(text) if end < 0 else end
        lines.append(text[at:end])
        at = end + 1
    comments = [line for line in lines if line]
    if not comments:
        return text, 0
    body = text[at:]
    named = _named_columns(lines[-1].lstrip(b"# \t"), body, delimiter)
    kept = lines[-1].lstrip(b"# \t") + b"\n" if named else b""
    return b"\n" * (len(lines) - named) + kept + body, len(comments) - named


def _named_columns(line: bytes, body: bytes, delimiter: str) -> bool:
    try:
        first: list[str] = next((row for row in _reader(body, delimiter) if row), [])
        names: list[str] = next(_reader(line, delimiter), [])
    except csv.Error:
        return False
    return len(first) == len(names) > 1 and all(is_number(cell) for cell in first)


def _names(cells: list[str], file: str) -> tuple[str, ...]:
    names = tuple(printable(cell.strip()) or str(i) for i, cell in enumerate(cells))
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"{file}: two columns have one name", got=_listed(tuple(sorted(twice))))
    return names


def _listed(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - 20} more" if len(names) > 20 else ""
    return ", ".join(names[:20]) + more
