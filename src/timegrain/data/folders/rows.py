"""A row a series, the class in its first cell: the UCR archive's `.tsv` and `.txt`."""

import re
from decimal import Decimal
from pathlib import Path

from timegrain.core.errors import DataError
from timegrain.data.folders.padding import padding_note, unpadded
from timegrain.data.readers.place import Place, printable, shorten
from timegrain.data.readers.text import read_text
from timegrain.data.readers.ts import TsFile
from timegrain.data.readers.ts_case import Case, read_numbers
from timegrain.data.readers.ts_header import TsHeader

# not all that float() takes: neither 1_0, nor digits of other scripts; the archive's older files
# write 10 as 1.0000000e+01
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,2})?")
_LARGEST = 10**15


def parse_rows(path: Path) -> TsFile:
    """Return the cases of a file whose rows are a class and the samples of a series.

    Cells are parted by tabs, commas or spaces. `NaN` is a missing sample; at the end of a row it
    is padding.

    Args:
        path: Of the file.

    Raises:
        DataError: With file and line, if a row is no such row, or its class no whole number.

    Source:
        H. A. Dau et al., The UCR time series archive, IEEE/CAA J. Autom. Sinica 6 (2019).
    """
    cases, width, cut = [], 0, 0
    for number, line in enumerate(read_text(path).decode().split("\n"), start=1):
        if not line.strip():
            continue
        place = Place(path.name, number)
        cells = _cells(line)
        width = width or len(cells)
        if len(cells) == 1:
            raise place.error(
                "no sample behind the class",
                got=shorten(line.strip()),
                expected="a class and samples, parted by tabs, commas or spaces",
            )
        if len(cells) != width:
            raise place.error(
                "another number of cells than in the first row",
                got=len(cells),
                expected=f"{width}: a class and {width - 1} samples",
                hint="a complete file",
            )
        values = read_numbers(cells[1:], place, 0)[:, None]
        own = unpadded(values, place)
        cut += len(own) < len(values)
        cases.append(Case(values=own, label=_class(cells[0], place)))
    if not cases:
        raise DataError(f"{printable(path.name)} holds no series", hint="a complete file")
    header = TsHeader(target="class", univariate=True)
    return TsFile(header=header, cases=tuple(cases), notes=padding_note(printable(path.name), cut))


def _cells(line: str) -> list[str]:
    mark = next((m for m in ("\t", ",") if m in line), None)
    return line.strip(" \r").split(mark)


def _class(cell: str, place: Place) -> str:
    text = cell.strip()
    value = Decimal(text) if _NUMBER.fullmatch(text) else Decimal("Infinity")
    if not abs(value) < _LARGEST or value != int(value):
        raise place.error(
            "the first cell is no class",
            got=shorten(text),
            expected="a whole number, with the samples behind it, as in the UCR archive",
            hint="the class moved into the first column",
        )
    return str(int(value))
