"""Objects named on the command line as `module:attribute`."""

import importlib
import re
import sys
from pathlib import Path, PurePath

from timegrain.core.errors import ConfigError, TimegrainError
from timegrain.core.registry import suggest
from timegrain.core.users_code import users_code

_NAME = r"[^\W\d]\w*(\.[^\W\d]\w*)*"


def load_attribute(name: str, *, raised: type[TimegrainError] = ConfigError) -> object:
    """Import `module` and return its `attribute`, for a name such as `"my_models:net"`.

    The working directory is searched first, as `python -m` does. The module's code runs: call this
    only for a name the user typed.

    Args:
        name: `module:attribute`; dots are allowed on both sides.
        raised: The error to raise when the module's own code fails.

    Raises:
        ConfigError: If the name is none, or there is no such module or attribute.
        TimegrainError: Of the type `raised`, if the module is there and its code fails.

    Example:
        >>> load_attribute("math:pi")
        3.141592653589793
    """
    if not re.fullmatch(f"{_NAME}:{_NAME}", name):
        raise ConfigError(
            f"{name!r} names no object", expected="module:attribute", hint=_meant(name)
        )
    module_name, _, path = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    found = _imported(module_name, raised)
    for part in path.split("."):
        # a module's __getattr__ or a property is the user's code, too
        with users_code(name, raised):
            missing = not hasattr(found, part)
        if missing:
            public = [n for n in dir(found) if not n.startswith("_")]
            raise ConfigError(
                f"{module_name!r} has no attribute {path!r}",
                expected="a name defined in the module",
                hint=suggest(part, public),
            )
        found = getattr(found, part)
    return found


def _imported(name: str, raised: type[TimegrainError]) -> object:
    with users_code(f"the module {name!r}", raised, doing="cannot be imported"):
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name is None or not f"{name}.".startswith(f"{error.name}."):
                raise  # the module is there, and one that it imports is not
            raise ConfigError(
                f"cannot import {name!r}",
                got=f"{type(error).__name__}: {error}",
                expected="a module on the path or in the working directory",
                hint="module:attribute with a module that python -c 'import ...' can load",
            ) from error


def _meant(name: str) -> str | None:
    """Return the name that was meant, where a path stands for the module."""
    path, _, attribute = name.partition(":")
    parts = [part for part in PurePath(path).parts if part not in ("/", "..")]
    module = ".".join(parts)
    if not re.fullmatch(_NAME, module) or module == path:
        return None
    above = f", in the directory above {parts[0]}" if len(parts) > 1 else ""
    return f"{module}:{attribute or 'attribute'}{above}"
