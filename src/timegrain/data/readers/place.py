"""Where in a file something is wrong."""

import unicodedata
from dataclasses import dataclass

from timegrain.core.errors import DataError


@dataclass(frozen=True)
class Place:
    """A line of a file.

    Args:
        file: Name of the file.
        line: Counted from 1.
    """

    file: str
    line: int

    def error(
        self, what: str, *, got: object = None, expected: object = None, hint: str | None = None
    ) -> DataError:
        """Return a `DataError` that starts with the file and the line.

        Example:
            >>> print(Place("a.ts", 3).error("no value", got="''"))
            a.ts, line 3: no value, got ''.
        """
        return DataError(
            f"{printable(self.file)}, line {self.line}: {what}",
            got=got,
            expected=expected,
            hint=hint,
        )


def shorten(text: str, width: int = 40) -> str:
    """Return text in quotes, cut to `width` characters."""
    return repr(text if len(text) <= width else text[: width - 3] + "...")


def printable(text: str) -> str:
    r"""Return text with control characters escaped, so that none reaches a terminal.

    Example:
        >>> printable("a\x1b[31m")
        'a\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if _shows(c) else c.encode("unicode_escape").decode() for c in text)


def _shows(character: str) -> bool:
    kind = unicodedata.category(character)
    return kind[0] != "C" and kind not in ("Zl", "Zp")
