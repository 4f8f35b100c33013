"""One array in a `.npy` file, memory-mapped."""

import math
import tokenize
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.layout import as_floats, axes_note, to_sequences
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable, shorten


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
    """Return the dataset in a `.npy` file; floats of 32 or 64 bits stay on disk until used.

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
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OverflowError) as error:
        raise _damaged(path.name, str(error).splitlines()[0]) from error
    return array_dataset(array, path, options, where=path.name)


def check_array(file: Readable, where: str) -> int:
    """Return the size in bytes an array's header promises, header included; nothing is allocated.

    Args:
        file: Open at the start of the array.
        where: What is read, for errors.

    Raises:
        DataError: If it is no array, or one of objects, which only pickle could read.
    """
    shape, dtype = _header(file, where)
    if dtype.hasobject:
        raise DataError(
            f"{where} is an array of Python objects, which are never unpickled: a pickle may run "
            "any code",
            got=f"dtype {dtype}",
            expected="numbers",
            hint="saving unequal sequences as an array padded with NaN, or as a .ts file",
        )
    # a bool is an int to numpy's own check
    if not all(type(n) is int and n >= 0 for n in shape) or len(shape) > _MOST_AXES:
        raise _damaged(where, f"shape {shorten(str(shape))[1:-1]}")
    if dtype.itemsize == 0:
        raise _damaged(where, f"dtype {dtype}, of no bytes a number")
    # numpy's own limit, which counts an axis of length 0 as 1
    if math.prod(n for n in shape if n) * dtype.itemsize > _MOST_BYTES:
        raise _damaged(where, f"shape {shorten(str(shape))[1:-1]}, more than any memory holds")
    return file.tell() + math.prod(shape) * dtype.itemsize


def array_form(file: Readable, where: str) -> tuple[tuple[int, ...], str]:
    """Return the shape and the kind of numbers that an array's header promises; nothing is read.

    Args:
        file: Open at the start of the array.
        where: What is read, for errors.

    Raises:
        DataError: If it is no array.
    """
    shape, dtype = _header(file, where)
    return shape, dtype.kind


_MOST_AXES = 64
_MOST_BYTES = 2**63 - 1


def _header(file: Readable, where: str) -> tuple[tuple[int, ...], "np.dtype[Any]"]:
    try:
        version = np.lib.format.read_magic(file)
        if version == (1, 0):
            shape, _, dtype = np.lib.format.read_array_header_1_0(file)
        elif version == (2, 0):
            shape, _, dtype = np.lib.format.read_array_header_2_0(file)
        else:
            # 3.0 is for record arrays with names beyond latin-1
            raise _damaged(where, f"version {version[0]}.{version[1]}, not 1.0 or 2.0")
    except DataError:
        raise
    except _NO_HEADER as error:
        raise _damaged(where, str(error).splitlines()[0][:80] if str(error) else None) from error
    return shape, dtype


# numpy reads the header with the tokenizer and the parser of Python
_NO_HEADER = (
    ValueError,
    TypeError,
    EOFError,
    SyntaxError,
    RecursionError,
    MemoryError,
    OverflowError,
    tokenize.TokenError,
)


def _damaged(where: str, got: str | None) -> DataError:
    return DataError(
        f"{where} holds no numpy array, or a damaged one",
        got=None if got is None else printable(got),
        hint="numpy.save(path, array)",
    )


def array_dataset(
    array: np.ndarray,
    path: Path,
    options: FileOptions,
    *,
    where: str,
    labels: np.ndarray | None = None,
    class_names: tuple[str, ...] = (),
    groups: np.ndarray | None = None,
    unused: str = "",
) -> Dataset:
    """Return the dataset of an array read from a file, with a note on how axes were read.

    Args:
        array: Numbers.
        path: Where it was read.
        options: `layout` and `kind` have a use.
        where: What it is called in errors.
        labels: As in `Dataset`.
        class_names: As in `Dataset`.
        groups: As in `Dataset`.
        unused: A note on what else is in the file.
    """
    kind = options.kind or "real"
    sequences = to_sequences(array, layout=options.layout, kind=kind, where=where)
    notes: tuple[str, ...] = ()
    if options.layout is None and axes_note(array.shape):
        notes = (axes_note(array.shape),)
    if kind == "real":
        sequences, moved = as_floats(sequences, where=where)
        notes = (*notes, *moved)
    return Dataset(
        name=printable(path.stem),
        sequences=sequences,
        labels=labels,
        class_names=class_names,
        kind=kind,
        source=printable(where),
        notes=(*notes, unused) if unused else notes,
        groups=groups,
    )
