"""Spoken digits, synthesised by espeak-ng when it is on the machine."""

import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from jaxtyping import Float32

from timegrain.core.errors import DataError, MissingPackageError
from timegrain.data.card import DatasetCard
from timegrain.data.dataset import Dataset
from timegrain.data.folders.pcm import read_pcm
from timegrain.data.readers.place import printable

PROGRAM = "espeak-ng"
HZ = 22_050
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
# an accent and a voice, nobody in two parts; "en" is British: "en-gb" ignores the voice
SPEAKERS = {
    "train": (
        "en-us+m1",
        "en-us+m3",
        "en-us+f1",
        "en-us+f2",
        "en+m2",
        "en+m4",
        "en+f3",
        "en-gb-scotland+m5",
        "en-gb-scotland+f4",
    ),
    "validation": ("en-gb-x-rp+m6", "en-us+f5"),
    "test": ("en+m7", "en-us+m8", "en-gb-x-rp+f2"),
}
WORDS_A_MINUTE = (130, 160, 190)
_SECONDS = 30


def read_spoken_digits() -> Dataset:
    """Return ten words in the voices of 14 speakers at three speeds, trailing silence left out.

    Raises:
        MissingPackageError: If espeak-ng is not on the machine.
        DataError: If it fails, or lacks a voice.
    """
    program = _program()
    cases = [
        (part, speaker, speed, word)
        for part, speakers in SPEAKERS.items()
        for speaker in speakers
        for speed in WORDS_A_MINUTE
        for word in WORDS
    ]
    with tempfile.TemporaryDirectory() as folder:
        clip = Path(folder) / "clip.wav"
        sounds = tuple(_spoken(program, clip, *case[1:]) for case in cases)
    ids = tuple(f"{speaker}/{speed}/{word}" for _, speaker, speed, word in cases)
    _check_different(sounds, ids)
    speakers = [case[1] for case in cases]
    return Dataset(
        name="spoken-digits",
        sequences=sounds,
        labels=np.array([WORDS.index(case[3]) for case in cases], dtype=np.int64),
        class_names=WORDS,
        n_train=sum(case[0] == "train" for case in cases),
        n_validation=sum(case[0] == "validation" for case in cases),
        channel_names=("sound",),
        ids=ids,
        groups=np.unique(speakers, return_inverse=True)[1].astype(np.int64),
        notes=(f"synthesised by {_version(program)}; another version may sound otherwise",),
    )


def _program() -> str:
    found = shutil.which(PROGRAM)
    if found is None:
        raise MissingPackageError(
            f"this dataset is spoken by the program {PROGRAM}, which is not on this machine",
            hint=f"apt-get install {PROGRAM}, brew install {PROGRAM}, or its installer",
        )
    return found


def _spoken(
    program: str, clip: Path, speaker: str, speed: int, word: str
) -> Float32[np.ndarray, "time 1"]:
    clip.unlink(missing_ok=True)
    _run([program, "-v", speaker, "-s", str(speed), "-w", str(clip), word], clip)
    samples = read_pcm(clip, hz=HZ)
    heard = np.flatnonzero(samples[:, 0])
    if len(heard) < 2:
        raise DataError(f"{PROGRAM} was silent", got=f"{word!r} in the voice {speaker}")
    return samples[: heard[-1] + 1]


def _check_different(sounds: tuple[np.ndarray, ...], ids: tuple[str, ...]) -> None:
    """Check that no two cases are one: a voice it does not have it replaces, and says nothing."""
    heard: dict[bytes, str] = {}
    for sound, name in zip(sounds, ids, strict=True):
        first = heard.setdefault(sound.tobytes(), name)
        if first != name:
            raise DataError(
                f"{PROGRAM} speaks two cases alike",
                got=f"{first} and {name}",
                hint="a version that has both voices",
            )


def _run(command: list[str], clip: Path) -> None:
    try:
        done = subprocess.run(
            command, capture_output=True, stdin=subprocess.DEVNULL, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise DataError(f"{PROGRAM} did not end", got=f"more than {_SECONDS} s") from error
    if done.returncode or not clip.is_file():
        said = (done.stderr or done.stdout).decode(errors="replace").strip().splitlines()
        raise DataError(
            f"{PROGRAM} failed",
            got=printable(said[-1]) if said else f"exit status {done.returncode}",
            hint=f"a version with the voice {command[2]}",
        )


def _version(program: str) -> str:
    done = subprocess.run(
        [program, "--version"], capture_output=True, timeout=_SECONDS, check=False
    )
    words = done.stdout.decode(errors="replace").split("Data at:")[0].split()
    return printable(" ".join(words)) if words else PROGRAM


SPOKEN_DIGITS = DatasetCard(
    name="spoken-digits",
    read=read_spoken_digits,
    source="espeak-ng (github.com/espeak-ng/espeak-ng), a formant synthesiser; words zero to nine",
    program=PROGRAM,
    values="sound pressure as a fraction of full scale",
    label="word, 10 classes",
    dt=1 / HZ,
    unit="s",
    split="published",
)
