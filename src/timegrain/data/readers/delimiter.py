"""What stands between the cells of a table whose cells are not numbers as it was read."""

import csv
import re
from collections.abc import Sequence

from timegrain.core.errors import ConfigError, DataError

MISSING = ("", "NA", "N/A", "NaN", "nan", "NAN", "null", "NULL", "?")

_CANDIDATES = (";", "\t", "|", ",")
_NAMES = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas", " ": "blanks"}
_LINES = 20
_DATE = re.compile(
    r"\d{1,4}[-./]\d{1,2}[-./]\d{1,4}([ T]\d[\d:.,]*(Z|[+-]\d\d:?\d\d)?)?|\d{1,2}:\d\d(:[\d.,]+)?"
)
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


def delimiter_name(delimiter: str) -> str:
    """Return what a delimiter is called, in the plural.

    Example:
        >>> delimiter_name(";"), delimiter_name("^")
        ('semicolons', "'^'")
    """
    return _NAMES.get(delimiter, repr(delimiter))


def find_delimiter(text: bytes, usual: str) -> str:
    r"""Return what makes most of the first lines a table of numbers.

    Args:
        text: Of the file.
        usual: The one that stays unless another one makes more cells numbers.

    Example:
        >>> find_delimiter(b"a;b\n1,5;2\n2,5;3\n", ",")
        ';'
    """
    lines = [line for line in _first_lines(text) if not line.lstrip().startswith("#")]
    return usual if len(lines) < 2 else _best(lines, usual)


def find_decimal(text: bytes, delimiter: str) -> str:
    r"""Return what stands before the decimals of the numbers of a table: a point, or a comma.

    Args:
        text: Of the file.
        delimiter: What stands between its cells. Where it is a comma, none is left for numbers.

    Example:
        >>> find_decimal(b"a;b\n1;2\n1,5;3\n", ";"), find_decimal(b"a;b\n1;2\n1.5;3\n", ";")
        (',', '.')
    """
    if delimiter == ",":
        return "."
    edge = b"(?:^|" + re.escape(delimiter.encode()) + b")"
    end = b"(?=" + re.escape(delimiter.encode()) + b"|$)"
    number = rb"[ ]{0,9}\"?[+-]?\d*%s\d+(?:[eE][+-]?\d+)?\"?[ ]{0,9}"
    comma = re.search(edge + number % b"," + end, text, re.MULTILINE)
    if comma is None:
        return "."
    point = re.search(edge + number % rb"\." + end, text, re.MULTILINE)
    return "." if point else ","


def _best(lines: Sequence[str], usual: str) -> str:
    best, found = _numeric_share(lines, usual, fewest=1), usual
    for candidate in _CANDIDATES:
        share = _numeric_share(lines, candidate, fewest=2) if candidate != usual else 0.0
        if share > best:
            best, found = share, candidate
    return found


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
    other = _best(lines, delimiter)
    if other == delimiter:
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
    """Return which part of the cells after the first line are numbers, dates or times.

    Zero if the lines have fewer cells than `fewest`, or, where it is above 1, unequal numbers;
    where it is 1, such a share counts half.
    """
    try:
        rows = _split(lines, delimiter)
    except csv.Error:
        return 0.0
    widths = {len(row) for row in rows}
    if min(widths) < fewest or (fewest > 1 and len(widths) > 1):
        return 0.0
    cells = [cell for row in rows[1:] for cell in row]
    good = sum(is_number(c) or is_decimal_comma(c) or _is_date(c) for c in cells)
    return good / max(len(cells), 1) / (1 if len(widths) == 1 else 2)


def _is_date(cell: str) -> bool:
    return _DATE.fullmatch(cell.strip()) is not None
