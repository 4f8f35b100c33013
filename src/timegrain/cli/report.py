"""`timegrain report DIR`: build the page again from stored results."""

import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def report(
    directory: Annotated[Path, Parameter(help="A directory written with --output.")],
    /,
    *,
    title: Annotated[str, Parameter(help="Heading of the page.")] = "timegrain report",
) -> int:
    """Build report.html again from the results stored in a directory."""
    from timegrain.core.output import read_output
    from timegrain.report import write_report

    stored = read_output(directory)
    path = write_report(stored.results, directory / "report.html", title=title)
    print(f"report: {path}", file=sys.stderr)
    return 0
