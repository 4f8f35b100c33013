"""Which published layout a folder has, and what reads it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

from timegrain.core.errors import ConfigError, DataError
from timegrain.core.registry import Registry
from timegrain.data.cards.shelf import version_of
from timegrain.data.dataset import Dataset
from timegrain.data.folders.pair import FORMS, PARTS
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable

layouts = Registry("layout")
# patterns of names inside, one of which tells the layout; a layout without is only read when named
_SIGNS: dict[str, tuple[str, ...]] = {}

for _name, _target, _summary, _signs in (
    (
        "ucr",
        "archive:read_archive",
        "a set of the UCR, UEA or TSER archive",
        tuple(f"*_{part}.{form}" for part in PARTS for form in FORMS),
    ),
    (
        "cifar10",
        "cifar:read_cifar10",
        "CIFAR-10, binary version: 1,024 pixels of 3 colours",
        ("data_batch_[1-5].bin", "test_batch.bin", "data_batch_[1-5]", "test_batch"),
    ),
    ("cifar10-gray", "cifar:read_cifar10_gray", "CIFAR-10: 1,024 gray pixels", ()),
    (
        "imdb",
        "reviews:read_reviews",
        "aclImdb: film reviews, byte by byte",
        ("train/pos", "train/neg", "test/pos", "test/neg"),
    ),
    (
        "aan",
        "retrieval:read_retrieval",
        "pairs of papers of Long Range Arena, byte by byte",
        ("new_aan_pairs.*.tsv",),
    ),
    (
        "speech-commands",
        "commands:read_commands",
        "Speech Commands v0.02: 35 spoken words",
        ("validation_list.txt", "testing_list.txt"),
    ),
    ("speech-commands-10", "commands:read_ten_commands", "Speech Commands: yes, no, up, ...", ()),
):
    layouts.register(_name, f"timegrain.data.folders.{_target}", _summary)
    _SIGNS[_name] = _signs

Reader = Callable[[Path], Dataset]


def named_layout(text: str) -> tuple[str, Path] | None:
    """Return the layout and the folder of `LAYOUT:FOLDER`; None for other text.

    Args:
        text: As typed.

    Example:
        >>> named_layout("cifar10-gray:cifar-10-batches-bin")[0]
        'cifar10-gray'
        >>> named_layout("module:function") is None
        True
    """
    name, _, folder = text.partition(":")
    return (name, Path(folder)) if folder and name in layouts else None


def read_folder(path: Path, options: FileOptions, *, layout: str | None = None) -> Dataset:
    """Return the dataset in a folder, its published training part first.

    Args:
        path: Of the folder.
        options: Only `kind` has a use.
        layout: A name in `layouts`; None to tell it by the files inside.

    Raises:
        DataError: If the folder is missing or incomplete, or a file in it is damaged.
        ConfigError: If an option has no use, or the layout cannot be told.
    """
    name = layout or told_layout(path)
    options.only(f"{printable(path.name)}, a folder", "kind")
    try:
        data = cast(Reader, layouts.load(name))(path)
    except OSError as error:
        where = printable(Path(error.filename or path).name)
        raise DataError(f"{where} cannot be read", got=error.strerror or str(error)) from error
    return replace(data, version=version_of(name))


def told_layout(folder: Path) -> str:
    """Return the layout of a folder by the names of the files in it.

    Args:
        folder: One that exists.

    Raises:
        DataError: If none fits.
        ConfigError: If several do.
    """
    fitting = fitting_layouts(folder)
    if len(fitting) == 1:
        return fitting[0]
    where = printable(str(folder))
    if fitting:
        raise ConfigError(
            f"{where} could be read in several ways",
            got=", ".join(fitting),
            hint=f"{fitting[0]}:{where} to say which",
        )
    raise DataError(f"{where} is a directory, not a file", hint=_inside(folder))


def fitting_layouts(folder: Path) -> list[str]:
    """Return the layouts that a folder could have, by name.

    Args:
        folder: One that exists.
    """
    return [
        name
        for name, signs in _SIGNS.items()
        if any(next(folder.glob(sign), None) is not None for sign in signs)
    ]


def _inside(folder: Path) -> str:
    from timegrain.data.readers.files import readers

    entries = sorted(folder.iterdir())
    nearer = [p for p in entries[:_LOOKED_AT] if p.is_dir() and fitting_layouts(p)]
    if nearer:
        return f"{printable(str(nearer[0]))}, the folder inside"
    files = [p.name for p in entries if p.suffix.lower() in readers]
    if files:
        return f"one of the files inside: {', '.join(printable(f) for f in files[:5])}"
    known = ", ".join(f"{e.name} ({e.summary})" for e in layouts if _SIGNS[e.name])
    return f"a file, or a folder as one of these is published: {known}"


_LOOKED_AT = 100
