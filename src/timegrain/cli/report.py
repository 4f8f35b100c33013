"""`timegrain report DIR`: build the page again from stored results, and figures for a paper."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from timegrain.core.result import Result


def report(
    directory: Annotated[Path, Parameter(help="A directory written with --output.")],
    /,
    *,
    title: Annotated[
        str | None, Parameter(help="Heading of the page; where left out, the one it had.")
    ] = None,
    figures: Annotated[
        str | None,
        Parameter(
            help="Comma list of svg and pdf: writes every figure into DIR/figures/, with captions "
            "and a bibliography."
        ),
    ] = None,
    columns: Annotated[
        str | None,
        Parameter(
            help="With --figures: 1 for one column of a paper (3.35 inches), 2 for two (7 inches); "
            "1,2, both, where it is left out."
        ),
    ] = None,
) -> int:
    """Build report.html again from the results stored in a directory.

    With --figures also the figures of the page as vectors for a paper, their text as text.
    """
    from timegrain.core.output import read_output
    from timegrain.report import write_report
    from timegrain.report.page.write import stored_title

    formats, widths = _asked(figures, columns)
    stored = read_output(directory)
    page = directory / "report.html"
    heading = title or stored_title(page) or "timegrain report"
    path = write_report(stored.results, page, title=heading)
    print(f"report: {path}", file=sys.stderr)
    if formats:
        _write(stored.results, directory / "figures", formats, widths)
    return 0


def _asked(figures: str | None, columns: str | None) -> tuple[list[str], tuple[int, ...]]:
    from timegrain.cli import options as words
    from timegrain.core.errors import ConfigError

    if figures is None and columns is not None:
        raise ConfigError(
            "--columns is about figures", got=f"--columns {columns}", hint="--figures svg with it"
        )
    formats = [] if figures is None else words.names(figures)
    widths = (1, 2) if columns is None else words.whole_numbers(columns, "--columns")
    return [name.lower() for name in formats], widths


def _write(
    results: "Sequence[Result]", directory: Path, formats: list[str], widths: tuple[int, ...]
) -> None:
    from timegrain.report import write_figures

    written = write_figures(results, directory, formats=formats, columns=widths)
    for file in written.files:
        print(f"figure: {file}", file=sys.stderr)
    for file, high in written.tall:
        print(
            f"note: {file.name} is {high:.0f} points high, more than a page leaves room for: fewer "
            "datasets or models in one result give a lower one",
            file=sys.stderr,
        )
    if written.without:
        kinds = ", ".join(kind.replace("-", " ") for kind in written.without)
        print(f"note: there is no figure of: {kinds}", file=sys.stderr)
    print(f"captions: {written.captions}", file=sys.stderr)
    print(f"bibliography: {written.bibliography}", file=sys.stderr)
