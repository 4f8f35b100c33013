"""Many files, or one that is too large, measured by an accumulator; a part of them, or all."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from timegrain.continuity.stream.accumulator import ContinuityAccumulator
from timegrain.continuity.stream.blocks import Recordings, fits_blocks, in_blocks
from timegrain.continuity.task.result import TaskContinuity
from timegrain.core.codec import decode, encode
from timegrain.core.errors import ConfigError, DataError, ResultError, TimegrainError
from timegrain.core.output import STREAM
from timegrain.data.audit.result import TimestampAudit
from timegrain.data.dataset import Dataset
from timegrain.data.duration import to_samples
from timegrain.data.load import load_dataset
from timegrain.data.many import expand, part
from timegrain.data.readers.place import printable
from timegrain.data.step import with_step

_PER_FILE = (
    1 << 24
)  # recordings a file; a recording's number is its file's times this, plus its own
_STEP = 1e-3
_SHOWN = 3


@dataclass(frozen=True, kw_only=True)
class FileNote:
    """What is known of one file.

    Args:
        index: Its place among all files.
        name: Its name, without folders.
        recordings: How many recordings were taken from it.
        notes: How it was read.
        audits: Of its timestamps.
    """

    index: int
    name: str
    recordings: int
    notes: tuple[str, ...]
    audits: tuple[TimestampAudit, ...]


@dataclass(frozen=True, kw_only=True)
class StreamPart:
    """What one machine has read of many files.

    Args:
        shard: Which part, of how many.
        files: Names of all files, not only those of this part.
        read: What this part read.
        stream: Its sums.
    """

    shard: tuple[int, int]
    files: tuple[str, ...]
    read: tuple[FileNote, ...]
    stream: ContinuityAccumulator = field(compare=False)

    def describe(self) -> str:
        """Return what was read, in one line."""
        found = sum(note.recordings for note in self.read)
        text = f"part {self.shard[0]}/{self.shard[1]}: "
        text += f"{_count(found, 'recording')} from {len(self.read):,} of "
        text += _count(len(self.files), "file")
        if found:
            return text
        return (
            f"{text}; there is nothing to do for this part, since one file is shared out by "
            "recording and this one has fewer than there are parts (merge takes it with the others)"
        )

    def to_json(self) -> str:
        """Return the part as JSON text, exact to the last bit."""
        head = {
            "schema": "timegrain-part",
            "schema_version": 1,
            "shard": list(self.shard),
            "files": list(self.files),
            "read": encode(self.read),
        }
        return json.dumps({**head, "stream": json.loads(self.stream.to_json())})

    @classmethod
    def from_json(cls, text: str, *, origin: str = "part") -> "StreamPart":
        """Return the part that `to_json` wrote.

        Args:
            text: Its text.
            origin: Where it is from, for errors.

        Raises:
            ResultError: If it is no part.
        """
        try:
            data = json.loads(text)
            if data["schema"] != "timegrain-part" or data["schema_version"] != 1:
                raise KeyError("schema")
            i, n = (int(v) for v in data["shard"])
            stream = ContinuityAccumulator.from_json(json.dumps(data["stream"]))
            files = decode(tuple[str, ...], data["files"], at="files")
            read = decode(tuple[FileNote, ...], data["read"], at="read")
        except TimegrainError as error:
            raise error.within(origin) from error
        except (KeyError, TypeError, ValueError, RecursionError) as error:
            raise ResultError(
                f"{origin} is no part of a measurement",
                expected=f"{STREAM} as timegrain data --shard wrote it",
            ) from error
        return cls(shard=(i, n), files=files, read=read, stream=stream)


def stream_files(
    name: str,
    words: dict[str, Any],
    *,
    strides: Sequence[int],
    window: str | int | None = None,
    detrend: Literal["linear"] | None = None,
    tol: float = 0.05,
    seed: int = 0,
    shard: tuple[int, int] = (1, 1),
) -> StreamPart:
    """Return the sums of the files a name stands for, or of a part of them.

    A unit is a recording. Several files are shared out by file, one file by recording.

    Args:
        name: A path or a pattern.
        words: Keyword arguments of `load_dataset`.
        strides: As in `task_continuity`.
        window: Samples a piece, or a time such as `"2s"`.
        detrend: As in `task_continuity`.
        tol: As in `task_continuity`.
        seed: As in `task_continuity`.
        shard: Part `i` of `n`.

    Raises:
        ConfigError: If there are fewer units than parts.
        DataError: If a file differs from the first in its channels, its kind or its step.
    """
    paths = expand(name)
    if len(paths) > 1 and len(paths) < shard[1]:
        raise ConfigError(
            "there are more parts than files", got=f"{shard[1]} parts of {len(paths)} files"
        )
    first = _open(paths[0], words)
    stream = ContinuityAccumulator(
        strides=strides,
        window=None if window is None else to_samples(window, first.dt, first.unit),
        dt=first.dt,
        unit=first.unit,
        kind="tokens" if first.kind == "tokens" else "real",
        detrend=detrend,
        tol=tol,
        seed=seed,
        name=first.name if paths == (Path(name),) else printable(name),
        channel_names=first.channel_names or None,
    )
    mine = part(range(len(paths)), shard) if len(paths) > 1 else (0,)
    read = []
    for index in mine:
        source = first if index == 0 else _open(paths[index], words)
        _check_alike(source, first, paths[index], paths[0])
        read.append(_take(source, stream, index, paths, shard))
    names = tuple(printable(p.name) for p in paths)
    return StreamPart(shard=shard, files=names, read=tuple(read), stream=stream)


def merge_parts(parts: Sequence[StreamPart]) -> StreamPart:
    """Return all parts as one.

    Args:
        parts: All parts of one measurement, in any order.

    Raises:
        ConfigError: If a part is missing, there twice, or of another measurement.
    """
    if not parts:
        raise ConfigError("no parts to merge")
    total = parts[0].shard[1]
    for other in parts:
        if other.files != parts[0].files or other.shard[1] != total:
            raise ConfigError(
                "these are parts of different measurements",
                got=f"{len(other.files)} files in {other.shard[1]} parts",
                expected=f"{len(parts[0].files)} files in {total} parts, the same files",
            )
    there = sorted(p.shard[0] for p in parts)
    lost = sorted(set(range(1, total + 1)) - set(there))
    if lost or len(there) != total:
        twice = sorted({i for i in there if there.count(i) > 1})
        raise ConfigError(
            "parts are missing" if lost else "a part was given twice",
            got=", ".join(f"{i}/{total}" for i in lost or twice),
            expected=f"each of 1/{total} to {total}/{total} once",
        )
    whole = ContinuityAccumulator.from_json(parts[0].stream.to_json())
    for other in parts[1:]:
        whole.merge(other.stream)
    notes = [note for p in parts for note in p.read]
    merged: dict[int, FileNote] = {}
    for note in notes:
        known = merged.get(note.index)
        count = note.recordings + (known.recordings if known else 0)
        merged[note.index] = replace(note, recordings=count)
    read = tuple(merged[i] for i in sorted(merged))
    return StreamPart(shard=(1, 1), files=parts[0].files, read=read, stream=whole)


def part_result(whole: StreamPart) -> TaskContinuity:
    """Return the measurement of a part that is all of it.

    Raises:
        DataError: If there is nothing to measure.
    """
    result = whole.stream.result()
    audits = tuple(audit for note in whole.read for audit in note.audits)
    return replace(result, notes=(*_notes(whole), *result.notes), audits=audits)


def _notes(whole: StreamPart) -> list[str]:
    names, count = whole.files, sum(note.recordings for note in whole.read)
    more = f", ... {names[-1]}" if len(names) > _SHOWN else ""
    shown = ", ".join(names[:_SHOWN]) + more
    notes = []
    if len(names) > 1:
        notes.append(f"{len(names):,} files with {count:,} recordings: {shown}")
    single = []
    for note in dict.fromkeys(text for one in whole.read for text in one.notes):
        owners = [one.name for one in whole.read if note in one.notes]
        if len(owners) == len(names):
            notes.append(note)
        else:
            others = f" and {len(owners) - 1:,} more" if len(owners) > 1 else ""
            single.append(f"{owners[0]}{others}: {note}")
    notes += single[:_SHOWN]
    if len(single) > _SHOWN:
        notes.append(f"{len(single) - _SHOWN:,} more notes on single files were left out")
    return notes


def _open(path: Path, words: dict[str, Any]) -> Recordings:
    if fits_blocks(path, words):
        found = in_blocks(path, words)
        if found is not None:
            return _stepped(found, path, words)
    data = load_dataset(path, **words)
    if data.times is not None:
        raise DataError(
            f"{printable(path.name)} has irregular times, and streams are measured in even steps",
            got=f"a median step of {data.dt:g} {data.unit}",
            hint="common_hz= with a rate to bring them to; or each file by itself, without --shard",
        )
    return Recordings(
        name=data.name,
        channel_names=data.channel_names,
        kind=data.kind,
        dt=data.dt,
        unit=data.unit,
        names=list(data.ids) or [data.name] * len(data),
        notes=data.notes,
        audits=data.audits,
        chunks=((i, 0, s) for i, s in enumerate(data.sequences)),
        in_blocks=False,
    )


def _stepped(found: Recordings, path: Path, words: dict[str, Any]) -> Recordings:
    """Bring the step a user gave together with that of the times, as a whole dataset would."""
    stub = Dataset(
        name=printable(path.stem),
        sequences=(np.zeros((2, 1)),),
        dt=found.dt,
        unit=found.unit,
        audits=found.audits,
        notes=found.notes,
    )
    known = with_step(stub, words.get("dt"), words.get("unit"), from_file=True)
    found.dt, found.unit, found.audits = known.dt, known.unit, known.audits
    found.notes = known.notes
    return found


def _check_alike(other: Recordings, first: Recordings, path: Path, first_path: Path) -> None:
    for what in ("channel_names", "kind", "unit"):
        mine, yours = getattr(first, what), getattr(other, what)
        if mine != yours:
            raise DataError(
                f"{printable(path.name)} differs from {printable(first_path.name)}",
                got=f"{what.replace('_', ' ')} {_said(yours)}",
                expected=_said(mine),
            )
    if abs(other.dt - first.dt) > _STEP * first.dt:
        raise DataError(
            f"{printable(path.name)} differs from {printable(first_path.name)} in its step",
            got=f"{other.dt:.6g} {other.unit}",
            expected=f"{first.dt:.6g}, to a thousandth",
            hint="files of one rate at a time",
        )


def _count(n: int, word: str) -> str:
    return f"{n:,} {word if n == 1 else word + 's'}"


def _said(value: object) -> str:
    return ", ".join(value) if isinstance(value, tuple) else str(value)


def _take(
    source: Recordings,
    stream: ContinuityAccumulator,
    index: int,
    paths: Sequence[Path],
    shard: tuple[int, int],
) -> FileNote:
    taken: set[int] = set()
    samples = 0
    for number, start, chunk in source.chunks:
        if len(paths) == 1 and number % shard[1] != shard[0] - 1:
            continue
        taken.add(number)
        samples += len(chunk)
        try:
            stream.update(chunk, sequence=index * _PER_FILE + number, start=start)
        except TimegrainError as error:
            raise error.within(printable(paths[index].name)) from error
    if source.in_blocks and source.audits:
        (audit,) = source.audits
        width, rows = len(source.channel_names), audit.n_rows + audit.n_missing_rows
        share = (source.missing + audit.n_missing_rows * width) / (rows * width)
        source.audits = (replace(audit, share_missing=share),)
    return FileNote(
        index=index,
        name=printable(paths[index].name),
        recordings=len(taken),
        notes=source.notes,
        audits=source.audits,
    )
