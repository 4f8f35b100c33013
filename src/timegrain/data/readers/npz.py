"""Arrays by name in a `.npz` file."""

import lzma
import struct
import zipfile
import zlib
from pathlib import Path
from typing import Literal

import numpy as np

from timegrain.core.errors import DataError
from timegrain.core.registry import nearest
from timegrain.data.dataset import Dataset
from timegrain.data.memory import check_fits
from timegrain.data.readers.npy import array_dataset, array_form, check_array
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable


def read_npz(path: Path, options: FileOptions) -> Dataset:
    """Return the dataset in a `.npz` file: the array `key`, labelled by the array `target`.

    Without `key` the array is the only one besides the target, or the one called `x`. A target of
    whole numbers, truth values or text holds classes; one of floats, values. Sequences of one value
    in the array `group` never stand on both sides of a split. A note names the arrays that have no
    use. Sequences of 32 MiB or more that are not compressed stay on disk until used.

    Args:
        path: Of the file.
        options: `key`, `target`, `group`, `layout` and `kind` have a use.

    Raises:
        DataError: If it is damaged, an array is missing, or it holds objects.
        LayoutError: If the layout does not fit.
    """
    options.only(f"{path.name}, an npz file", "key", "target", "group", "layout", "kind")
    try:
        with zipfile.ZipFile(path) as archive:
            names = [n.removesuffix(".npy") for n in archive.namelist() if n.endswith(".npy")]
            key = _choose(names, options, path.name)
            array = _member(archive, key, path, mapped=True)
            target = None if options.target is None else _member(archive, options.target, path)
            group = None if options.group is None else _member(archive, options.group, path)
            rest = [n for n in names if n not in (key, options.target, options.group)]
            unused = _unused(archive, rest, path, options, array)
    except _NO_ARCHIVE as error:
        raise DataError(
            f"{path.name} is no npz file, or a damaged one (a pickle under that name is refused)",
            got=printable(str(error).splitlines()[0]) if str(error) else None,
            hint="numpy.savez(path, x=array)",
        ) from error
    labels, class_names = (None, ()) if target is None else _labels(target, path.name, options)
    return array_dataset(
        array,
        path,
        options,
        where=f"{path.name}[{key!r}]",
        labels=labels,
        class_names=class_names,
        groups=None if group is None else _groups(group, path.name, options),
        unused=unused,
    )


UNUSED_NOTE = "not used: "
"""What begins the note on arrays that have no use."""


def _unused(
    archive: zipfile.ZipFile, names: list[str], path: Path, options: FileOptions, x: np.ndarray
) -> str:
    """Return the note on arrays that have no use, and on the first that could be one of groups."""
    if not names:
        return ""
    some, more = names[:_LISTED], len(names) - _LISTED
    listed = ", ".join(printable(n) for n in some) + (f" and {more:,} more" if more > 0 else "")
    noun = "the array" if len(names) == 1 else "the arrays"
    note = f"{UNUSED_NOTE}{noun} {listed} of {printable(path.name)!r}"
    if options.target is None or options.group is not None:
        return note
    axis = (options.layout or "b").find("b")
    sequences = x.shape[axis] if 0 <= axis < x.ndim else 1
    alike = next((n for n in some if _could_group(archive, n, sequences)), None)
    if alike is None:
        return note
    return f"{note}; group={alike!r} would keep those of one value on one side of a split"


def _could_group(archive: zipfile.ZipFile, name: str, sequences: int) -> bool:
    """Return whether an array has a group for every sequence; a damaged one matters to nobody."""
    try:
        with archive.open(f"{name}.npy") as member:
            shape, kind = array_form(member, name)
    except (*_NO_ARCHIVE, DataError, RuntimeError):  # an encrypted one is a runtime error
        return False
    return shape == (sequences,) and kind in _CLASSES


_LISTED = 5
_CLASSES = "iubU"
"""Kinds of numbers that name things: whole ones, truth values and text."""


def _groups(found: np.ndarray, file: str, options: FileOptions) -> np.ndarray:
    if found.ndim != 1 or found.dtype.kind not in _CLASSES:
        raise DataError(
            f"{file}[{options.group!r}] holds no groups",
            got=f"shape {found.shape}, dtype {found.dtype}",
            expected="one whole number or text a sequence, (batch,)",
        )
    return np.unique(found, return_inverse=True)[1].astype(np.int64)


