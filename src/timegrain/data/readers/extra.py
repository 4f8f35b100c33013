"""Packages that only some formats and some loops need."""

import importlib
from types import ModuleType

from timegrain.core.errors import MissingPackageError


def need(package: str, extra: str, what: str, *, done: str = "read") -> ModuleType:
    """Import a package of an extra.

    Args:
        package: Its module.
        extra: The extra of timegrain that installs it.
        what: What it reads, for the error.
        done: What it does with them in the place of reading.

    Raises:
        MissingPackageError: If it is not installed, or a library it loads is missing; the text
            names the pip command.
    """
    try:
        return importlib.import_module(package)
    except (ImportError, OSError) as error:
        distribution = package.partition(".")[0].replace("_", "-")
        raise MissingPackageError(
            f"{what} are {done} with the package {package}, which cannot be loaded",
            got=str(error).splitlines()[0] if str(error) else type(error).__name__,
            hint=f"pip install 'timegrain[{extra}]' (or pip install {distribution})",
        ) from error
