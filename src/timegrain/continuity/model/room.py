"""How much memory a process has taken, and how much is free."""

import os
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


def held_memory() -> tuple[float, float] | None:
    """Return what this process holds and the most that it has held, in bytes, by one reading.

    None where that is not known: elsewhere than on Linux.
    """
    text = _text(_STATUS)
    held, most = _number_after(text, "VmRSS:"), _number_after(text, "VmHWM:")
    return None if held is None or most is None else (held, most)


def free_memory() -> float | None:
    """Return the memory that can still be had, in bytes; None where that is not known."""
    free = _line(_FREE, "MemAvailable:")
    limit, taken = _number(_LIMIT), _number(_TAKEN)
    if free is None or limit is None or taken is None:
        return free
    return min(free, max(limit - taken, 0.0))


def _line(path: Path, label: str) -> float | None:
    """Return a number of kibibytes in a file of Linux's, in bytes."""
    return _number_after(_text(path), label)


def _number_after(text: bytes, label: str) -> float | None:
    _, found, rest = text.partition(b"\n" + label.encode())
    return 1024.0 * float(rest.split(None, 1)[0]) if found else None


def _number(path: Path) -> float | None:
    try:
        return float(_text(path))
    except ValueError:  # "max" where there is no limit, or no such file
        return None


def _text(path: Path) -> bytes:
    """Return what is in a file, empty if it cannot be read: a file object takes twice as long."""
    try:
        file = os.open(path, os.O_RDONLY)
    except OSError:
        return b""
    try:
        return os.read(file, 1 << 16)
    except OSError:
        return b""
    finally:
        os.close(file)
