"""Sound: `.wav`, `.flac` and `.ogg`, read with soundfile."""

from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError
from timegrain.data.common_rate import at_rate
from timegrain.data.dataset import Dataset
from timegrain.data.memory import check_fits
from timegrain.data.readers.extra import need
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable
from timegrain.data.readers.riff import check_complete

_FORMATS = {
    ".wav": ("WAV", "WAVEX", "RF64"),
    ".flac": ("FLAC",),
    ".ogg": ("OGG",),
}
# bits of a sample, by libsndfile's name of the coding; values are read as value / 2^(bits - 1)
_PCM = {"PCM_S8": 8, "PCM_U8": 8, "PCM_16": 16, "PCM_24": 24, "PCM_32": 32}
_LOSSY = ("VORBIS", "OPUS")
_BLOCK = 1 << 16
_UNKNOWN = 2**63 - 1  # libsndfile's length of a stream whose header names none


def read_audio(path: Path, options: FileOptions) -> Dataset:
    """Return the one recording in a sound file, at the rate the file names, in seconds.

    Whole numbers become fractions of full scale, -1 to 1, and a note names their width; floats are
    kept as they are.

    Args:
        path: Of the file.
        options: `kind` and `common_hz` have a use.

    Raises:
        DataError: If it is no sound file, damaged, truncated or too large for the memory.
        MissingPackageError: If soundfile is not installed.
    """
    options.only(f"{path.name}, a sound file", "kind", "common_hz")
    sound = need("soundfile", "audio", "sound files")
    if path.suffix.lower() == ".wav":
        check_complete(path)
    try:
        with sound.SoundFile(path) as file:
            _check_format(path, file.format)
            values = _samples(path, file)
            hz, note = file.samplerate, _coding(file.subtype, file.subtype_info)
    except sound.SoundFileError as error:
        raise _damaged(path, str(error)) from error
    if hz < 1:
        raise _damaged(path, f"a rate of {hz} Hz")
    data = Dataset(
        name=printable(path.stem),
        sequences=(values,),
        dt=1 / hz,
        unit="s",
        source=f"{printable(path.name)}, {values.shape[1]} channel(s) at {hz} Hz",
        notes=(note,),
    )
    return data if options.common_hz is None else at_rate((data,), options.common_hz)


def _samples(path: Path, file: Any) -> Float64[np.ndarray, "time channel"]:
    """Read block by block: a header's length is allocated only as far as there are samples."""
    promised, width = int(file.frames), int(file.channels)
    if promised == _UNKNOWN:
        raise DataError(
            f"{path.name} does not say how long it is, as after a pipe",
            hint="writing it to a file again, for example flac -d and flac, or as .wav",
        )
    check_fits(8 * promised * width, f"{path.name} ({promised:,} samples of {width} channels)")
    blocks, held = [], 0
    while True:
        block = file.read(frames=_BLOCK, dtype="float64", always_2d=True)
        held += len(block)
        check_fits(8 * held * width, path.name)
        if not len(block):
            break
        blocks.append(block)
    if held < promised:
        raise DataError(
            f"{path.name} is truncated",
            got=f"{held:,} samples",
            expected=f"{promised:,}, as its header says",
            hint="copying it again",
        )
    if held < 2:
        raise DataError(f"{path.name} holds no sound", got=f"{held} samples")
    return np.concatenate(blocks)


def _coding(subtype: str, words: str) -> str:
    if subtype in _PCM:
        step = 2.0 ** (1 - _PCM[subtype])
        return f"{words}, read as fractions of full scale, -1 to 1; one step is {step:.3g}"
    lost = "; this coding drops what ears do not hear, so D is that of the coding too"
    return f"{words}, read as it is{lost * (subtype in _LOSSY)}"


def _check_format(path: Path, found: str) -> None:
    expected = _FORMATS[path.suffix.lower()]
    if found not in expected:
        raise DataError(
            f"{path.name} is not what its name says",
            got=f"a file of format {found}",
            expected=expected[0],
            hint="renaming it, or converting it to .wav",
        )


def _damaged(path: Path, got: str) -> DataError:
    return DataError(
        f"{path.name} holds no sound that can be read, or is damaged",
        got=printable(got.splitlines()[0] if got else "nothing"),
        expected=f"a {path.suffix.lower()} file",
        hint="copying it again, or converting it to .wav",
    )
