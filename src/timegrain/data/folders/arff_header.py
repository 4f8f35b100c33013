"""The lines of an `.arff` file before `@data`."""

import re
from dataclasses import dataclass

from timegrain.core.errors import DataError
from timegrain.data.readers.place import Place, printable, shorten

_ATTRIBUTE = re.compile(r"""@attribute\s+('[^']*'|"[^"]*"|\S+)\s+(.+)""", re.IGNORECASE)
_NUMBERS = ("numeric", "real", "integer")
_EXPECTED = "samples as numeric attributes, or one relational attribute of them, and then a class"


@dataclass(frozen=True, kw_only=True)
class ArffHeader:
    """What an `.arff` file says about itself.

    Args:
        relation: Its name.
        length: Samples of every series, padding included.
        several: Whether a case has several dimensions, in quotes.
        classes: Names of the classes in their order.
    """

    relation: str
    length: int
    several: bool
    classes: tuple[str, ...]


def parse_arff_header(lines: list[str], file: str) -> tuple[ArffHeader, int]:
    """Return the header and the index of the first line after `@data`.

    Args:
        lines: Of the file.
        file: Its name, for errors.

    Raises:
        DataError: If it is malformed, or describes no labelled series.

    Example:
        >>> header, start = parse_arff_header(
        ...     ["@relation x", "@attribute a numeric", "@attribute b {1,2}", "@data"], "x.arff"
        ... )
        >>> header.length, header.classes, start
        (1, ('1', '2'), 4)
    """
    relation, inside = "", False
    kinds: list[str] = []
    inner = 0
    for index, raw in enumerate(lines):
        line, place = raw.strip(), Place(file, index + 1)
        word = line.split(maxsplit=1)[0].lower() if line else ""
        if not line or line[0] == "%":
            continue
        if word == "@data":
            return _header(relation, kinds, inner, place), index + 1
        if word == "@relation":
            relation = line[len(word) :].strip().strip("'\"")
        elif word == "@end":
            inside = False
        elif word == "@attribute":
            kind = _kind(line, place)
            if inside:
                _check_number(kind, place)
                inner += 1
            else:
                kinds.append(kind)
                inside = kind == "relational"
        else:
            raise place.error(
                "not a line of a header", got=shorten(line), expected="@attribute or @data"
            )
    raise DataError(
        f"{printable(file)} has no @data line",
        got=f"{len(lines)} lines",
        hint="a complete .arff file",
    )


def _kind(line: str, place: Place) -> str:
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise place.error(
            "malformed @attribute", got=shorten(line), expected="@attribute NAME TYPE"
        )
    kind = match[2].strip()
    return kind if kind[0] == "{" else kind.lower()


def _check_number(kind: str, place: Place) -> None:
    if kind not in _NUMBERS:
        raise place.error("an attribute that is no number", got=shorten(kind), expected=_EXPECTED)


def _header(relation: str, kinds: list[str], inner: int, place: Place) -> ArffHeader:
    samples, last = kinds[:-1], kinds[-1] if kinds else "nothing"
    if not (last.startswith("{") and last.endswith("}")):
        raise place.error(
            "the last attribute is no class", got=shorten(last), expected="{a,b}, its classes"
        )
    several = samples == ["relational"]
    if not several:
        for kind in samples:
            _check_number(kind, place)
    length = inner if several else len(samples)
    if not length:
        raise place.error("no attribute holds samples", expected=_EXPECTED)
    classes = tuple(c.strip().strip("'\"") for c in last[1:-1].split(","))
    if len(set(classes)) != len(classes):
        raise place.error("a class is listed twice", got=shorten(last))
    return ArffHeader(relation=relation, length=length, several=several, classes=classes)
