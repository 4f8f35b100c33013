"""The `.ts` format of sktime, aeon and the UEA and UCR archives."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.check import check_times
from timegrain.data.dataset import Dataset
from timegrain.data.readers.clock import common_step
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import Place, printable, shorten
from timegrain.data.readers.text import read_text
from timegrain.data.readers.ts_case import Case, parse_case
from timegrain.data.readers.ts_header import TsHeader, parse_header
from timegrain.data.step import unit_note
from timegrain.data.units import UNKNOWN


@dataclass(frozen=True, kw_only=True)
class TsFile:
    """A parsed file.

    Args:
        header: What it says about itself.
        cases: One a line.
        notes: What a reader of results should know.
    """

    header: TsHeader
    cases: tuple[Case, ...]
    notes: tuple[str, ...] = ()


def read_ts(path: Path, options: FileOptions) -> Dataset:
    """Return the dataset in a `.ts` file.

    Uniform timestamps become the step; dates count in seconds from each sequence's first sample.

    Args:
        path: Of the file.
        options: Only `kind` has a use.

    Raises:
        DataError: With file and line, if it is malformed or contradicts its header.
    """
    options.only(f"{path.name}, a .ts file", "kind")
    file = parse_ts(path)
    labels, names = labels_of(file)
    times, dt, unit = clock_of(file.cases)
    return Dataset(
        name=printable(path.stem),
        sequences=tuple(c.values for c in file.cases),
        labels=labels,
        class_names=names,
        times=times,
        dt=dt,
        unit=unit,
        source=printable(
            f"{path.name}, a .ts file" + (f" ({file.header.problem})" * bool(file.header.problem))
        ),
        notes=(*file.notes, *filter(None, [unit_note(unit)])),
    )


def parse_ts(path: Path) -> TsFile:
    """Return the header and the cases of a `.ts` file.

    Args:
        path: Of the file; Unicode text.

    Raises:
        DataError: With file and line, if it is malformed or contradicts its header.
    """
    lines = read_text(path).decode().split("\n")
    header, start = parse_header(lines, path.name)
    cases: list[Case] = []
    for number, raw in enumerate(lines[start:], start=start + 1):
        line = raw.strip()
        if not line or line[0] in "#%":
            continue
        place = Place(path.name, number)
        case = parse_case(line, header, place)
        _check_case(case, cases[0] if cases else case, header, place)
        cases.append(case)
    if not cases:
        raise DataError(f"{path.name} has no case after @data", hint="a complete file")
    return TsFile(header=header, cases=tuple(cases), notes=_notes(header, cases, path.name))


def labels_of(file: TsFile) -> tuple[np.ndarray | None, tuple[str, ...]]:
    """Return labels and class names: classes in the order of the header, else by name.

    Args:
        file: A parsed file.
    """
    if file.header.target is None:
        return None, ()
    texts = [c.label or "" for c in file.cases]
    if file.header.target == "value":
        return np.array([float(t) for t in texts]), ()
    names = file.header.classes or tuple(sorted(set(texts)))
    number = {name: i for i, name in enumerate(names)}
    return np.array([number[t] for t in texts], dtype=np.int64), tuple(printable(n) for n in names)


def _check_case(case: Case, first: Case, header: TsHeader, place: Place) -> None:
    length, width = case.values.shape
    if width != first.values.shape[1]:
        raise place.error(
            "another number of dimensions than the first case",
            got=width,
            expected=first.values.shape[1],
        )
    wanted = header.series_length if header.equal_length is not False else None
    if wanted is None and header.equal_length:
        wanted = len(first.values)
    if wanted is not None and length != wanted:
        raise place.error(
            "wrong length", got=length, expected=f"{wanted} (the header says so)", hint=_COMPLETE
        )
    if case.times is not None:
        check_times(case.times, length, f"{place.file}, line {place.line}")
        if case.dated != first.dated:
            raise place.error("dates and numbers are mixed as timestamps")
    _check_label(case.label, header, place)


def _check_label(label: str | None, header: TsHeader, place: Place) -> None:
    if label is None:
        return
    if header.target == "value":
        try:
            # float() also takes "1_0" and digits of other scripts
            finite = "_" not in label and label.isascii() and np.isfinite(float(label))
        except ValueError:
            finite = False
        if not finite:
            raise place.error("the target is no number", got=shorten(label), hint=_COMPLETE)
    elif not label or (header.classes and label not in header.classes):
        known = f"one of {', '.join(header.classes)}" if header.classes else "a class"
        raise place.error("unknown class", got=shorten(label), expected=known, hint=_COMPLETE)


_COMPLETE = "a complete file, or a corrected header"


def _notes(header: TsHeader, cases: list[Case], file: str) -> tuple[str, ...]:
    notes = []
    if header.unknown:
        notes.append(
            printable(f"header lines of {file} not understood: {', '.join(header.unknown)}")
        )
    lost = sum(int(np.isnan(c.values).sum()) for c in cases)
    if lost and header.missing is False:
        notes.append(f"{printable(file)} says that no sample is missing, but {lost} are")
    return tuple(notes)


def clock_of(cases: tuple[Case, ...]) -> tuple[tuple[np.ndarray, ...] | None, float, str]:
    """Return the times of cases, None where one step says them all, the step and its unit.

    Args:
        cases: With timestamps or without.
    """
    if cases[0].times is None or any(len(c.values) < 2 for c in cases):
        return None, 1.0, "sample"
    times = tuple(c.times for c in cases if c.times is not None)
    unit = "s" if cases[0].dated else UNKNOWN
    step = common_step(times)
    if step is not None:
        return None, step, unit
    return times, float(np.median(np.concatenate([np.diff(t) for t in times]))), unit
