"""What stands between the cells of a table whose cells are not numbers as it was read."""

import csv
import re
from collections.abc import Sequence

from timegrain.core.errors import ConfigError, DataError

MISSING = ("", "NA", "N/A", "NaN", "nan", "NAN", "null", "NULL", "?")

_CANDIDATES = (";", "\t", "|", ",")
_NAMES = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}
_LINES = 20
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")


def delimiter_of(given: str | None, usual: str) -> str:
    r"""Return what stands between cells; the two characters `\t` stand for a tab.

    Args:
        given: What the user said, or None.
        usual: Of the file format.

    Raises:
        ConfigError: If it is not one character that can stand between cells.

    Example:
        >>> delimiter_of(None, ","), delimiter_of(r"\t", ",")
        (',', '\t')
    """
    if given is None:
        return usual
    character = "\t" if given == r"\t" else given
    usable = len(character) == 1 and character.isascii() and not character.isalnum()
    if not usable or character in '"+-._' or (not character.isprintable() and character != "\t"):
        raise ConfigError(
            "a delimiter is one character of ASCII that stands in no number",
            got=repr(given),
            expected="such as ',', ';', '|', ' ' or a tab",
        )
    return character


def check_delimiter(text: bytes, delimiter: str, file: str) -> None:
    """Raise if the first lines are more of a table of numbers with another delimiter.

    Args:
        text: Of the file.
        delimiter: The one that is about to be used.
        file: Its name, for the error.

    Raises:
        DataError: Naming the delimiter to use.
    """
    lines = _first_lines(text)
    if len(lines) < 2:
        return
    best, other = _numeric_share(lines, delimiter, fewest=1), ""
    for candidate in _CANDIDATES:
        share = _numeric_share(lines, candidate, fewest=2) if candidate != delimiter else 0.0
        if share > best:
            best, other = share, candidate
    if not other:
        return
    data_cells = [cell for row in _split(lines[1:], other) for cell in row]
    decimal = next((cell for cell in data_cells if is_decimal_comma(cell)), "")
    raise DataError(
        f"{file}: its cells stand between {_NAMES[other]}, not {_NAMES.get(delimiter, delimiter)}"
        + (", and its numbers have decimal commas" if decimal else ""),
        got=repr(lines[1][:60]),
        hint=f"delimiter={other!r}"
        + (f", once decimal points stand in its numbers ({_pointed(decimal)})" if decimal else ""),
    )


def is_decimal_comma(cell: str) -> bool:
    """Whether a cell is a number written with a comma, such as `1,5`."""
    return _DECIMAL_COMMA.fullmatch(cell.strip()) is not None


def decimal_comma_error(where: str, cell: str, *, alone: bool) -> DataError:
    """Return the error on a cell such as `1,5`.

    Args:
        where: File, line and column.
        cell: Its text.
        alone: It is the only cell of its line, so the comma may part two.
    """
    hint = "writing the file with decimal points"
    return DataError(
        f"{where} holds a number with a decimal comma",
        got=repr(cell),
        expected=f"a decimal point: {_pointed(cell)}",
        hint=f"delimiter=',' if the comma parts two cells, else {hint}" if alone else hint,
    )


def is_number(cell: str) -> bool:
    """Whether a cell is a number or stands for a missing one."""
    if cell.strip() in MISSING:
        return True
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _pointed(cell: str) -> str:
    return cell.strip().replace(",", ".")


def _first_lines(text: bytes) -> list[str]:
    head = text[: 1 << 16].decode("utf-8", errors="replace").split("\n")
    if len(text) > 1 << 16:
        head.pop()  # it may be cut
    return [line for line in head if line.strip()][:_LINES]


def _split(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    return list(csv.reader(lines, delimiter=delimiter))


def _numeric_share(lines: Sequence[str], delimiter: str, *, fewest: int) -> float:
    """Return which part of the cells after the first line are numbers.

    Zero if the lines have fewer cells than `fewest`, or, where it is above 1, unequal numbers.
    """
    try:
        rows = _split(lines, delimiter)
    except csv.Error:
        return 0.0
    widths = {len(row) for row in rows}
    if min(widths) < fewest or (fewest > 1 and len(widths) > 1):
        return 0.0
    cells = [cell for row in rows[1:] for cell in row]
    return sum(is_number(c) or is_decimal_comma(c) for c in cells) / max(len(cells), 1)