def _member(archive: zipfile.ZipFile, name: str, path: Path, *, mapped: bool = False) -> np.ndarray:
    """Read an array, once its header, the archive and the memory agree on its size.

    With `mapped` a large one that is not compressed stays in the file.
    """
    info = archive.getinfo(f"{name}.npy")
    where = f"{path.name}[{name!r}]"
    if info.flag_bits & 1:
        raise DataError(f"{where} is encrypted", hint="numpy.savez(path, x=array)")
    if info.compress_type not in _METHODS:
        raise DataError(
            f"{where} is compressed in a way that Python cannot read",
            got=f"method {info.compress_type}",
            hint="numpy.savez(path, x=array)",
        )
    with archive.open(info) as member:
        promised = check_array(member, where)
    held = info.file_size
    # no deflated byte stands for more than 1,032
    most = {zipfile.ZIP_STORED: 1, zipfile.ZIP_DEFLATED: 1032}.get(info.compress_type)
    if most is not None:
        held = min(held, most * min(info.compress_size, path.stat().st_size))
    if held < promised:
        raise DataError(
            f"{where} is truncated, or damaged",
            got=f"{held:,} bytes",
            expected=f"{promised:,}",
            hint="copying it again",
        )
    if mapped and info.compress_type == zipfile.ZIP_STORED and promised >= LARGE:
        return _mapped(archive, info, path)
    check_fits(promised, where)
    with archive.open(info) as member:
        array: np.ndarray = np.lib.format.read_array(member, allow_pickle=False)
        # the checksum is compared at the end only
        while member.read(1 << 20):
            pass
    return array


def _mapped(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> np.ndarray:
    """Return an array that stays in the file, once its checksum is right."""
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        read = np.lib.format.read_array_header_1_0
        if version != (1, 0):
            read = np.lib.format.read_array_header_2_0
        shape, columns_first, dtype = read(member)
        header = member.tell()
        while member.read(1 << 20):
            pass
    with path.open("rb") as file:
        file.seek(info.header_offset)
        # names and extra fields of the entry itself may differ from those of the directory
        fixed = file.read(_ENTRY)
        name, extra = struct.unpack("<HH", fixed[-4:])
    start = info.header_offset + _ENTRY + name + extra + header
    order: Literal["F", "C"] = "F" if columns_first else "C"
    return np.memmap(path, dtype=dtype, mode="r", offset=start, shape=shape, order=order)


LARGE = 1 << 25
"""Bytes from which on an array that is not compressed stays in its file."""
_ENTRY = 30
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_NO_ARCHIVE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    UnicodeDecodeError,
)


def _choose(names: list[str], options: FileOptions, file: str) -> str:
    said = {"key": options.key, "target": options.target, "group": options.group}
    for option, name in said.items():
        if name is not None and name not in names:
            near = nearest(name, names, count=1)
            raise DataError(
                f"{file} has no array {name!r}",
                expected=f"one of {', '.join(names)}" if names else "an array",
                hint=f"{option}={near[0]!r}" if near else None,
            )
    if options.key is not None:
        return options.key
    rest = [n for n in names if n not in (options.target, options.group)]
    if len(rest) == 1:
        return rest[0]
    if "x" in rest:
        return "x"
    raise DataError(
        f"{file} has {len(rest)} arrays" if rest else f"{file} has no array of sequences",
        got=", ".join(rest) or None,
        hint=f"key={rest[0]!r}" if rest else None,
    )


def _labels(
    target: np.ndarray, file: str, options: FileOptions
) -> tuple[np.ndarray, tuple[str, ...]]:
    if target.ndim != 1:
        raise DataError(
            f"{file}[{options.target!r}] is no list of labels",
            got=f"shape {target.shape}",
            expected="(batch,)",
        )
    if target.dtype.kind == "f":
        return target.astype(np.float64), ()
    if target.dtype.kind not in _CLASSES:
        raise DataError(f"{file}[{options.target!r}] holds no labels", got=f"dtype {target.dtype}")
    names, labels = np.unique(target, return_inverse=True)
    return labels.astype(np.int64), tuple(printable(str(n)) for n in names)
