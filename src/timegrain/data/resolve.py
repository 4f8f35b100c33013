"""What a typed name stands for: a shipped set, a function of the user's, or a file."""

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from timegrain.core.errors import ConfigError, DataError, UnknownNameError
from timegrain.core.locate import load_attribute
from timegrain.core.registry import nearest
from timegrain.data.catalogue import datasets
from timegrain.data.folders.layouts import layouts, named_layout
from timegrain.data.readers.files import exists

PERMUTED = "-permuted"
_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


@dataclass(frozen=True, kw_only=True)
class Target:
    """Exactly one of a shipped set's name, a function, a path, possibly with its layout.

    Args:
        name: Of a shipped set, without the suffix of its twin.
        permuted: Whether the permuted twin of the set was asked for.
        function: `module:function` of the user.
        path: Of a file or a folder.
        layout: In which a folder is published; None to tell it by the files inside.
    """

    name: str | None = None
    permuted: bool = False
    function: str | None = None
    path: Path | None = None
    layout: str | None = None


def resolve(name_or_path: str | os.PathLike[str]) -> Target:
    """Return what a name stands for: a shipped set or `LAYOUT:FOLDER`, a function, or a path.

    Args:
        name_or_path: A name from `timegrain ls`, possibly with `-permuted`; a layout and a folder,
            such as `ucr:downloads/Coffee`; `module:function`; or a path. A path object is always a
            path.

    Raises:
        ConfigError: If it could mean two things.
        DataError: If it is written as a path and there is nothing there.
        UnknownNameError: If it is none of these; the text suggests the nearest names.

    Example:
        >>> resolve("OSULeaf-permuted")
        Target(name='OSULeaf', permuted=True, function=None, path=None, layout=None)
    """
    if isinstance(name_or_path, os.PathLike):
        return Target(path=_path(name_or_path))
    if not isinstance(name_or_path, str):
        raise ConfigError(
            "a dataset goes by a name or a path",
            got=f"{name_or_path!r:.60}",
            expected="text, such as 'ecg' or 'my.csv', a path, or a Generator",
            hint="Dataset(...) and make_task for arrays in memory; task_continuity to measure them",
        )
    text = name_or_path
    if not text.strip():
        raise ConfigError("an empty name of a dataset", hint="timegrain ls for the names")
    base = text.removesuffix(PERMUTED)
    target, folder = None, named_layout(text)
    if text in datasets:
        target = Target(name=text)
    elif base in datasets:
        target = Target(name=base, permuted=True)
    elif folder is not None:
        target = Target(layout=folder[0], path=folder[1])
    elif _FUNCTION.fullmatch(text):
        target = Target(function=text)
    path = Path(text)
    found = exists(path)
    if target is not None and found:
        what = "a shipped dataset" if target.name else "module:function"
        what = "a folder in a layout" if target.layout else what
        raise ConfigError(
            f"{text!r} is ambiguous",
            got=f"{what} and a path that exists here",
            hint=f"./{text} for the path, or another working directory for {what}",
        )
    if target is not None:
        return target
    if not found:
        _check_layout(text)
    if found or path.suffix or "/" in text or os.sep in text:
        return Target(path=path)
    raise _unknown(text, base)


def _check_layout(text: str) -> None:
    """Raise where a layout is named in other case, or without a folder."""
    name, colon, folder = text.partition(":")
    if not colon or name.lower() not in layouts:
        return
    if not folder:
        raise ConfigError("a layout names no folder", got=repr(text), expected=f"{name}:FOLDER")
    raise UnknownNameError(
        f"there is no layout called {name!r}",
        expected=f"one of {', '.join(layouts.names())}",
        hint=f"{name.lower()}:{folder}",
    )


def _path(given: os.PathLike[str]) -> Path:
    try:
        return Path(given)
    except TypeError as error:
        raise ConfigError("a path is text", got=repr(given)) from error


def import_source(name: str) -> object:
    """Import what the user calls `module:function`, also a `Generator`; this runs the user's code.

    Raises:
        ConfigError: If the module or the name in it does not exist.
    """
    return load_attribute(name, raised=DataError)


def import_function(name: str) -> Callable[[], object]:
    """Import the user's function `module:function`; this runs the user's code.

    Raises:
        ConfigError: If the module or the function does not exist.
        DataError: If it cannot be called.
    """
    function = import_source(name)
    if callable(function):
        return function
    raise DataError(
        f"{name} is not a function",
        got=type(function).__name__,
        expected="a function of no arguments that returns a Dataset, an array or a list of arrays; "
        "or a Generator",
    )


def _unknown(text: str, base: str) -> UnknownNameError:
    if base in layouts:
        return UnknownNameError(
            f"{base} is read from a folder of yours",
            got=repr(text),
            expected=f"{base}:FOLDER, a folder as it is published",
            hint="timegrain ls tasks for what it is",
        )
    near = [n + text[len(base) :] for n in nearest(base, datasets.names())]
    return UnknownNameError(
        f"there is no dataset or file called {text!r}",
        expected="the name of a shipped set, module:function, or a path",
        hint=", ".join([*near, "timegrain ls for all names"]).replace(", timegrain", "; timegrain"),
    )
