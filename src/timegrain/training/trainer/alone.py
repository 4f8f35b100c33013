"""One training at a time in a directory."""

import contextlib
import os
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

from timegrain.core.errors import ResultError

LOCK_FILE = ".in-use"
_GONE = 8  # times that a lock file may vanish between being opened and being locked


class InUseError(ResultError):
    """A directory that another training, which is under way, writes into."""


@contextlib.contextmanager
def sole_use(directory: Path) -> Iterator[None]:
    """Keep other trainings out of a directory, by a lock on a file in it.

    The system lets go of the lock when a process ends, however it ends, so that a file that was
    left behind keeps nobody out. The directory is made, and removed again where it stays empty.
    File systems without locks keep nobody out.

    Args:
        directory: Of snapshots.

    Raises:
        InUseError: If another training is in it.
        ResultError: If the directory cannot be written.
    """
    made = _missing(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        handle = _locked(directory)
    except OSError as error:
        _remove_empty(made)
        raise ResultError(
            "cannot write a snapshot of the training",
            got=f"{directory} ({error.strerror})",
            expected="a directory that may be written",
            hint="another directory, or making room, and then resume=True",
        ) from error
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            (directory / LOCK_FILE).unlink()
        os.close(handle)
        _remove_empty(made)


def in_use(directory: Path) -> str | None:
    """Return which other process trains in a directory; None where none does.

    Args:
        directory: Need not exist.
    """
    try:
        handle = os.open(directory / LOCK_FILE, os.O_RDWR)
    except OSError:
        return None
    try:
        owner = None if _lock(handle) else _owner(handle)
    finally:
        os.close(handle)
    return None if owner == _myself() else owner


def refused(directory: Path, owner: str) -> InUseError:
    """Return the error of a directory that another training writes into.

    Args:
        directory: It.
        owner: As `in_use` returned it.
    """
    return InUseError(
        "another training writes here",
        got=f"{directory}, in use by {owner}",
        expected="one training at a time",
        hint="another directory, or this one when it is done",
    )


def _locked(directory: Path) -> int:
    path = directory / LOCK_FILE
    for _ in range(_GONE):
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            if not _lock(handle):
                raise refused(directory, _owner(handle))
            # the one before may have removed the file after it was opened here
            if path.exists() and os.path.samestat(os.fstat(handle), path.stat()):
                os.ftruncate(handle, 0)
                os.write(handle, _myself().encode())
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
    raise refused(directory, "trainings that come and go")


def _lock(handle: int) -> bool:
    """Return whether nobody else has the lock, which is taken then."""
    if sys.platform == "win32":
        import msvcrt

        try:
            os.lseek(handle, 4096, os.SEEK_SET)  # behind the text, which others may read
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # no locks on this file system
    return True


def _owner(handle: int) -> str:
    os.lseek(handle, 0, os.SEEK_SET)
    return os.read(handle, 200).decode(errors="replace") or "another process"


def _myself() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _missing(directory: Path) -> list[Path]:
    """Return which directories would have to be made, the innermost first."""
    return [p for p in (directory, *directory.parents) if not p.exists()]


def _remove_empty(directories: list[Path]) -> None:
    for directory in directories:
        with contextlib.suppress(OSError):  # something is in it
            directory.rmdir()
