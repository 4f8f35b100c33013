"""File names with wildcards, and the part of many files that one machine reads."""

import glob
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from timegrain.core.errors import ConfigError, DataError

T = TypeVar("T")


def is_pattern(name: str) -> bool:
    """Whether a name stands for several files; never where a file is called so.

    Example:
        >>> is_pattern("data/*.parquet"), is_pattern("OSULeaf")
        (True, False)
    """
    return bool(re.search(r"[*?[]", name)) and not Path(name).exists()


def expand(name: str) -> tuple[Path, ...]:
    """Return the files a name stands for, sorted, so that their order is the same everywhere.

    Args:
        name: A path, or a pattern with `*`, `?`, `[...]` and `**` for folders of any depth.

    Raises:
        DataError: If a pattern fits no file.
    """
    if not is_pattern(name):
        return (Path(name),)
    found = sorted(Path(p) for p in glob.glob(name, recursive=True))  # noqa: PTH207 (a whole path)
    files = tuple(p for p in found if p.is_file())
    if not files:
        raise DataError(
            f"no file fits {name!r}",
            hint="quotes around the pattern, and the folder spelt as it is",
        )
    return files


def shard_of(text: str) -> tuple[int, int]:
    """Return part `i` of `n` from `i/n`.

    Raises:
        ConfigError: If that is no part.

    Example:
        >>> shard_of("2/3")
        (2, 3)
    """
    match = re.fullmatch(r"([0-9]{1,6})/([0-9]{1,6})", text.strip())
    i, n = (int(match[1]), int(match[2])) if match else (0, 0)
    if not 1 <= i <= n:
        raise ConfigError(
            "a shard is one of several parts", got=repr(text), expected="such as 1/4, 2/4, 3/4, 4/4"
        )
    return i, n


def part(items: Sequence[T], shard: tuple[int, int]) -> tuple[T, ...]:
    """Return every n-th item from the i-th on.

    Example:
        >>> part("abcde", (2, 2))
        ('b', 'd')
    """
    i, n = shard
    return tuple(items[i - 1 :: n])
