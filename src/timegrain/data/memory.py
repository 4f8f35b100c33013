"""Whether an array can be held at all, and how one in a file is kept out of memory."""

import mmap
import os
from typing import Any

import numpy as np

from timegrain.core.errors import DataError

_SMALLER = "a part of it, or a shorter number type"


def check_fits(n_bytes: int, what: str, *, hint: str = _SMALLER) -> None:
    """Raise before an array is allocated that is larger than this machine's memory.

    Args:
        n_bytes: Its size.
        what: What it would hold, for the error.
        hint: What to try.

    Raises:
        DataError: If it is larger; never where the size of the memory is unknown.
    """
    memory = _physical_memory()
    if memory is not None and n_bytes > memory:
        raise DataError(
            f"{what} does not fit into memory",
            got=f"{n_bytes:,} bytes",
            expected=f"{memory:,} at most",
            hint=hint,
        )


def release(array: Any) -> None:
    """Let go of the memory that holds what was read of an array in a file; values stay the same.

    Without this a file that is read from end to end ends up in memory, as far as there is any.

    Args:
        array: Any; only a view of a file that is mapped without private changes, and of a size
            that matters, has anything to let go of.
    """
    shared = False
    while isinstance(array, np.ndarray):
        shared = shared or getattr(array, "mode", None) in ("r", "r+")
        array = array.base
    if not isinstance(array, mmap.mmap) or len(array) < _MATTERS or not hasattr(array, "madvise"):
        return
    # of a private copy the changes would be lost
    if shared or memoryview(array).readonly:
        array.madvise(mmap.MADV_DONTNEED)


_MATTERS = 1 << 25


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
