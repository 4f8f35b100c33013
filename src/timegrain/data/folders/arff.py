"""The `.arff` files of the UCR and UEA archives: a case a line, its class last."""

from pathlib import Path

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.folders.arff_header import ArffHeader, parse_arff_header
from timegrain.data.folders.padding import padding_note, unpadded
from timegrain.data.readers.place import Place, printable, shorten
from timegrain.data.readers.text import read_text
from timegrain.data.readers.ts import TsFile
from timegrain.data.readers.ts_case import Case, read_numbers
from timegrain.data.readers.ts_header import TsHeader


def parse_arff(path: Path) -> TsFile:
    r"""Return the cases of an `.arff` file of the archives.

    A series of one dimension is a row of numbers; one of several is text in quotes in which `\n`
    parts the dimensions. `?` is a missing sample; where all dimensions end in it, it is padding.

    Args:
        path: Of the file.

    Raises:
        DataError: With file and line, if it is malformed or contradicts its header.

    Source:
        A. Bagnall et al., The UEA multivariate time series classification archive, arXiv 1811.00075
        (2018).
    """
    lines = read_text(path).decode().split("\n")
    header, start = parse_arff_header(lines, path.name)
    cases: list[Case] = []
    cut = 0
    for number, raw in enumerate(lines[start:], start=start + 1):
        line = raw.strip()
        if not line or line[0] == "%":
            continue
        place = Place(path.name, number)
        series, label = _parted(line, header, place)
        values = _series(series, header, place)
        if cases and values.shape[1] != cases[0].values.shape[1]:
            raise place.error(
                "another number of dimensions than the first case",
                got=values.shape[1],
                expected=cases[0].values.shape[1],
            )
        own = unpadded(values, place)
        cut += len(own) < len(values)
        cases.append(Case(values=own, label=_known(label, header, place)))
    if not cases:
        raise DataError(f"{printable(path.name)} has no case after @data", hint="a complete file")
    return TsFile(
        header=TsHeader(problem=header.relation, target="class", classes=header.classes),
        cases=tuple(cases),
        notes=padding_note(printable(path.name), cut),
    )


def _parted(line: str, header: ArffHeader, place: Place) -> tuple[list[str], str]:
    """Return the text of each dimension, and the label."""
    if not header.several:
        series, comma, label = line.rpartition(",")
        if not comma:
            raise place.error("no label after a last comma", got=shorten(line), hint=_COMPLETE)
        return [series], label
    quote = line[0]
    end = line.find(quote, 1) if quote in "'\"" else -1
    if end < 0:
        raise place.error(
            "dimensions that are not in quotes",
            got=shorten(line),
            expected=_SEVERAL,
            hint=_COMPLETE,
        )
    comma, label = line[end + 1 :].lstrip()[:1], line[end + 1 :].lstrip()[1:]
    if comma != ",":
        raise place.error("no label after the quotes", got=shorten(line[end:]), hint=_COMPLETE)
    return line[1:end].split("\\n"), label


def _series(texts: list[str], header: ArffHeader, place: Place) -> np.ndarray:
    columns = []
    for dimension, text in enumerate(texts):
        cells = text.split(",")
        if len(cells) != header.length:
            raise place.error(
                f"dimension {dimension} has another length than the header says",
                got=len(cells),
                expected=header.length,
                hint=_COMPLETE,
            )
        columns.append(read_numbers(cells, place, dimension))
    return np.stack(columns, axis=1)


def _known(label: str, header: ArffHeader, place: Place) -> str:
    text = label.strip().strip("'\"")
    if text not in header.classes:
        raise place.error(
            "unknown class",
            got=shorten(text),
            expected=f"one of {', '.join(header.classes)}",
            hint=_COMPLETE,
        )
    return text


_COMPLETE = "a complete file, or a corrected header"
_SEVERAL = r"'1,2\n3,4',label"
