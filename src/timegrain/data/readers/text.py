"""The text of a file, whatever encoding its first bytes name."""

import codecs
from pathlib import Path

from timegrain.core.errors import DataError

# UTF-32 first: its mark for little-endian text starts with that of UTF-16
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


def read_text(path: Path) -> bytes:
    r"""Return the text of a file in UTF-8, with `\n` at the end of every line.

    A byte order mark names UTF-8, UTF-16 or UTF-32; without one it is UTF-8. Lines may end in
    `\n`, `\r\n` or `\r`.

    Args:
        path: Of the file.

    Raises:
        DataError: Naming the line and the byte that is no text.
    """
    text = path.read_bytes()
    mark, encoding = next((m for m in _MARKS if text.startswith(m[0])), (b"", "utf-8"))
    text = text.removeprefix(mark)
    try:
        decoded = text.decode(encoding)
    except UnicodeDecodeError as error:
        raise _not_text(path.name, text, encoding, error.start) from error
    if encoding != "utf-8":
        text = decoded.encode()
    at = text.find(b"\0")
    if at >= 0:
        raise DataError(
            f"{path.name}, line {text.count(NEWLINE, 0, at) + 1}: not text",
            got=f"a zero byte at position {at:,}",
            expected="text in UTF-8, or another Unicode encoding with a byte order mark",
        )
    if b"\r" in text:
        text = text.replace(b"\r\n", NEWLINE).replace(b"\r", NEWLINE)
    return text


NEWLINE = b"\n"


def _not_text(file: str, text: bytes, encoding: str, at: int) -> DataError:
    head = text[:at].replace(b"\r\n", NEWLINE).replace(b"\r", NEWLINE)
    return DataError(
        f"{file}, line {head.count(NEWLINE) + 1}: not text in {encoding.upper()}",
        got=f"byte 0x{text[at]:02x} at position {at:,}",
        expected="a text file",
        hint="saving it as UTF-8, for example iconv -f latin1 -t utf-8"
        if encoding == "utf-8"
        else "saving it as UTF-8",
    )
