"""Output directories: `result.json`, `rows.parquet` and `parts/`, written whole or not at all."""

import contextlib
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from timegrain.core.errors import ResultError
from timegrain.core.result import Result, read_result

STREAM = "stream.json"
"""Part of a measurement that `timegrain merge` puts together with others."""

_OWN_FOLDERS = {"parts", "checkpoints", "snapshots", "figures"}
_OWN = _OWN_FOLDERS | {"result.json", "rows.parquet", "report.html", STREAM}
_PART = re.compile(r"[0-9]{2,}-.*\.json")
_SNAPSHOT = b"timegrain snapshot "
_HEAD = re.compile(rb'\s*\{\s*"schema"\s*:\s*"[a-z-]+"\s*,\s*"schema_version"\s*:\s*[0-9]+')


@dataclass(frozen=True, kw_only=True)
class Output:
    """What an output directory holds.

    Args:
        result: The main result.
        parts: The results it was made from, by file stem, in the order they were written.
    """

    result: Result
    parts: Mapping[str, Result]

    @property
    def results(self) -> tuple[Result, ...]:
        """The main result and then its parts."""
        return (self.result, *self.parts.values())


def write_output(
    directory: str | Path, result: Result, *, parts: Sequence[tuple[str, Result]] = ()
) -> Path:
    """Write a result with its table and its parts into a directory.

    Every file appears by an atomic rename; `result.json` comes last, so that a directory with it
    is complete.

    Args:
        directory: Made if it does not exist.
        result: The main result.
        parts: `(name, result)` pairs; the name becomes the file stem under `parts/`.

    Returns:
        The directory.

    Raises:
        ResultError: If the directory cannot be written or is a file.
    """
    directory = Path(directory)
    check_writable(directory)
    texts = {f"{i:02d}-{slug(name)}.json": part.to_json() for i, (name, part) in enumerate(parts)}
    try:
        (directory / "parts").mkdir(parents=True, exist_ok=True)
        for old in (directory / "parts").iterdir():
            if _PART.fullmatch(old.name) and old.name not in texts:
                old.unlink()
        for name, text in texts.items():
            write_atomically(directory / "parts" / name, text.encode())
        _write_rows(directory / "rows.parquet", result)
        write_atomically(directory / "result.json", result.to_json().encode())
    except OSError as error:
        raise _refused(f"{directory} ({error.strerror})") from error
    return directory


def check_writable(directory: str | Path) -> None:
    """Check that an output directory could be made and written, without doing so.

    Commands call this before they begin. A directory that holds something else is refused, so that
    nothing of another program's is ever replaced or removed; one with the snapshots of an
    unfinished training is timegrain's.

    Raises:
        ResultError: If it is a file, lies below one, may not be written, or is not empty and holds
            no result of timegrain's.
    """
    directory = Path(directory)
    nearest = next(p for p in (directory, *directory.absolute().parents) if p.exists())
    if not nearest.is_dir() or not os.access(nearest, os.W_OK | os.X_OK):
        why = "may not be written" if nearest.is_dir() else "is a file"
        where = "it" if nearest == directory else nearest
        raise _refused(f"{directory}, but {where} {why}")
    if not directory.is_dir():
        return
    found = {path.name: path for path in directory.iterdir()}
    others = sorted(set(found) - _OWN_FOLDERS)
    ours = any(_is_ours(directory / name) for name in ("result.json", STREAM))
    if others and not ours and not _holds_snapshots(directory):
        raise _refused(f"{directory}, which holds {', '.join(others[:3])} and no result of its own")
    wrong = [n for n, p in found.items() if n in _OWN and p.is_dir() != (n in _OWN_FOLDERS)]
    if wrong:
        raise _refused(f"{directory}, where {wrong[0]} is not what timegrain writes")


def _is_ours(path: Path) -> bool:
    """Whether a file begins as the JSON of a result or of a part of one does."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _HEAD.match(file.read(200)) is not None


def _holds_snapshots(directory: Path) -> bool:
    """Whether a training is unfinished here, killed perhaps while it wrote its results."""
    for path in directory.glob("snapshots/*/snapshot-*.state"):
        with path.open("rb") as file:
            if file.read(len(_SNAPSHOT)) == _SNAPSHOT:
                return True
    return False


def _refused(got: str) -> ResultError:
    return ResultError(
        "cannot write the output directory",
        got=got,
        expected="a new or empty directory, or one that timegrain wrote",
        hint="--output with another directory",
    )


def read_output(directory: str | Path) -> Output:
    """Return the results stored in a directory by `write_output`.

    Raises:
        ResultError: If there is no `result.json` or a file cannot be read.
    """
    directory = Path(directory)
    main = directory / "result.json"
    if not main.is_file():
        raise ResultError(
            "no result in the directory",
            got=str(directory),
            expected="a directory holding result.json",
            hint="timegrain demo, or another command with --output, to make one",
        )
    files = sorted(f for f in (directory / "parts").glob("*.json") if f.is_file())
    result = _read(main)
    return Output(result=result, parts={f.stem: _read(f) for f in files})


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that a reader sees the old content or the new one, never a part.

    Its content is on the disk when this returns.

    Args:
        path: The file; its directory exists.
        content: All of it.
    """
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(temporary, 0o644)  # noqa: PTH101 (mkstemp's own mode is private)
        Path(temporary).replace(path)
        _sync(path.parent)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _sync(directory: Path) -> None:
    """Force the names in a directory to the disk, where the system and the file system can."""
    if os.name != "posix":
        return
    with contextlib.suppress(OSError):  # the content is on the disk already
        handle = os.open(directory, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def slug(name: str) -> str:
    """Return `name` with everything but letters, digits, `.`, `_` and `-` made `-`, 80 at most.

    Example:
        >>> slug("s4d on OSULeaf/1")
        's4d-on-OSULeaf-1'
    """
    plain = "".join(c if c.isalnum() or c in "._-" else "-" for c in name)
    return plain.strip(".")[:80] or "result"


def _write_rows(path: Path, result: Result) -> None:
    import io

    import pyarrow.parquet

    buffer = io.BytesIO()
    pyarrow.parquet.write_table(result.to_arrow(), buffer)
    write_atomically(path, buffer.getvalue())


def _read(path: Path) -> Result:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultError(f"cannot read {path.name}", got=str(error)) from error
    return read_result(text, origin=path.name)
