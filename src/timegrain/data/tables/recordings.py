"""Which rows of a long table belong to which recording."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from timegrain.data.tables.keys import Keys


@dataclass(frozen=True, kw_only=True, eq=False)
class Recordings:
    """Rows by recording, in the order in which recordings first appear.

    Args:
        names: Of the recordings; the file's own where no column names them.
        rows: A slice of rows for each where all of them stand together; else their numbers.
        mixed: Whether rows of different recordings stand between each other.
    """

    names: tuple[str, ...]
    rows: tuple[slice | np.ndarray, ...]
    mixed: bool = False


def find_recordings(keys: Keys) -> Recordings:
    """Return the rows of every recording, in the order in which they stand.

    Args:
        keys: One a row.

    Example:
        >>> apart = Keys(codes=np.array([0, 0, 1]), names=("a", "b"))
        >>> find_recordings(apart).rows
        (slice(0, 2, None), slice(2, 3, None))
    """
    if not are_mixed(keys):
        changes = np.flatnonzero(np.diff(keys.codes)) + 1
        ends = [0, *changes.tolist(), len(keys.codes)]
        slices = tuple(slice(a, b) for a, b in pairwise(ends))
        return Recordings(names=keys.names, rows=slices)
    order = np.argsort(keys.codes, kind="stable")
    stops = np.cumsum(np.bincount(keys.codes, minlength=len(keys)))[:-1]
    return Recordings(names=keys.names, rows=tuple(np.split(order, stops)), mixed=True)


def are_mixed(keys: Keys) -> bool:
    """Whether rows of different recordings stand between each other.

    Args:
        keys: One a row.
    """
    return len(keys) > 1 and np.count_nonzero(np.diff(keys.codes)) != len(keys) - 1
