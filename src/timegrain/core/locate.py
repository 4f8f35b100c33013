"""Objects named on the command line as `module:attribute`."""

import importlib
import sys
from pathlib import Path

from timegrain.core.errors import ConfigError
from timegrain.core.registry import suggest


def load_attribute(name: str) -> object:
    """Import `module` and return its `attribute`, for a name such as `"my_models:net"`.

    The working directory is searched first, as `python -m` does. The module's code runs: call this
    only for a name the user typed.

    Args:
        name: `module:attribute`; dots are allowed on both sides.

    Raises:
        ConfigError: If the module cannot be imported or has no such attribute.

    Example:
        >>> load_attribute("math:pi")
        3.141592653589793
    """
    module_name, _, path = name.partition(":")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found: object = importlib.import_module(module_name)
    except ImportError as error:
        raise ConfigError(
            f"cannot import {module_name!r}",
            got=f"{type(error).__name__}: {error}",
            expected="a module on the path or in the working directory",
            hint="module:attribute with a module that python -c 'import ...' can load",
        ) from error
    for part in path.split("."):
        if not hasattr(found, part):
            public = [n for n in dir(found) if not n.startswith("_")]
            raise ConfigError(
                f"{module_name!r} has no attribute {path!r}",
                expected="a name defined in the module",
                hint=suggest(part, public) if public else None,
            )
        found = getattr(found, part)
    return found
