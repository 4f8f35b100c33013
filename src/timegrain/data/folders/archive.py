"""A set of the UCR, UEA and TSER archives: a training file and a test file."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.folders.arff import parse_arff
from timegrain.data.folders.pair import find_pair
from timegrain.data.folders.rows import parse_rows
from timegrain.data.readers.place import printable
from timegrain.data.readers.ts import TsFile, clock_of, parse_ts
from timegrain.data.step import unit_note

_PARSE: dict[str, Callable[[Path], TsFile]] = {
    ".ts": parse_ts,
    ".arff": parse_arff,
    ".tsv": parse_rows,
    ".txt": parse_rows,
}


def read_archive(path: Path) -> Dataset:
    """Return the published training part, then the test part, of a set of the archives.

    Args:
        path: Of the folder with `NAME_TRAIN` and `NAME_TEST`, as `.ts`, `.arff`, `.tsv` or `.txt`;
            or of that folder and the name.

    Raises:
        DataError: If a file is missing or malformed, or the two contradict each other.
    """
    problem, *files = find_pair(path)
    if files[0].samefile(files[1]):
        raise DataError(
            f"both parts of {printable(problem)} are one file",
            got=" and ".join(printable(file.name) for file in files),
            expected="cases to train on and others to test on",
            hint="unpacking the archive again",
        )
    parts = [_PARSE[file.suffix](file) for file in files]
    _check_alike(parts, files)
    labels, names, missing = _labels(parts, files)
    cases = tuple(case for part in parts for case in part.cases)
    times, dt, unit = clock_of(cases)
    both = " and ".join(printable(file.name) for file in files)
    return Dataset(
        name=printable(problem),
        sequences=tuple(case.values for case in cases),
        labels=labels,
        class_names=names,
        n_train=len(parts[0].cases),
        times=times,
        dt=dt,
        unit=unit,
        source=f"{both}, in the layout of the archives at timeseriesclassification.com",
        notes=(
            *(note for part in parts for note in part.notes),
            *missing,
            *filter(None, [unit_note(unit)]),
        ),
    )


def _check_alike(parts: list[TsFile], files: list[Path]) -> None:
    facts = [
        {
            "dimensions": part.cases[0].values.shape[1],
            "labels": part.header.target or "none",
            "timestamps": _stamps(part),
        }
        for part in parts
    ]
    for what, of_train in facts[0].items():
        if facts[1][what] != of_train:
            raise DataError(
                f"{printable(files[1].name)} has other {what} than {printable(files[0].name)}",
                got=facts[1][what],
                expected=of_train,
                hint="unpacking the archive again",
            )


def _stamps(part: TsFile) -> str:
    case = part.cases[0]
    if case.times is None:
        return "none"
    return "dates" if case.dated else "numbers"


def _labels(
    parts: list[TsFile], files: list[Path]
) -> tuple[np.ndarray | None, tuple[str, ...], tuple[str, ...]]:
    """Return labels, the names of classes, and notes."""
    texts = [[case.label or "" for case in part.cases] for part in parts]
    if parts[0].header.target is None:
        return None, (), ()
    if parts[0].header.target == "value":
        return np.array([float(t) for part in texts for t in part]), (), ()
    listed = [part.header.classes for part in parts]
    if listed[0] and listed[1] and set(listed[0]) != set(listed[1]):
        raise DataError(
            f"{printable(files[0].name)} and {printable(files[1].name)} list other classes",
            got=", ".join(sorted(set(listed[0]) ^ set(listed[1]))) + " in one of them",
        )
    names = listed[0] or listed[1] or _ordered({t for part in texts for t in part})
    number = {name: i for i, name in enumerate(names)}
    for text in texts[0] + texts[1]:
        if text not in number:
            raise DataError(f"class {text!r} is in no list", expected=", ".join(names))
    new = sorted(set(texts[1]) - set(texts[0]))
    notes = (f"classes only in the test part: {', '.join(map(printable, new))}",) if new else ()
    labels = np.array([number[t] for part in texts for t in part], dtype=np.int64)
    return labels, tuple(printable(n) for n in names), notes


def _ordered(names: set[str]) -> tuple[str, ...]:
    try:
        return tuple(sorted(names, key=float))
    except ValueError:
        return tuple(sorted(names))
