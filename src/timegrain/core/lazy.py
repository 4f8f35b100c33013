"""Lazy package attributes (PEP 562): names load their module on first use."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import Any


def attach(
    package: str, names: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return `__getattr__`, `__dir__` and `__all__` for a package that loads its names late.

    Args:
        package: The package's `__name__`.
        names: Public name to the submodule that defines it; `""` when the name is the submodule.

    Returns:
        The three objects a package `__init__` assigns.

    Example:
        >>> getattr_, dir_, all_ = attach("timegrain.core", {"TimeGrid": "grid"})
        >>> getattr_("TimeGrid").__name__
        'TimeGrid'
    """

    def __getattr__(name: str) -> Any:
        if name not in names:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        if not names[name]:
            return importlib.import_module(f"{package}.{name}")
        found = getattr(importlib.import_module(f"{package}.{names[name]}"), name)
        # importing a submodule of the same name has bound the module there; the object wins
        setattr(sys.modules[package], name, found)
        return found

    def __dir__() -> list[str]:
        return sorted(names)

    return __getattr__, __dir__, sorted(names)
