"""Choose a reader by extension, once the file is known to be there."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import cast

from timegrain.core.errors import DataError
from timegrain.core.registry import Registry
from timegrain.data.dataset import Dataset
from timegrain.data.folders.layouts import read_folder
from timegrain.data.readers.options import FileOptions

readers = Registry("reader")
for _extension, _target, _summary in (
    (".csv", "csv:read_csv", "a row is a time step, a column a channel"),
    (".tsv", "csv:read_csv", "the same, with tabs"),
    (".edf", "edf:read_edf", "biosignals, at one or several rates"),
    (".flac", "audio:read_audio", "sound"),
    (".parquet", "parquet:read_parquet", "a table of typed columns"),
    (".npy", "npy:read_npy", "one array"),
    (".npz", "npz:read_npz", "one of several arrays"),
    (".ogg", "audio:read_audio", "sound, lossy"),
    (".ts", "ts:read_ts", "labelled sequences"),
    (".wav", "audio:read_audio", "sound"),
):
    readers.register(_extension, f"timegrain.data.readers.{_target}", _summary)

Reader = Callable[[Path, FileOptions], Dataset]


def read_file(
    path: str | os.PathLike[str],
    options: FileOptions | None = None,
    *,
    layout: str | None = None,
) -> Dataset:
    """Return the dataset in a file, read by the format its extension names, or in a folder.

    Args:
        path: Of the file or the folder.
        options: What the user said about it.
        layout: Of a folder; None to tell it by the files inside.

    Raises:
        DataError: If it is missing, empty, a directory without a published set in it, of an
            unknown format, or damaged.
    """
    path = Path(path)
    extension = path.suffix.lower()
    if layout is not None:
        return read_folder(path, options or FileOptions(), layout=layout)
    if not exists(path):
        raise DataError(f"there is no file {str(path)!r}", hint=_near(path))
    if path.is_dir():
        return read_folder(path, options or FileOptions())
    if extension not in readers:
        raise DataError(
            f"no reader for {path.name!r}",
            got=f"extension {extension!r}" if extension else "no extension",
            expected=", ".join(readers.names()),
            hint="saving it as .csv or .npy",
        )
    if path.stat().st_size == 0:
        raise DataError(f"{path.name} is empty (0 bytes)")
    reader = cast(Reader, readers.load(extension))
    try:
        return reader(path, options or FileOptions())
    except PermissionError as error:
        raise DataError(f"{path.name} may not be read", got=str(error)) from error
    except OSError as error:
        raise DataError(f"{path.name} cannot be read", got=str(error)) from error
    except MemoryError as error:
        raise DataError(
            f"{path.name} does not fit into memory", got=str(error) or None, hint="a part of it"
        ) from error


def has_rates(path: Path) -> bool:
    """Whether the format of a file names the rates of its channels, and its reader changes them.

    Args:
        path: Of the file.
    """
    return path.suffix.lower() in (".edf", ".flac", ".ogg", ".wav")


def exists(path: Path) -> bool:
    """Whether there is something at a path.

    Args:
        path: Any.

    Raises:
        DataError: If no file can have such a name.
    """
    try:
        return path.exists()
    except (OSError, RuntimeError) as error:
        text = str(path)
        raise DataError(
            "no file can be reached under such a name",
            got=repr(text if len(text) <= 60 else text[:57] + "..."),
            expected=None if not isinstance(error, OSError) else f"a path; {error.strerror}",
        ) from error


def _near(path: Path) -> str:
    import difflib

    folder = path.parent
    names = [p.name for p in folder.iterdir() if p.is_file()] if folder.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=1)
    return str(folder / near[0]) if near else "checking the spelling, or timegrain ls for names"
