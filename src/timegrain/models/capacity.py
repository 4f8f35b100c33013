"""Whether something fits into memory, asked before it is made."""

import os
from pathlib import Path

from timegrain.core.errors import ModelError

UNKNOWN = 16 * 10**9  # taken where the system does not say how much memory it has
_MEMINFO = Path("/proc/meminfo")
_CONTAINER = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)


def available_memory() -> int:
    """Return the bytes this process may still take.

    On Linux what the kernel estimates, within the container's limit; elsewhere all memory of the
    machine.
    """
    known = [*_free(), *_limit()] or _machine()
    return min(known, default=UNKNOWN)


def check_memory(what: str, needed: int, *, lower: str) -> None:
    """Check that `needed` bytes are there.

    Args:
        what: What needs them, with its sizes.
        needed: Bytes, at least.
        lower: What a smaller value of would make it fit; an imperative clause's object.

    Raises:
        ModelError: If they are not.
    """
    there = available_memory()
    if needed > there:
        raise ModelError(
            f"{what} does not fit into memory",
            got=f"a need of at least {gigabytes(needed)}",
            expected=f"at most {gigabytes(there)}",
            hint=f"a smaller {lower}",
        )


def gigabytes(count: int) -> str:
    """Return bytes as text for people.

    Example:
        >>> gigabytes(2_400_000_000), gigabytes(10**40)
        ('2.4 GB', '1e+31 GB')
    """
    return f"{min(count // 10**6, 10**300) / 1000:.2g} GB"


def _free() -> list[int]:
    try:
        lines = _MEMINFO.read_text().splitlines()
    except OSError:
        return []
    return [1024 * int(line.split()[1]) for line in lines if line.startswith("MemAvailable:")]


def _limit() -> list[int]:
    found = []
    for path in _CONTAINER:
        try:
            text = path.read_text().strip()
        except OSError:
            continue
        found += [int(text)] if text.isdigit() else []  # "max" where there is no limit
    return found


def _machine() -> list[int]:
    try:
        return [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    except (AttributeError, ValueError, OSError):  # not known on this system
        return []
