"""How much sound a `.wav` file promises and holds; libsndfile reads short ones silently."""

from pathlib import Path
from typing import BinaryIO

from timegrain.core.errors import DataError
from timegrain.data.readers.place import printable

_MOST_CHUNKS = 1000
# written by programs that could not go back to fill in the size, such as the end of a pipe
_UNKNOWN = (0, 0xFFFFFFFF, 0x7FFFFFFF, 0x7FFFFFFF - 36, 0xFFFFFFFF - 36)


def check_complete(path: Path) -> None:
    """Raise unless a file is a `.wav` file with all the sound that its header promises.

    Args:
        path: Of the file.

    Raises:
        DataError: If it is something else, has no sound in it, or is cut short.
    """
    with path.open("rb") as file:
        head = file.read(12)
        if head[:4] not in (b"RIFF", b"RIFX", b"RF64") or head[8:12] != b"WAVE":
            raise DataError(
                f"{path.name} is no .wav file",
                got=f"a file that starts with {printable(repr(head[:12])[1:])}",
                expected="RIFF....WAVE",
            )
        promised, at = _find_sound(file, path.name, big=head[:4] == b"RIFX")
    held = path.stat().st_size - at
    if promised not in _UNKNOWN and promised > held:
        raise DataError(
            f"{path.name} is truncated",
            got=f"{held:,} bytes of sound",
            expected=f"{promised:,}, as its header says",
            hint="copying it again",
        )


def _find_sound(file: BinaryIO, name: str, *, big: bool) -> tuple[int, int]:
    order = "big" if big else "little"
    long_size = None
    for _ in range(_MOST_CHUNKS):
        head = file.read(8)
        if len(head) < 8:
            break
        size = int.from_bytes(head[4:], order)  # type: ignore[arg-type]
        if head[:4] == b"data":
            return (size if long_size is None else long_size), file.tell()
        start = file.tell()
        if head[:4] == b"ds64":  # sizes beyond 4 GB, of the whole file and of the sound
            long_size = int.from_bytes(file.read(16)[8:], "little")
        file.seek(start + size + size % 2)
    raise DataError(f"{name} holds no sound", got="no 'data' part", hint="copying it again")
