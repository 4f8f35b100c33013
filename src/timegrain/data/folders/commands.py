"""Speech Commands v0.02: a spoken word a clip, parts by published lists."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.folders.inside import count_note, needed
from timegrain.data.folders.pcm import read_pcm
from timegrain.data.memory import check_fits
from timegrain.data.readers.place import Place, printable, shorten
from timegrain.data.readers.text import read_text

HZ = 16_000
LISTS = {"validation": "validation_list.txt", "test": "testing_list.txt"}
COMMANDS = ("yes", "no", "up", "down", "left", "right", "on", "off", "stop", "go")
PUBLISHED = {"train": 84_843, "validation": 9_981, "test": 11_005}
# a second
LONGEST = HZ
# fmt: off
_ALL = (
    *COMMANDS, "backward", "bed", "bird", "cat", "dog", "eight", "five", "follow",
    "forward", "four", "happy", "house", "learn", "marvin", "nine", "one", "seven",
    "sheila", "six", "three", "tree", "two", "visual", "wow", "zero",
)
# fmt: on
_CLIP = re.compile(r"([0-9a-f]+)_nohash_[0-9]+\.wav")
SOURCE = (
    "P. Warden, Speech Commands: a dataset for limited-vocabulary speech recognition, "
    "arXiv 1804.03209 (2018); version 0.02"
)


def read_commands(folder: Path) -> Dataset:
    """Return all words at 16 kHz; a clip is as long as it is, a second at most.

    Args:
        folder: With a folder a word, `validation_list.txt` and `testing_list.txt`; clips in
            neither list train.

    Raises:
        DataError: If a list is missing or names what is not there or twice, a folder is no word
            of the set, or a clip is damaged or longer than a second.
    """
    data, got = _read(folder, None)
    return _with_notes(data, count_note(got, PUBLISHED))


def read_ten_commands(folder: Path) -> Dataset:
    """Return the ten words that command: yes, no, up, down, left, right, on, off, stop, go.

    Args:
        folder: As for `read_commands`.

    Raises:
        DataError: As `read_commands` does, or if a word is missing.
    """
    return _read(folder, COMMANDS)[0]


def _with_notes(data: Dataset, notes: tuple[str, ...]) -> Dataset:
    return replace(data, notes=(*notes, *data.notes))


def _read(folder: Path, wanted: Sequence[str] | None) -> tuple[Dataset, dict[str, int]]:
    lists = needed(folder, list(LISTS.values()), "Speech Commands v0.02")
    words = tuple(wanted or _words(folder))
    needed(folder, words, "Speech Commands v0.02, a folder a word")
    clips = {f"{word}/{clip}": clip for word in words for clip in _clips(folder / word)}
    part_of = _parts(folder, clips, dict(zip(LISTS, lists, strict=True)), words)
    parts = ("train", *LISTS)
    ordered = sorted(clips, key=lambda clip: (parts.index(part_of.get(clip, "train")), clip))
    got = {part: sum(part_of.get(clip, "train") == part for clip in clips) for part in parts}
    if not got["train"] or not got["test"]:
        raise DataError(
            f"{printable(str(folder))} has clips on one side only",
            got=", ".join(f"{count:,} to {part}" for part, count in got.items()),
            hint="unpacking the archive again",
        )
    sizes = sum((folder / clip).stat().st_size for clip in ordered)
    # 4 bytes for each 2
    check_fits(2 * sizes, f"{len(ordered):,} clips")
    speakers = [clips[clip].partition("_")[0] for clip in ordered]
    data = Dataset(
        name="speech-commands-10" if wanted else "speech-commands",
        sequences=tuple(_sound(folder, clip) for clip in ordered),
        labels=np.array([words.index(clip.partition("/")[0]) for clip in ordered], dtype=np.int64),
        class_names=tuple(printable(word) for word in words),
        n_train=got["train"],
        n_validation=got["validation"],
        channel_names=("sound",),
        dt=1 / HZ,
        unit="s",
        ids=tuple(ordered),
        groups=np.unique(speakers, return_inverse=True)[1].astype(np.int64),
        source=SOURCE,
        notes=_shared(speakers, [part_of.get(clip, "train") for clip in ordered]),
    )
    return data, got


def _words(folder: Path) -> list[str]:
    # _background_noise_ holds no words
    names = (p.name for p in folder.iterdir() if p.is_dir() and p.name[0] not in "._")
    words = sorted(names)
    if not words:
        raise DataError(f"{printable(str(folder))} has no folder of a word")
    strange = [printable(word) for word in words if word not in _ALL]
    if strange:
        raise DataError(
            f"{printable(str(folder))} has folders that are no words of Speech Commands v0.02",
            got=", ".join(strange[:5]) + (", ..." if len(strange) > 5 else ""),
            expected=f"some of its {len(_ALL)} words: {', '.join(sorted(_ALL))}",
            hint="another place for them",
        )
    return words


def _clips(folder: Path) -> list[str]:
    clips = sorted(p.name for p in folder.iterdir() if not p.name.startswith("."))
    for clip in clips:
        if _CLIP.fullmatch(clip) is None:
            raise DataError(
                f"{printable(folder.name)} holds a file that is no clip",
                got=printable(clip),
                expected="SPEAKER_nohash_NUMBER.wav, such as 3cfc6b3a_nohash_2.wav",
                hint="another place for it",
            )
    if not clips:
        raise DataError(f"{printable(folder.name)} holds no clip")
    return clips


def _parts(
    folder: Path, clips: dict[str, str], lists: dict[str, Path], words: Sequence[str]
) -> dict[str, str]:
    """Return the part of each listed clip."""
    part_of: dict[str, str] = {}
    for part, path in lists.items():
        for number, raw in enumerate(read_text(path).decode().split("\n"), start=1):
            clip = raw.strip()
            place = Place(path.name, number)
            word = clip.partition("/")[0]
            # lists name clips of all words, of which some may not be asked for
            unasked = word in _ALL and word not in words
            if not clip or (unasked and ".." not in clip and (folder / clip).is_file()):
                continue
            if clip not in clips:
                raise place.error(
                    "a clip that is not there",
                    got=shorten(clip),
                    expected="WORD/CLIP.wav",
                    hint="unpacking the archive again",
                )
            if clip in part_of:
                again = "in both lists" if part_of[clip] != part else "twice"
                raise place.error(
                    f"a clip that is listed {again}",
                    got=shorten(clip),
                    expected="each clip in one list at most, once",
                    hint="unpacking the archive again",
                )
            part_of[clip] = part
    return part_of


def _sound(folder: Path, clip: str) -> np.ndarray:
    word, _, name = clip.partition("/")
    try:
        sound = read_pcm(folder / clip, hz=HZ)
    except DataError as error:
        raise error.within(printable(word)) from error
    if len(sound) > LONGEST:
        raise DataError(
            f"{printable(word)}: {printable(name)} is longer than published",
            got=f"{len(sound):,} samples",
            expected=f"{LONGEST:,} at most, a second",
            hint="the clip as it is in the archive",
        )
    return sound


def _shared(speakers: list[str], parts: list[str]) -> tuple[str, ...]:
    of: dict[str, set[str]] = {}
    for speaker, part in zip(speakers, parts, strict=True):
        of.setdefault(speaker, set()).add(part)
    both = sum(len(found) > 1 for found in of.values())
    return (f"{both:,} of {len(of):,} speakers speak in more than one part",) if both else ()
