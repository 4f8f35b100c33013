"""The Large Movie Review Dataset (IMDB), a review as the bytes of its file."""

import re
from pathlib import Path

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.folders.inside import count_note, needed
from timegrain.data.folders.letters import BYTES, as_bytes
from timegrain.data.memory import check_fits
from timegrain.data.readers.place import printable

LONGEST = 4096
PARTS = ("train", "test")
CLASSES = ("neg", "pos")
# a negative review has 4 stars of 10 or less, a positive one 7 or more
_STARS = {"neg": range(1, 5), "pos": range(7, 11)}
_FILE = re.compile(r"([0-9]+)_([0-9]+)\.txt")
SOURCE = (
    "A. L. Maas et al., Learning word vectors for sentiment analysis, ACL (2011) 142-150; "
    "its Large Movie Review Dataset"
)


def read_reviews(folder: Path) -> Dataset:
    """Return each review as its first 4,096 bytes, and whether it is positive.

    Args:
        folder: `aclImdb`, with `train/neg`, `train/pos`, `test/neg` and `test/pos`, and in them
            files `ID_STARS.txt`.

    Raises:
        DataError: If a folder is missing, or holds something else, an ID twice, or an empty review.
    """
    names = [f"{part}/{kind}" for part in PARTS for kind in CLASSES]
    folders = needed(folder, names, "aclImdb, the Large Movie Review Dataset")
    found = [(inside, path) for inside in folders for path in _reviews(inside)]
    check_fits(LONGEST * len(found), f"{len(found):,} reviews")
    texts = [_text(path) for _, path in found]
    long = sum(len(text) > LONGEST for text in texts)
    cut = (f"{long:,} of {len(texts):,} reviews were cut to their first {LONGEST:,} bytes",)
    sizes = {part: sum(inside.parent.name == part for inside, _ in found) for part in PARTS}
    return Dataset(
        name="imdb",
        sequences=tuple(as_bytes(text, LONGEST) for text in texts),
        labels=np.array([CLASSES.index(inside.name) for inside, _ in found], dtype=np.int64),
        class_names=("negative", "positive"),
        n_train=sizes["train"],
        vocabulary=BYTES,
        unit="byte",
        kind="tokens",
        ids=tuple(f"{inside.parent.name}/{inside.name}/{path.stem}" for inside, path in found),
        source=SOURCE,
        notes=(*count_note(sizes, dict.fromkeys(PARTS, 25_000)), *(cut if long else ())),
    )


def _reviews(folder: Path) -> list[Path]:
    """Return the files of a class of a part, by their IDs."""
    where = f"{folder.parent.name}/{folder.name}"
    found: dict[int, Path] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        match = _FILE.fullmatch(path.name)
        if match is None:
            raise DataError(
                f"{where} holds a file that is no review",
                got=printable(path.name),
                expected="ID_STARS.txt, such as 200_8.txt",
                hint="another place for it, or unpacking the archive into an empty folder",
            )
        key, stars = int(match[1]), int(match[2])
        if stars not in _STARS[folder.name]:
            low, high = _STARS[folder.name][0], _STARS[folder.name][-1]
            raise DataError(
                f"{where} holds a review with other stars",
                got=path.name,
                expected=f"{low} to {high} stars behind the _",
                hint="unpacking the archive into an empty folder",
            )
        if key in found:
            raise DataError(
                f"{where} holds the ID {key} twice",
                got=f"{found[key].name} and {path.name}",
                hint="unpacking the archive into an empty folder",
            )
        found[key] = path
    if not found:
        raise DataError(f"{where} holds no review", expected="files ID_STARS.txt")
    return [found[key] for key in sorted(found)]


def _text(path: Path) -> bytes:
    text = path.read_bytes()
    if len(text) < 2:
        raise DataError(
            f"{path.parent.parent.name}/{path.parent.name}/{path.name} holds no review",
            got=f"{len(text)} bytes",
            hint="unpacking the archive again",
        )
    return text
