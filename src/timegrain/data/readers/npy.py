"""One array in a `.npy` file, memory-mapped."""

from pathlib import Path
from typing import Protocol, runtime_checkable

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.layout import axes_note, to_sequences
from timegrain.data.readers.options import FileOptions


@runtime_checkable
class Readable(Protocol):
    """What the header of an array is read from: a file, or a member of an archive."""

    def read(self, size: int = ..., /) -> bytes:
        """Return at most `size` bytes."""
        ...

    def tell(self) -> int:
        """Return how many bytes were read."""
        ...


def read_npy(path: Path, options: FileOptions) -> Dataset:
    """Return the dataset in a `.npy` file; a float64 one stays on disk until it is used.

    Args:
        path: Of the file.
        options: `layout` and `kind` have a use.

    Raises:
        DataError: If it is damaged, or holds objects.
        LayoutError: If the layout does not fit.
    """
    options.only(f"{path.name}, one array", "layout", "kind")
    with path.open("rb") as file:
        size = check_array(file, path.name)
    held = path.stat().st_size
    if held < size:
        raise DataError(
            f"{path.name} is truncated",
            got=f"{held:,} bytes",
            expected=f"{size:,}",
            hint="copying it again",
        )
    array = np.load(path, mmap_mode="r", allow_pickle=False)
    return array_dataset(array, path, options, where=path.name)


def check_array(file: Readable, where: str) -> int:
    """Return the size in bytes an array's header promises, header included.

    Args:
        file: Open at the start of the array.
        where: What is read, for errors.

    Raises:
        DataError: If it is no array, or one of objects, which only pickle could read.
    """
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        else:
            shape, _, dtype = np.lib.format.read_array_header_2_0(file)
    except (ValueError, EOFError) as error:
        raise DataError(
            f"{where} holds no numpy array, or a damaged one",
            got=str(error).splitlines()[0],
            hint="numpy.save(path, array)",
        ) from error
    if dtype.hasobject:
        raise DataError(
            f"{where} is an array of Python objects, which are never unpickled: a pickle may run "
            "any code",
            got=f"dtype {dtype}",
            expected="numbers",
            hint="saving unequal sequences as an array padded with NaN, or as a .ts file",
        )
    return file.tell() + int(np.prod(shape, dtype=np.int64)) * dtype.itemsize


def array_dataset(
    array: np.ndarray,
    path: Path,
    options: FileOptions,
    *,
    where: str,
    labels: np.ndarray | None = None,
    class_names: tuple[str, ...] = (),
) -> Dataset:
    """Return the dataset of an array read from a file, with a note on how axes were read.

    Args:
        array: Numbers.
        path: Where it was read.
        options: `layout` and `kind` have a use.
        where: What it is called in errors.
        labels: As in `Dataset`.
        class_names: As in `Dataset`.
    """
    kind = options.kind or "real"
    sequences = to_sequences(array, layout=options.layout, kind=kind, where=where)
    note = axes_note(array.shape) if options.layout is None else ""
    return Dataset(
        name=path.stem,
        sequences=sequences,
        labels=labels,
        class_names=class_names,
        kind=kind,
        source=where,
        notes=(note,) if note else (),
    )
