"""Results to one HTML file that needs no network, no script and no other file."""

import dataclasses
import html
import re
from collections.abc import Sequence
from pathlib import Path

from timegrain.core.errors import ConfigError, ResultError
from timegrain.core.output import write_atomically
from timegrain.core.result import Result

_TITLE = re.compile(r"<title>([^<]+)</title>")
_HEAD = 4000  # characters within which a page has its title


def write_report(results: Sequence[Result], path: str | Path, *, title: str = "timegrain") -> Path:
    """Write results as one self-contained HTML page.

    Sections appear for the kinds of results that are there; a kind without a section of its own is
    listed with its summary. The same results give the same file, byte for byte.

    Args:
        results: At least one, of any kinds, in any order.
        path: The file; it appears whole or not at all.
        title: Heading of the page.

    Returns:
        The path.

    Raises:
        ConfigError: If there is no result.
        ResultError: If the file cannot be written.
    """
    from timegrain.report.page.render import render

    path = Path(path)
    if not results:
        raise ConfigError(
            "a report needs results", got="none", hint="write_report([result], path) with one"
        )
    text = render([public(r) for r in results], title=title)
    try:
        write_atomically(path, text.encode())
    except OSError as error:
        raise ResultError(
            "cannot write the report",
            got=f"{path} ({error.strerror})",
            expected="a file in a directory that exists and can be written",
        ) from error
    return path


def stored_title(path: str | Path) -> str | None:
    """Return the heading of a page that was written before; None where there is none."""
    path = Path(path)
    if not path.is_file():
        return None
    with path.open(encoding="utf-8", errors="replace") as file:
        found = _TITLE.search(file.read(_HEAD))
    return html.unescape(found[1]) if found else None


def public(result: Result) -> Result:
    """Return the result under a name that gives no path away."""
    from timegrain.report.page.making import without_paths

    name = str(without_paths(result.name))
    return result if name == result.name else dataclasses.replace(result, name=name)
