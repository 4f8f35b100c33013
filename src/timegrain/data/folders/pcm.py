"""One channel of 16-bit sound in a `.wav` file, read without another package."""

import wave
from pathlib import Path

import numpy as np
from jaxtyping import Float32

from timegrain.core.errors import DataError
from timegrain.data.readers.place import printable
from timegrain.data.readers.riff import check_complete

FULL_SCALE = 1 << 15


def read_pcm(path: Path, *, hz: int) -> Float32[np.ndarray, "time 1"]:
    """Return the samples of a clip as fractions of full scale, -1 to 1, exactly.

    Args:
        path: Of the `.wav` file.
        hz: The rate it must have.

    Raises:
        DataError: If it is no `.wav` file, cut short, without sound, or of another rate, width or
            number of channels.
    """
    check_complete(path)
    try:
        with wave.open(str(path), "rb") as file:
            _check_form(file, path, hz)
            raw = file.readframes(file.getnframes())
    except (wave.Error, EOFError) as error:
        raise DataError(
            f"{printable(path.name)} holds no sound that can be read",
            got=printable(str(error)) or "an early end",
            expected="16-bit PCM",
        ) from error
    # whole numbers of 16 bits and powers of two: float32 holds the quotients exactly
    values = np.frombuffer(raw, dtype="<i2").astype(np.float32) / FULL_SCALE
    if len(values) < 2:
        raise DataError(f"{printable(path.name)} holds no sound", got=f"{len(values)} samples")
    return values[:, None]


def _check_form(file: wave.Wave_read, path: Path, hz: int) -> None:
    found = (file.getnchannels(), 8 * file.getsampwidth(), file.getframerate())
    if found != (1, 16, hz):
        raise DataError(
            f"{printable(path.name)} is other sound than the rest",
            got=f"{found[0]} channel(s) of {found[1]} bits at {found[2]:,} Hz",
            expected=f"1 channel of 16 bits at {hz:,} Hz",
            hint="the clip as it is in the archive",
        )
