"""How much memory a process has taken, and how much is free."""

import sys
from pathlib import Path

_STATUS, _FREE = Path("/proc/self/status"), Path("/proc/meminfo")
_LIMIT, _TAKEN = Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")


def peak_memory() -> float | None:
    """Return the most memory that this process has held, in bytes; None where that is not known.

    Example:
        >>> (peak_memory() or 1.0) > 0
        True
    """
    seen = _line(_STATUS, "VmHWM:")
    if seen is not None:
        return seen
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    unit = 1.0 if sys.platform == "darwin" else 1024.0
    return unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def used_memory() -> float | None:
    """Return the memory that this process holds, in bytes; None where that is not known."""
    return _line(_STATUS, "VmRSS:")


def free_memory() -> float | None:
    """Return the memory that can still be had, in bytes; None where that is not known."""
    free = _line(_FREE, "MemAvailable:")
    limit, taken = _number(_LIMIT), _number(_TAKEN)
    if free is None or limit is None or taken is None:
        return free
    return min(free, max(limit - taken, 0.0))


def _line(path: Path, label: str) -> float | None:
    """Return a number of kibibytes in a file of Linux's, in bytes."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return None
    for line in text.splitlines():
        if line.startswith(label):
            return 1024.0 * float(line.split()[1])
    return None


def _number(path: Path) -> float | None:
    try:
        return float(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):  # "max" where there is no limit
        return None
