"""One case, that is one line after `@data`, of a `.ts` file."""

import re
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64

from timegrain.data.arrays import EXACT
from timegrain.data.readers.place import Place, shorten
from timegrain.data.readers.ts_clock import read_instants
from timegrain.data.readers.ts_header import TsHeader

_PAIR = re.compile(r"\s*\(([^(),]*),([^(),]*)\)\s*")
# a colon of a date stands inside parentheses: the next parenthesis after it closes
_BETWEEN = re.compile(r":(?![^()]*\))")
_WHOLE = re.compile(r"[+-]?[0-9]+")
_MISSING = ("?", "nan")


@dataclass(frozen=True, kw_only=True)
class Case:
    """The samples and the label of one line.

    Args:
        values: `(time, channel)`, NaN where a sample is missing.
        label: Text after the last colon, or None.
        times: `(time,)` numbers, or for dates seconds since the first; None without timestamps.
            Whole numbers beyond 2^53 count from the first as well.
        dated: Whether times were dates.
    """

    values: Float64[np.ndarray, "_time _channel"]
    label: str | None = None
    times: Float64[np.ndarray, " _time"] | None = None
    dated: bool = False


def parse_case(line: str, header: TsHeader, place: Place) -> Case:
    """Return the case on a line.

    Args:
        line: Dimensions separated by colons, the label after the last one.
        header: Says whether there are timestamps and a label, and how many dimensions.
        place: For errors.

    Raises:
        DataError: With file and line, if the line is malformed.

    Example:
        >>> case = parse_case("-1.5,?,2e3:a", TsHeader(target="class"), Place("x.ts", 9))
        >>> case.values[:, 0].tolist(), case.label
        ([-1.5, nan, 2000.0], 'a')
    """
    parts = _BETWEEN.split(line) if "(" in line else line.split(":")
    label = None
    if header.target is not None:
        if len(parts) < 2:
            raise place.error(
                "no label after a last colon", got=shorten(line), hint="a complete file"
            )
        label = parts.pop().strip()
    expected = 1 if header.univariate else header.dimensions
    if expected is not None and len(parts) != expected:
        raise place.error("wrong number of dimensions", got=len(parts), expected=expected)
    if header.timestamps:
        return _stamped(parts, label, place)
    columns = [read_numbers(p.split(","), place, d) for d, p in enumerate(parts)]
    return Case(values=_joined(columns, place), label=label)


def _stamped(parts: list[str], label: str | None, place: Place) -> Case:
    columns, stamps = [], []
    for dimension, part in enumerate(parts):
        pairs = _pairs(part, place, dimension)
        stamps.append([time for time, _ in pairs])
        columns.append(read_numbers([value for _, value in pairs], place, dimension))
    values = _joined(columns, place)
    instants = read_instants(stamps[0], place)
    for dimension, other in enumerate(stamps[1:], start=1):
        if other != stamps[0] and read_instants(other, place) != instants:
            raise place.error(
                f"dimension {dimension} has other timestamps than dimension 0",
                hint="resampling them to common times",
            )
    return Case(values=values, label=label, times=instants.times(), dated=instants.dated)


def _pairs(part: str, place: Place, dimension: int) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    at = 0
    while True:
        match = _PAIR.match(part, at)
        if match is None:
            raise place.error(
                f"dimension {dimension}, sample {len(pairs)}: malformed",
                got=shorten(part[at:] or "nothing"),
                expected="(time,value)",
            )
        pairs.append((match[1].strip(), match[2].strip()))
        at = match.end()
        if at == len(part):
            return pairs
        if part[at] != ",":
            raise place.error(
                f"dimension {dimension}: no comma between samples", got=shorten(part[at:])
            )
        at += 1


def read_numbers(cells: list[str], place: Place, dimension: int) -> Float64[np.ndarray, " _time"]:
    """Return the samples of a dimension, NaN where one is missing.

    Args:
        cells: One a sample; `?` or `NaN` for a missing one.
        place: For errors.
        dimension: Its number, for errors.

    Raises:
        DataError: If a cell is no finite number, or a whole number beyond 2^53.
    """
    # float() also takes "1_000", "inf" and digits of other scripts, which this format does not have
    try:
        values = [float(cell) for cell in cells]
    except ValueError:
        values = [_number(cell, place, dimension, k) for k, cell in enumerate(cells)]
    found = np.array(values, dtype=np.float64)
    if np.isinf(found).any() or any("_" in c or not c.isascii() for c in cells):
        for k, cell in enumerate(cells):
            _number(cell, place, dimension, k)
    for k in np.flatnonzero(np.abs(found) > EXACT).tolist():
        if _WHOLE.fullmatch(cells[k].strip()):
            raise place.error(
                f"dimension {dimension}, sample {k}: a whole number beyond 2^53 would be rounded",
                got=shorten(cells[k].strip()),
                hint="subtracting one number from all samples first",
            )
    return found


def _number(cell: str, place: Place, dimension: int, sample: int) -> float:
    text = cell.strip()
    if text.lower() in _MISSING:
        return float("nan")
    try:
        value = float(text)
    except ValueError:
        value = float("inf")
    if np.isinf(value) or "_" in text or not text.isascii():
        raise place.error(
            f"dimension {dimension}, sample {sample}: not a number",
            got=shorten(text),
            expected="a finite number, or ? where a sample is missing",
            hint="? in its place, or a complete file",
        )
    return value


def _joined(columns: list[np.ndarray], place: Place) -> Float64[np.ndarray, "_time _channel"]:
    lengths = [len(c) for c in columns]
    if len(set(lengths)) > 1:
        raise place.error("dimensions of different lengths", got=lengths)
    return np.stack(columns, axis=1)
