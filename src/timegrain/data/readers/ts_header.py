"""The lines of a `.ts` file before `@data`."""

import re
from dataclasses import dataclass

from timegrain.core.errors import DataError
from timegrain.data.readers.place import Place, shorten


@dataclass(kw_only=True)
class TsHeader:
    """What a `.ts` file says about itself; None where it says nothing.

    Args:
        problem: Its name.
        timestamps: Whether samples are `(time,value)`.
        missing: Whether samples may be missing.
        univariate: Whether there is one dimension.
        dimensions: How many there are.
        equal_length: Whether all cases are equally long.
        series_length: How long they are.
        classes: Names of the classes in their order; empty when they are not listed.
        target: `"class"`, `"value"`, or None without labels.
        unknown: Tags that were not understood.
    """

    problem: str = ""
    timestamps: bool = False
    missing: bool | None = None
    univariate: bool | None = None
    dimensions: int | None = None
    equal_length: bool | None = None
    series_length: int | None = None
    classes: tuple[str, ...] = ()
    target: str | None = None
    unknown: tuple[str, ...] = ()


def parse_header(lines: list[str], file: str) -> tuple[TsHeader, int]:
    """Return the header and the index of the first line after `@data`.

    Args:
        lines: Of the file.
        file: Its name, for errors.

    Raises:
        DataError: With the line, if a tag is malformed; or if there is no `@data`.

    Example:
        >>> header, start = parse_header(["# a note", "@classLabel true a b", "@data"], "x.ts")
        >>> header.classes, start
        (('a', 'b'), 3)
    """
    header = TsHeader()
    for index, raw in enumerate(lines):
        line, place = raw.strip(), Place(file, index + 1)
        if not line or line[0] in "#%":
            continue
        if line[0] != "@":
            raise place.error(
                "a case before @data", got=shorten(line), expected="a header line such as @data"
            )
        tag, *words = line[1:].split() or [""]
        if not tag:
            raise place.error("a lone @", expected="a header line such as @data")
        if tag.lower() == "data":
            if header.univariate and (header.dimensions or 1) != 1:
                raise place.error(
                    "the header contradicts itself",
                    got=f"@univariate true and @dimensions {header.dimensions}",
                )
            return header, index + 1
        _read_tag(header, tag.lower(), words, place)
    raise DataError(
        f"{file} has no @data line", got=f"{len(lines)} lines", hint="a complete .ts file"
    )


_FLAGS = {
    "timestamps": "timestamps",
    "missing": "missing",
    "univariate": "univariate",
    "equallength": "equal_length",
}
_COUNTS = {"dimension": "dimensions", "dimensions": "dimensions", "serieslength": "series_length"}


def _read_tag(header: TsHeader, tag: str, words: list[str], place: Place) -> None:
    if tag == "problemname":
        header.problem = " ".join(words)
    elif tag in _FLAGS:
        setattr(header, _FLAGS[tag], _flag(tag, words, place))
    elif tag in _COUNTS:
        # no file has a line of 10^18 samples, and int() refuses thousands of digits
        if len(words) != 1 or not re.fullmatch("0*[1-9][0-9]{0,17}", words[0]):
            raise place.error(
                f"@{tag} needs one whole number", got=shorten(" ".join(words)), expected="1 or more"
            )
        setattr(header, _COUNTS[tag], int(words[0]))
    elif tag in ("classlabel", "targetlabel"):
        _read_label(header, tag, words, place)
    else:
        header.unknown = (*header.unknown, f"@{tag}")


def _read_label(header: TsHeader, tag: str, words: list[str], place: Place) -> None:
    if not _flag(tag, words[:1], place):
        return
    if header.target is not None:
        raise place.error("@classLabel and @targetLabel are both true", expected="one of them")
    if tag == "targetlabel":
        header.target = "value"
        return
    names = tuple(words[1:])
    if len(set(names)) != len(names):
        raise place.error("a class is listed twice", got=" ".join(names))
    header.target, header.classes = "class", names


def _flag(tag: str, words: list[str], place: Place) -> bool:
    if len(words) != 1 or words[0].lower() not in ("true", "false"):
        raise place.error(f"@{tag} needs true or false", got=shorten(" ".join(words)))
    return words[0].lower() == "true"
