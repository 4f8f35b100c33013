"""Characters of the Python standard library that runs this program."""

import platform
import sys
import sysconfig
import tokenize
from pathlib import Path

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset

N_CHARACTERS = 1_000_000


def read_python_source(n_characters: int = N_CHARACTERS) -> Dataset:
    """Return the first characters of the top-level modules, one sequence a file, by name.

    Files are taken whole in the order of their names until `n_characters` are read; the last one
    is cut. Tokens number the characters that occur, in the order of their code points.

    Args:
        n_characters: At most so many.

    Raises:
        DataError: If Python was installed without its source.

    Example:
        >>> read_python_source(1000).kind
        'tokens'
    """
    texts: list[str] = []
    left = n_characters
    for path in library_modules():
        text = module_text(path)[:left]
        if len(text) >= 2:
            texts.append(text)
            left -= len(text)
        if left < 2:
            break
    codes = [np.frombuffer(t.encode("utf-32-le"), dtype=np.uint32).astype(np.int64) for t in texts]
    kinds = np.unique(np.concatenate(codes))
    return Dataset(
        name="python-source",
        sequences=tuple(np.searchsorted(kinds, c) for c in codes),
        vocabulary=tuple(chr(k) for k in kinds),
        kind="tokens",
        notes=(
            f"the first {sum(map(len, texts)):,} characters of the standard library of Python "
            f"{platform.python_version()}, {len(texts)} files by name",
        ),
    )


def library_modules() -> list[Path]:
    """Return the files of the top-level modules, by name.

    Raises:
        DataError: If Python was installed without its source.
    """
    folder = Path(sysconfig.get_paths()["stdlib"])
    # distributions add files of their own beside the library's
    found = [path for path in folder.glob("*.py") if path.stem in sys.stdlib_module_names]
    if not found:
        raise DataError("Python's standard library has no source files here", got=folder.name)
    return sorted(found, key=lambda path: path.name)


def module_text(path: Path) -> str:
    """Return the source of a module, decoded as it declares.

    Args:
        path: Of its file.
    """
    with tokenize.open(path) as file:
        return file.read()


PYTHON_SOURCE = DatasetCard(
    name="python-source",
    read=read_python_source,
    source="Python standard library, Python Software Foundation",
    values="a character",
    unit="character",
    kind="tokens",
)
