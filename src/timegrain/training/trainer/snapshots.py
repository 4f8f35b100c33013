"""A directory with the latest states of a training, each in one file that is whole or not used."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from timegrain.core.errors import ResultError
from timegrain.core.output import write_atomically
from timegrain.models.options import whole
from timegrain.training.trainer.snapshot_bytes import DamagedError, pack, unpack

_NAME = re.compile(r"snapshot-([0-9]{8,})\.state")
_ASIDE = ".snapshot-*.state.*"


@dataclass(frozen=True, kw_only=True, eq=False)
class Snapshot:
    """A state that was read.

    Args:
        name: Of its file.
        state: What was saved.
        notes: A sentence on each damaged file that was newer.
    """

    name: str
    state: Any
    notes: tuple[str, ...]


class Snapshots:
    """The snapshots of one training.

    Each is written aside, forced to the disk, and renamed; so a kill at any instant leaves the ones
    before it whole, and at most a file aside that nobody reads. Each holds a checksum over its
    bytes.

    Args:
        directory: Made by the first `save`.
        keep: How many whole ones stay; with 2, one is left when the disk damages the other.

    Example:
        >>> import tempfile
        >>> snapshots = Snapshots(tempfile.mkdtemp())
        >>> for step in range(5):
        ...     path = snapshots.save({"step": step})
        >>> len(snapshots.files()), snapshots.latest().state
        (2, {'step': 4})
    """

    def __init__(self, directory: str | Path, *, keep: int = 2) -> None:
        self.directory, self.keep = Path(directory), whole("keep", keep, least=1)
        self._damaged: set[Path] = set()
        self._began = False

    def files(self) -> list[Path]:
        """Return all snapshots by age, the newest last, damaged ones included.

        Raises:
            ResultError: If the directory cannot be read.
        """
        return [path for path in self._named() if path.is_file()]

    def save(self, state: object) -> Path:
        """Write a state, and remove the oldest beyond those to keep.

        Args:
            state: Numbers, texts, None and tensors in dicts, lists and tuples.

        Raises:
            ResultError: If the directory cannot be written; what it holds then stays.
        """
        content = pack(state)
        files, named = self.files(), self._named()
        path = self.directory / f"snapshot-{_serial(named[-1]) + 1 if named else 1:08d}.state"
        try:
            self._begin()
            write_atomically(path, content)
            self._prune([*files, path])
        except OSError as error:
            raise ResultError(
                "cannot write a snapshot of the training",
                got=f"{path} ({error.strerror})",
                hint="another directory, or making room, and then resume=True",
            ) from error
        return path

    def latest(self) -> Snapshot | None:
        """Return the newest snapshot that is whole; None where there is no snapshot at all.

        Raises:
            ResultError: If there are some and none is whole, or another version of timegrain
                wrote it.
        """
        notes: list[str] = []
        for path in reversed(self.files()):
            try:
                state = unpack(path.read_bytes())
            except (DamagedError, OSError) as error:
                why = error.got if isinstance(error, DamagedError) else error.strerror
                self._damaged.add(path)
                notes.append(f"The snapshot {path.name} is damaged ({why}) and was passed over.")
                continue
            return Snapshot(name=path.name, state=state, notes=tuple(notes))
        if notes:
            raise ResultError(
                "no snapshot of the training is whole",
                got=f"{self.directory}: {' '.join(notes)}".rstrip("."),
                hint="removing this directory, and training from the beginning",
            )
        return None

    def clear(self) -> None:
        """Remove all snapshots, and what a killed training left aside.

        Raises:
            OSError: If the system refuses.
        """
        for path in [*self.files(), *self.directory.glob(_ASIDE)]:
            path.unlink(missing_ok=True)  # another process of the same training may be faster

    def _named(self) -> list[Path]:
        """Return what has the name of a snapshot, even if it is none, such as a directory."""
        try:
            found = list(self.directory.iterdir()) if self.directory.exists() else []
        except OSError as error:
            raise ResultError(
                "cannot read the snapshots",
                got=f"{self.directory} ({error.strerror})",
                expected="a directory",
            ) from error
        return sorted((path for path in found if _NAME.fullmatch(path.name)), key=_serial)

    def _begin(self) -> None:
        """Make the directory, and remove what a killed training left aside."""
        if not self._began:
            self.directory.mkdir(parents=True, exist_ok=True)
            for path in self.directory.glob(_ASIDE):
                path.unlink(missing_ok=True)
            self._began = True

    def _prune(self, files: list[Path]) -> None:
        sound = [path for path in files if path not in self._damaged]
        oldest = sound[-self.keep :][0]
        for path in files[: files.index(oldest)]:
            path.unlink(missing_ok=True)


def _serial(path: Path) -> int:
    found = _NAME.fullmatch(path.name)
    return int(found[1]) if found else 0
