"""Parts of a measurement in directories."""

from pathlib import Path

from timegrain.continuity.stream.files import StreamPart
from timegrain.core.errors import ResultError
from timegrain.core.output import STREAM, check_writable, write_atomically


def write_part(directory: str | Path, part: StreamPart) -> Path:
    """Write a part into a directory and return the file.

    Raises:
        ResultError: If it cannot be written, or holds something else.
    """
    directory = Path(directory)
    check_writable(directory)
    try:
        directory.mkdir(parents=True, exist_ok=True)
        write_atomically(directory / STREAM, part.to_json().encode())
    except OSError as error:
        raise ResultError(
            "cannot write the part", got=f"{directory} ({error.strerror})", hint="another --output"
        ) from error
    return directory / STREAM


def read_part(directory: str | Path) -> StreamPart:
    """Return the part that `write_part` wrote.

    Raises:
        ResultError: If there is none, or it cannot be read.
    """
    path = Path(directory)
    path = path / STREAM if path.is_dir() else path
    if not path.is_file():
        raise ResultError(
            f"there is no part in {directory}",
            expected=f"a directory with {STREAM}, as timegrain data --shard writes it",
        )
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ResultError(f"cannot read {path.name}", got=str(error)[:80]) from error
    return StreamPart.from_json(text, origin=str(path))
