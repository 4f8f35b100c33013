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
    folder = Path(sysconfig.get_paths()["stdlib"])
    texts: list[str] = []
    left = n_characters
    for path in sorted(folder.glob("*.py"), key=lambda p: p.name):
        # distributions add files of their own beside the library's
        if path.stem not in sys.stdlib_module_names:
            continue
        text = _text(path)[:left]
        if len(text) >= 2:
            texts.append(text)
            left -= len(text)
        if left < 2:
            break
    if not texts:
        raise DataError("Python's standard library has no source files here", got=folder.name)
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


def _text(path: Path) -> str:
    with tokenize.open(path) as file:  # in the encoding the file declares
        return file.read()


PYTHON_SOURCE = DatasetCard(
    name="python-source",
    read=read_python_source,
    source="Python standard library, Python Software Foundation",
    values="a character",
    unit="character",
    kind="tokens",
)
