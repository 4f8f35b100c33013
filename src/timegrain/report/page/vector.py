"""Every figure of results as files for a paper, with captions and a bibliography."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError, ResultError
from timegrain.core.output import slug, write_atomically
from timegrain.core.result import Result
from timegrain.report.figures.frame import ONE_COLUMN, POINTS, TWO_COLUMNS
from timegrain.report.figures.save import FORMATS, as_bytes
from timegrain.report.figures.sheet import TALLEST
from timegrain.report.page.making import bibliography
from timegrain.report.page.parts import Plate
from timegrain.report.page.render import sections_of
from timegrain.report.page.write import public

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    _Drawn = tuple[Plate, dict[int, Figure]]

_WIDTHS = {1: ONE_COLUMN, 2: TWO_COLUMNS}
_PAGE = TALLEST + 10.0


@dataclass(frozen=True, kw_only=True)
class WrittenFigures:
    """What `write_figures` wrote.

    Args:
        files: The figures.
        captions: The file with their titles and captions.
        bibliography: The `.bib` file.
        tall: Figures that are higher than a page leaves room for, with their heights in points.
        without: Kinds of results of which there is no figure.
    """

    files: tuple[Path, ...]
    captions: Path
    bibliography: Path
    tall: tuple[tuple[Path, float], ...]
    without: tuple[str, ...]


def write_figures(
    results: Sequence[Result],
    directory: str | Path,
    *,
    formats: Sequence[str] = FORMATS,
    columns: Sequence[int] = (1, 2),
) -> WrittenFigures:
    """Write every figure of results as vectors, as wide as one column of a paper and as two.

    One column is 3.35 inches (85 mm), two are 7 inches (178 mm). Titles and captions are not in the
    figures but in `captions.md` beside them; `references.bib` has what to cite. The figures are
    those of `report.html`.

    Args:
        results: At least one, of any kinds.
        directory: Made if it does not exist; what is there under other names stays.
        formats: Of `"svg"` and `"pdf"`.
        columns: Of 1 and 2.

    Raises:
        ConfigError: If there is no result, or a format or a number of columns is another.
        ResultError: If a file cannot be written.
    """
    _check(results, formats, columns)
    directory, shown = Path(directory), [public(r) for r in results]
    widths = {column: _WIDTHS[column] for column in columns}
    drawn, without = _drawn(shown, widths)
    files, tall, captions = [], [], ["# Figures"]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        for stem, (plate, figures) in drawn.items():
            captions.append(f"## {stem}\n\n**{plate.words.title}.** {plate.words.caption}")
            for column, figure in figures.items():
                for kind in dict.fromkeys(formats):
                    path = directory / f"{stem}-{column}col.{kind}"
                    write_atomically(path, as_bytes(figure, kind))
                    files.append(path)
                    tall += [(path, _height(figure))] if _height(figure) > _PAGE else []
        text, bib = directory / "captions.md", directory / "references.bib"
        write_atomically(text, ("\n\n".join(captions) + "\n").encode())
        write_atomically(bib, bibliography(shown).encode())
    except OSError as error:
        raise ResultError(
            "cannot write the figures",
            got=f"{directory} ({error.strerror})",
            expected="a directory that can be made and written",
        ) from error
    return WrittenFigures(
        files=tuple(files), captions=text, bibliography=bib, tall=tuple(tall), without=without
    )


def _check(results: Sequence[Result], formats: Sequence[str], columns: Sequence[int]) -> None:
    if not results:
        raise ConfigError("figures need results", got="none", expected="at least one")
    wrong = [f for f in formats if f not in FORMATS]
    if wrong or not formats:
        raise ConfigError(
            "unknown format of figures", got=", ".join(wrong) or "none", expected="svg, pdf"
        )
    odd = [c for c in columns if c not in _WIDTHS]
    if odd or not columns:
        raise ConfigError(
            "unknown number of columns", got=", ".join(map(str, odd)) or "none", expected="1, 2"
        )


def _drawn(
    results: Sequence[Result], widths: Mapping[int, float]
) -> "tuple[dict[str, _Drawn], tuple[str, ...]]":
    """Return figures by the stems of their files, and kinds of results that have none."""
    drawn: dict[str, _Drawn] = {}
    for section in sections_of(results):
        found = [each for plate in section.plates for each in _fitting(plate, widths)]
        for plate, figures in found:
            stem = section.key if len(found) == 1 else f"{section.key}-{slug(plate.name)}"
            drawn[_unused(stem, drawn)] = (plate, figures)
    without = tuple(
        kind
        for kind in dict.fromkeys(r.kind for r in results)
        if not any(s.plates for s in sections_of([r for r in results if r.kind == kind]))
    )
    return drawn, without


def _unused(stem: str, taken: Iterable[str]) -> str:
    """Return the stem, numbered where files of another would be hidden by it."""
    used = {other.casefold() for other in taken}
    numbered = (stem if i == 1 else f"{stem}-{i}" for i in count(1))
    return next(name for name in numbered if name.casefold() not in used)


def _fitting(plate: Plate, widths: Mapping[int, float]) -> "Iterator[_Drawn]":
    """Give the figure at each width, or its parts where one is too high for a page."""
    figures = {column: plate.draw(width) for column, width in widths.items()}
    if plate.parts and any(_height(figure) > _PAGE for figure in figures.values()):
        for part in plate.parts:
            yield part, {column: part.draw(width) for column, width in widths.items()}
    else:
        yield plate, figures


def _height(figure: "Figure") -> float:
    return float(figure.get_size_inches()[1] * POINTS)
