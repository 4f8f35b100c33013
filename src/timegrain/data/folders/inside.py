"""What must be in a folder."""

import difflib
from collections.abc import Sequence
from pathlib import Path

from timegrain.core.errors import DataError
from timegrain.data.readers.place import printable


def check_folder(folder: Path, what: str) -> None:
    """Check that there is a folder.

    Args:
        folder: Where it should be.
        what: Is expected there, for the error.

    Raises:
        DataError: If there is nothing, or a file.
    """
    if folder.is_dir():
        return
    raise DataError(
        f"{printable(str(folder))} is a file, not a folder"
        if folder.exists()
        else f"there is no folder {printable(str(folder))!r}",
        expected=what,
    )


def needed(folder: Path, names: Sequence[str], what: str) -> list[Path]:
    """Return the files or folders of some names in a folder.

    Args:
        folder: Where they should be.
        names: Of all that must be there, relative to it.
        what: They are part of, for the error.

    Raises:
        DataError: Naming those that are missing.
    """
    check_folder(folder, what)
    lost = [name for name in names if not (folder / name).exists()]
    if not lost:
        return [folder / name for name in names]
    there = [p.name for p in folder.iterdir()]
    near = difflib.get_close_matches(Path(lost[0]).name, there, n=1)
    raise DataError(
        f"{printable(str(folder))} lacks {', '.join(lost)}",
        got=f"{printable(near[0])} beside it" if near else None,
        expected=f"{what}: {', '.join(names)}",
        hint="unpacking the archive again, or the folder they are in",
    )


def count_note(got: dict[str, int], published: dict[str, int]) -> tuple[str, ...]:
    """Return the note that a folder holds another number of cases than are published, if it does.

    Args:
        got: Cases by part.
        published: Cases by part.

    Example:
        >>> count_note({"train": 2, "test": 9}, {"train": 50_000, "test": 9})
        ('not the published set: 2 to train (50,000 published)',)
    """
    words = [
        f"{got[part]:,} to {part} ({size:,} published)"
        for part, size in published.items()
        if got[part] != size
    ]
    return (f"not the published set: {', '.join(words)}",) if words else ()
