"""Where the data records of an EDF+ file leave time out."""

import re
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.readers.edf_header import EdfHeader
from timegrain.data.readers.place import printable

_ONSET = re.compile(rb"([+-][0-9]{1,20}(?:\.[0-9]{0,20})?)\x14\x14")


@dataclass(frozen=True, kw_only=True)
class Cut:
    """Stretches of records that follow each other without a gap.

    Args:
        ranges: First record and the one behind the last, of each.
        onsets: Seconds from the first record of the file to the first of each.
        notes: What a reader of results should know.
    """

    ranges: tuple[tuple[int, int], ...]
    onsets: tuple[Fraction, ...]
    notes: tuple[str, ...] = ()


def cut_records(path: Path, header: EdfHeader) -> Cut:
    """Return the stretches of an EDF file; all of it is one, unless it says it is discontinuous.

    Two records follow each other where the second begins when the first ends, to half a sample of
    the fastest signal.

    Args:
        path: Of the file.
        header: Of the file.

    Raises:
        DataError: With the record, where a discontinuous file does not say when one begins.
    """
    if header.plus != "EDF+D":
        return Cut(ranges=((0, header.n_records),), onsets=(Fraction(0),))
    onsets = _onsets(path, header)
    half = header.duration / max(s.samples for s in header.signals if not s.is_annotation) / 2
    gaps = [b - a - header.duration for a, b in pairwise(onsets)]
    breaks = [i + 1 for i, gap in enumerate(gaps) if abs(gap) > half]
    if not breaks:
        return Cut(ranges=((0, header.n_records),), onsets=(Fraction(0),))
    ranges = tuple(zip([0, *breaks], [*breaks, header.n_records], strict=True))
    first = min(onsets)
    lost, back = [g for g in gaps if g > half], sum(g < -half for g in gaps)
    notes = []
    if lost:
        notes.append(
            f"{header.file} leaves time out {_times(len(lost))}, {float(sum(lost)):.6g} s in all: "
            f"the recording was cut there, nothing bridges a gap"
        )
    if back:
        notes.append(f"{header.file} steps back in time {_times(back)}: it was cut there")
    return Cut(
        ranges=ranges, onsets=tuple(onsets[a] - first for a, _ in ranges), notes=tuple(notes)
    )


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count:,} times"


def _onsets(path: Path, header: EdfHeader) -> list[Fraction]:
    keeper = next((s for s in header.signals if s.is_annotation), None)
    if keeper is None:
        raise DataError(
            f"{header.file} says that it is discontinuous, but not when its data records begin",
            expected="a signal of annotations",
        )
    records = np.memmap(
        path,
        dtype=np.uint8,
        mode="r",
        offset=header.n_bytes,
        shape=(header.n_records, header.record_bytes),
    )
    columns = records[:, 2 * keeper.at : 2 * (keeper.at + keeper.samples)]
    found = []
    for number, row in enumerate(columns, start=1):
        text = row[:48].tobytes()
        onset = _ONSET.match(text)
        if onset is None:
            raise DataError(
                f"{header.file}, data record {number}: no time at which it begins",
                got=printable(repr(text[:16])[1:]),
                expected="seconds such as '+30'",
            )
        found.append(Fraction(onset[1].decode().rstrip(".")))
    return found
