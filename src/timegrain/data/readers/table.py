"""Rows and columns of a delimited text file, with the line every row stands on."""

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.readers.delimiter import MISSING, check_delimiter, is_number


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Columns of inferred types.

    Args:
        file: Name of the file.
        names: One a column, all different.
        header: Whether they come from the first row.
        data: A `pyarrow.Table`.
        text: The file's bytes, from which lines are counted when something is wrong.
        one_column: Whether an empty line is an empty cell.
    """

    file: str
    names: tuple[str, ...]
    header: bool
    data: Any
    text: bytes
    one_column: bool

    def column(self, name: str) -> Any:
        """Return a column as one `pyarrow.Array`."""
        return self.data.column(self.names.index(name)).combine_chunks()

    def line(self, row: int) -> int:
        """Return the line of the file, from 1, on which data row `row`, from 0, stands."""
        return line_of(self.text, row + self.header, self.one_column)


def read_table(path: Path, delimiter: str) -> Table:
    """Return the table in a file.

    Args:
        path: Of the file; UTF-8, with or without a header.
        delimiter: One character.

    Raises:
        ConfigError: If the delimiter is not one character.
        DataError: With file and line, if a row has other cells than the first one; or if another
            delimiter fits.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow

    if len(delimiter) != 1 or delimiter in '"\r\n':
        raise ConfigError("a delimiter is one character", got=repr(delimiter), hint="',' or ';'")
    text = path.read_bytes().removeprefix(b"\xef\xbb\xbf")
    first = _first_row(text, delimiter, path.name)
    check_delimiter(text, delimiter, path.name)
    header = not all(is_number(cell) for cell in first)
    names = _names(first, path.name) if header else tuple(str(i) for i in range(len(first)))
    # in one column an empty line is an empty cell, but not before the first and after the last
    body = text.strip(b"\r\n") if len(first) == 1 else text
    wrong: list[Any] = []

    def keep(row: Any) -> str:
        wrong.append(row)
        return "error"

    try:
        data = arrow.read_csv(
            pa.BufferReader(body),
            # row numbers are known to one thread only
            read_options=arrow.ReadOptions(use_threads=False, autogenerate_column_names=not header),
            parse_options=arrow.ParseOptions(
                delimiter=delimiter, ignore_empty_lines=len(first) > 1, invalid_row_handler=keep
            ),
            convert_options=arrow.ConvertOptions(null_values=MISSING, strings_can_be_null=True),
        )
    except pa.ArrowInvalid as error:
        if not wrong:
            raise DataError(f"{path.name} is no table", got=str(error).splitlines()[0]) from error
        row = wrong[0]
        raise DataError(
            f"{path.name}, line {line_of(text, row.number - 1, len(first) == 1)}: ragged row",
            got=f"{row.actual_columns} cells",
            expected=f"{row.expected_columns}, as in the first row",
            hint="a complete file, or another delimiter",
        ) from error
    if data.num_rows == 0:
        raise DataError(f"{path.name} has a header but no rows", got=", ".join(names))
    return Table(
        file=path.name,
        names=names,
        header=header,
        data=data,
        text=text,
        one_column=len(first) == 1,
    )


def line_of(text: bytes, row: int, one_column: bool) -> int:
    r"""Return the line, from 1, of row `row`, from 0; empty lines are rows in one column only.

    Example:
        >>> line_of(b"a,b\n\n1,2", 1, False)
        3
    """
    lines = text.decode("utf-8", errors="replace").splitlines()
    filled = [i for i, line in enumerate(lines, start=1) if line]
    return filled[0] + row if one_column else filled[row]


def _first_row(text: bytes, delimiter: str, file: str) -> list[str]:
    if b"\0" in text[:4096]:
        raise DataError(f"{file} is not text", got="zero bytes", hint="a UTF-8 text file")
    lines = io.StringIO(text[: 1 << 20].decode("utf-8", errors="replace"))
    for row in csv.reader(lines, delimiter=delimiter):
        if row:
            return row
    raise DataError(f"{file} holds no rows")


def _names(cells: list[str], file: str) -> tuple[str, ...]:
    names = tuple(cell.strip() or str(i) for i, cell in enumerate(cells))
    twice = {n for n in names if names.count(n) > 1}
    if twice:
        raise DataError(f"{file}: two columns have one name", got=", ".join(sorted(twice)))
    return names
