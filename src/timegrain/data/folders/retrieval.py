"""Document retrieval of Long Range Arena: whether a citation links two papers."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from jaxtyping import UInt16

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.folders.inside import count_note, needed
from timegrain.data.folders.letters import BYTES, as_bytes
from timegrain.data.memory import check_fits
from timegrain.data.readers.place import Place, shorten

LONGEST = 4000
SEPARATOR = len(BYTES)
PARTS = ("train", "eval", "test")
PUBLISHED = {"train": 147_086, "eval": 18_090, "test": 17_437}
_COLUMNS = ("label", "first id", "second id", "first text", "second text")
_LABELS = {b"0": 0, b"0.0": 0, b"1": 1, b"1.0": 1}
SOURCE = (
    "D. R. Radev et al., The ACL anthology network corpus, Language Resources and Evaluation 47 "
    "(2013) 919-944; pairs of Y. Tay et al., Long Range Arena, ICLR (2021)"
)


@dataclass(kw_only=True)
class _Pairs:
    """What was read so far.

    Args:
        sequences: One a pair.
        labels: One a pair.
        ids: One a pair.
        met: The part in which two papers were met first, and their label there.
        within: Pairs met again in the same part.
        across: Pairs met again in another part.
        unlike: Pairs met again with the other label.
    """

    sequences: list[np.ndarray] = field(default_factory=list)
    labels: list[int] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    met: dict[tuple[bytes, bytes], tuple[str, int]] = field(default_factory=dict)
    within: set[tuple[bytes, bytes]] = field(default_factory=set)
    across: set[tuple[bytes, bytes]] = field(default_factory=set)
    unlike: set[tuple[bytes, bytes]] = field(default_factory=set)


def read_retrieval(folder: Path) -> Dataset:
    """Return each pair of papers as the bytes of one, a separator, and the bytes of the other.

    A text is taken as it stands in its cell, as Long Range Arena does, and its first 4,000 bytes.

    Args:
        folder: `tsv_data` of Long Range Arena, with `new_aan_pairs.train.tsv`, `.eval.tsv` and
            `.test.tsv`: a label, two ids and two texts a line, parted by tabs, without a header.

    Raises:
        DataError: If a file is missing, or a line has other columns.
    """
    files = needed(
        folder, [f"new_aan_pairs.{part}.tsv" for part in PARTS], "the retrieval task of LRA"
    )
    # two bytes a token, and no line gives more of them than it has bytes
    check_fits(2 * sum(file.stat().st_size for file in files), "all pairs of papers")
    pairs, sizes = _Pairs(), {}
    for part, file in zip(PARTS, files, strict=True):
        before = len(pairs.labels)
        for cells, place in _lines(file):
            _add(pairs, cells, part, place)
        sizes[part] = len(pairs.labels) - before
        if not sizes[part]:
            raise DataError(f"{file.name} holds no pair", hint="unpacking the archive again")
    return Dataset(
        name="aan",
        sequences=tuple(pairs.sequences),
        labels=np.array(pairs.labels, dtype=np.int64),
        class_names=("no link", "link"),
        n_train=sizes["train"],
        n_validation=sizes["eval"],
        vocabulary=(*BYTES, "<and>"),
        unit="byte",
        kind="tokens",
        ids=tuple(pairs.ids),
        source=SOURCE,
        notes=(*count_note(sizes, PUBLISHED), *_notes(pairs)),
    )


def _lines(file: Path) -> Iterator[tuple[list[bytes], Place]]:
    with file.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            if line.strip():
                yield line.rstrip(b"\r\n").split(b"\t"), Place(file.name, number)


def _add(pairs: _Pairs, cells: list[bytes], part: str, place: Place) -> None:
    if len(cells) != len(_COLUMNS):
        raise place.error(
            "other columns than published",
            got=f"{len(cells)} cells",
            expected=f"{len(_COLUMNS)}, parted by tabs: {', '.join(_COLUMNS)}",
            hint="a complete file",
        )
    label, first, second, *texts = cells
    if label not in _LABELS:
        raise place.error(
            "the first column is no label",
            got=shorten(label.decode(errors="replace")),
            expected="0.0 or 1.0",
            hint="a complete file, its columns as published and no header",
        )
    if not any(texts):
        raise place.error("both texts are empty", expected="a text or two", hint="a complete file")
    key = (first, second) if first < second else (second, first)
    if key in pairs.met:
        before, said = pairs.met[key]
        (pairs.within if before == part else pairs.across).add(key)
        if said != _LABELS[label]:
            pairs.unlike.add(key)
    else:
        pairs.met[key] = (part, _LABELS[label])
    pairs.sequences.append(_joined(*texts))
    pairs.labels.append(_LABELS[label])
    pairs.ids.append(f"{part}/{place.line}")


def _joined(first: bytes, second: bytes) -> UInt16[np.ndarray, " time"]:
    parts = [as_bytes(text, LONGEST).astype(np.uint16) for text in (first, second)]
    return np.concatenate([parts[0], np.array([SEPARATOR], dtype=np.uint16), parts[1]])


def _notes(pairs: _Pairs) -> tuple[str, ...]:
    notes = [
        "the two papers are one sequence, a separator between them, where Long Range Arena gives "
        "a network each by itself"
    ]
    for keys, where in (
        (pairs.within, "in a part more than once"),
        (pairs.across, "in more than one part"),
        (pairs.unlike, "once with a link and once without"),
    ):
        if keys:
            notes.append(f"pairs of papers that stand {where}: {len(keys):,}")
    return tuple(notes)
