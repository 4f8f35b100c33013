"""Arrays by name in a `.npz` file."""

import zipfile
import zlib
from pathlib import Path

import numpy as np

from timegrain.core.errors import DataError
from timegrain.core.registry import suggest
from timegrain.data.dataset import Dataset
from timegrain.data.readers.npy import array_dataset, check_array
from timegrain.data.readers.options import FileOptions


def read_npz(path: Path, options: FileOptions) -> Dataset:
    """Return the dataset in a `.npz` file: the array `key`, labelled by the array `target`.

    Without `key` the array is the only one besides the target, or the one called `x`. A target of
    whole numbers, truth values or text holds classes; one of floats, values.

    Args:
        path: Of the file.
        options: `key`, `target`, `layout` and `kind` have a use.

    Raises:
        DataError: If it is damaged, an array is missing, or it holds objects.
        LayoutError: If the layout does not fit.
    """
    options.only(f"{path.name}, an npz file", "key", "target", "layout", "kind")
    try:
        with zipfile.ZipFile(path) as archive:
            names = [n.removesuffix(".npy") for n in archive.namelist() if n.endswith(".npy")]
            key = _choose(names, options, path.name)
            for name in dict.fromkeys([key, options.target or key]):
                with archive.open(f"{name}.npy") as member:
                    check_array(member, f"{path.name}[{name!r}]")
        with np.load(path, allow_pickle=False) as arrays:
            array = arrays[key]
            target = arrays[options.target] if options.target is not None else None
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise DataError(
            f"{path.name} is no npz file, or a damaged one (a pickle under that name is refused)",
            got=str(error),
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
    )


def _choose(names: list[str], options: FileOptions, file: str) -> str:
    for option, name in (("key", options.key), ("target", options.target)):
        if name is not None and name not in names:
            raise DataError(
                f"{file} has no array {name!r}",
                expected=f"one of {', '.join(names)}" if names else "an array",
                hint=f"{option}={suggest(name, names).split(', ')[0]!r}" if names else None,
            )
    if options.key is not None:
        return options.key
    rest = [n for n in names if n != options.target]
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
    if target.dtype.kind not in "iubU":
        raise DataError(f"{file}[{options.target!r}] holds no labels", got=f"dtype {target.dtype}")
    names, labels = np.unique(target, return_inverse=True)
    return labels.astype(np.int64), tuple(str(n) for n in names)
