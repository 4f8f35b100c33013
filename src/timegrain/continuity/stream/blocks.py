"""A large table in blocks, after its times were audited."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from timegrain.data.audit.clock import CommonClock, common_clock
from timegrain.data.audit.recording import Clock, audit_recording
from timegrain.data.audit.result import TimestampAudit
from timegrain.data.audit.stretch import Stretch
from timegrain.data.check import check_finite
from timegrain.data.readers.options import FileOptions, several
from timegrain.data.readers.parquet import ParquetSource, release
from timegrain.data.tables.blocks import TableBlocks, table_blocks
from timegrain.data.tables.times import TICKS, Times, read_times

LARGE = 1 << 27
"""Bytes of values from which a parquet file is read in blocks."""

_WHOLE_ONLY = (
    "key", "target", "dates", "layout", "delimiter", "header", "channels", "common_hz",
)  # fmt: skip


@dataclass(kw_only=True, eq=False)
class Recordings:
    """Samples of a file, recording by recording, with what is known of their time.

    Args:
        name: Of the whole, as a dataset would have it.
        channel_names: One a channel, or empty.
        kind: `"real"` or `"tokens"`.
        dt: Step.
        unit: Its unit.
        names: Of the recordings.
        notes: What a reader must know.
        audits: Of the timestamps.
        chunks: Yields number of the recording, start and samples.
        in_blocks: Whether the file is never held whole.
    """

    name: str
    channel_names: tuple[str, ...]
    kind: str
    dt: float
    unit: str
    names: list[str]
    notes: tuple[str, ...]
    audits: tuple[TimestampAudit, ...]
    chunks: Iterator[tuple[int, int, np.ndarray]]
    in_blocks: bool
    missing: int = field(default=0)


def fits_blocks(path: Path, words: dict[str, Any]) -> bool:
    """Whether a file is a large parquet table that can be read in blocks as was said.

    Args:
        path: Of the file.
        words: Keyword arguments of `load_dataset`.
    """
    if path.suffix.lower() != ".parquet" or not path.is_file():
        return False
    if any(words.get(w) is not None for w in _WHOLE_ONLY) or words.get("form") == "wide":
        return False
    if words.get("kind") == "tokens" or None not in (words.get("time"), words.get("id")):
        return False
    source = ParquetSource(path)
    return 8 * source.n_rows * len(several(words.get("value"), "value") or source.names) >= LARGE


def in_blocks(path: Path, words: dict[str, Any]) -> Recordings | None:
    """Return a file in blocks; None where its times need rows to be moved, averaged or cut.

    Rows in even steps are passed on as they stand, gaps filled with missing samples.

    Args:
        path: A file that `fits_blocks`.
        words: Keyword arguments of `load_dataset`.
    """
    table = table_blocks(path, _options(words))
    if table is None:
        return None
    out = Recordings(
        name=table.name,
        channel_names=table.channel_names,
        kind="real",
        dt=1.0,
        unit="sample",
        names=table.names,
        notes=table.notes(),
        audits=(),
        chunks=iter(()),
        in_blocks=True,
    )
    before: np.ndarray | None = None
    if table.roles.time is not None:
        audited = _audited(table, path)
        if audited is None:
            return None
        clock, before, times = audited
        out.dt, out.unit, out.audits = clock.dt, times.unit, clock.audits
        out.notes = table.notes(times.words, clock.notes, times.unit)
    out.chunks = _chunks(table, out, before)
    return out


def _options(words: dict[str, Any]) -> FileOptions:
    said: dict[str, Any] = {w: words.get(w) for w in ("time", "form", "kind", "group")}
    said |= {w: several(words.get(w), w) for w in ("id", "value")}
    return FileOptions(**said)


def _audited(table: TableBlocks, path: Path) -> tuple[CommonClock, np.ndarray | None, Times] | None:
    """Audit the column of times alone; the rows that empty ones are put in before."""
    times = _times(table)
    release()
    n = len(times.instants)
    if not bool(np.all(times.instants[1:] > times.instants[:-1])):
        return None
    # rows stay in order, and an empty one is put in where there is a gap
    found = audit_recording(
        Stretch(times=times.instants, values=np.broadcast_to(np.float32(0), (n, 1))),
        Clock(unit=times.unit, day=times.day, local=times.local),
        recording=table.name,
        where=table.source.file,
    )
    clock = common_clock([found])
    one = found.audit
    if clock.times is not None or one.n_duplicates or one.n_resets or len(found.stretches) > 1:
        return None
    if len(found.stretches[0]) == n:
        return clock, None, times
    put_in = np.flatnonzero(np.isnan(found.stretches[0].values[:, 0]))
    return clock, put_in - np.arange(len(put_in)), times


def _times(table: TableBlocks) -> Times:
    """The column of times; one of dates part by part, which needs a third of the memory."""
    import pyarrow as pa

    name = str(table.roles.time)
    kind = table.source.kind(name)
    if not pa.types.is_timestamp(kind):
        return read_times(table.source, name)
    out, at, first = np.empty(table.n_rows), 0, None
    for part in table.source.chunks(name):
        if part.null_count:
            return read_times(table.source, name)  # it says which row
        whole = part.cast(pa.int64()).to_numpy(zero_copy_only=False)
        first = whole[0] if first is None else first
        np.divide(whole - first, TICKS[kind.unit], out=out[at : at + len(whole)])
        at += len(whole)
    words = "dates in UTC" if kind.tz else "dates without a zone"
    return Times(instants=out[:at], unit="s", words=words, local=not kind.tz)


def _chunks(
    table: TableBlocks, out: Recordings, before: np.ndarray | None
) -> Iterator[tuple[int, int, np.ndarray]]:
    for block in replace(table, roles=replace(table.roles, time=None)):
        values = block.values.astype(np.float64, copy=False)
        out.missing += int(np.isnan(values).sum())
        where = f"sequence {block.number} of {table.name!r}"
        if before is None:
            check_finite(values, where, start=block.start)
            yield block.number, block.start, values
            continue
        a, b = block.start, block.start + len(values)
        # from behind the row before, so that a gap comes with the row after it
        place = np.arange(a - 1, b) + np.searchsorted(before, np.arange(a - 1, b), side="right")
        first = int(place[0]) + 1
        filled = np.full((int(place[-1]) + 1 - first, values.shape[1]), np.nan)
        filled[place[1:] - first] = values
        check_finite(filled, where, start=first)
        yield block.number, first, filled
