"""The two files of a set of the UCR, UEA and TSER archives."""

import re
from pathlib import Path

from timegrain.core.errors import DataError
from timegrain.data.folders.inside import check_folder
from timegrain.data.readers.place import printable

PARTS = ("TRAIN", "TEST")
FORMS = ("ts", "arff", "tsv", "txt")
_FILE = re.compile(rf"(.+)_({'|'.join(PARTS)})\.({'|'.join(FORMS)})")
# beside NAME_TRAIN.arff the UEA archive has a file for each dimension
_ONE_DIMENSION = re.compile(r"(.+)Dimension[0-9]+")

Found = dict[str, dict[str, dict[str, Path]]]


def find_pair(path: Path) -> tuple[str, Path, Path]:
    """Return the name of a set, its training file and its test file.

    Where a folder holds several sets, that of the folder's name is taken; another is asked for as
    `FOLDER/NAME`. Of several formats the first of `.ts`, `.arff`, `.tsv`, `.txt` is taken in which
    both files are there.

    Args:
        path: Of the folder, or of a set in it: the names of its files up to `_TRAIN`.

    Raises:
        DataError: If there is no such set, or one of its files is missing.
    """
    folder = path if path.is_dir() else path.parent
    check_folder(folder, "NAME_TRAIN and NAME_TEST in it, as .ts, .arff, .tsv or .txt")
    found = _sets(folder)
    problem = _chosen(found, path)
    files = found[problem]
    for form in FORMS:
        if len(files.get(form, ())) == len(PARTS):
            return problem, files[form]["TRAIN"], files[form]["TEST"]
    form, there = next(iter(files.items()))
    part = next(iter(there))
    other = PARTS[1 - PARTS.index(part)]
    raise DataError(
        f"{printable(problem)} has no {other} part",
        got=", ".join(sorted(printable(p.name) for f in files.values() for p in f.values())),
        expected=f"{printable(problem)}_{other}.{form} beside it",
        hint="unpacking the archive again, or the path of the one file, of a .tsv or .txt with "
        "form='wide'",
    )


def _sets(folder: Path) -> Found:
    found: Found = {}
    for file in sorted(folder.iterdir()):
        match = _FILE.fullmatch(file.name)
        if match is not None and file.is_file():
            problem, part, form = match.groups()
            found.setdefault(problem, {}).setdefault(form, {})[part] = file
    for problem in list(found):
        match = _ONE_DIMENSION.fullmatch(problem)
        if match is not None and match[1] in found:
            del found[problem]
    return found


def _chosen(found: Found, path: Path) -> str:
    name = path.name or path.resolve().name
    if name in found:
        return name
    if path.is_dir() and len(found) == 1:
        return next(iter(found))
    folder = path if path.is_dir() else path.parent
    names = ", ".join(printable(n) for n in list(found)[:5])
    if not path.is_dir():
        raise DataError(
            f"there is no folder {printable(str(path))!r}, nor files {printable(name)}_TRAIN",
            got=names or None,
        )
    if found:
        raise DataError(
            f"{printable(str(folder))} holds several sets",
            got=names,
            hint=f"ucr:{printable(str(folder / next(iter(found))))} for one of them",
        )
    raise DataError(
        f"{printable(str(folder))} holds no set of the archives",
        expected="NAME_TRAIN and NAME_TEST, as .ts, .arff, .tsv or .txt",
    )
