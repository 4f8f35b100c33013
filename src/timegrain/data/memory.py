"""Whether an array that something promises can be held at all."""

import os

from timegrain.core.errors import DataError


def check_fits(n_bytes: int, what: str) -> None:
    """Raise before an array is allocated that is larger than this machine's memory.

    Args:
        n_bytes: Its size.
        what: What it would hold, for the error.

    Raises:
        DataError: If it is larger; never where the size of the memory is unknown.
    """
    memory = _physical_memory()
    if memory is not None and n_bytes > memory:
        raise DataError(
            f"{what} does not fit into memory",
            got=f"{n_bytes:,} bytes",
            expected=f"{memory:,} at most",
            hint="a part of it, or a shorter number type",
        )


def _physical_memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
