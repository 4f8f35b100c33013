"""A long table of any size, block by block, in memory that does not grow with it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Int

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.parquet import ParquetSource
from timegrain.data.readers.place import printable
from timegrain.data.readers.time_column import check_times_are_no_channel
from timegrain.data.tables.checks import check_not_on_its_side, is_wide, may_be_times
from timegrain.data.tables.keys import Keys
from timegrain.data.tables.notes import column_words, recording_notes, table_notes
from timegrain.data.tables.owners import all_single, first_recording, read_groups, read_owner
from timegrain.data.tables.recordings import are_mixed
from timegrain.data.tables.roles import Roles, find_roles
from timegrain.data.tables.times import DAY, TICKS, epoch_unit
from timegrain.data.tables.values import ValueColumns, part_as_floats, scan_values
from timegrain.data.units import UNKNOWN


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """Rows that follow each other in one recording.

    Args:
        recording: Its name.
        number: Its number among those that are read.
        start: Its first row, counted within the recording.
        values: `(row, channel)` float64, or float32 where every column is; NaN where missing.
        times: `(row,)` as counted by the file: not yet audited; None without a column of times.
    """

    recording: str
    number: int
    start: int
    values: np.ndarray
    times: np.ndarray | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class TableBlocks:
    """A parquet file whose columns have their roles, to be read once from the first row on.

    Args:
        source: The file.
        roles: Of its columns.
        name: Of the recording where no column names it.
        values: What is known of its channels.
        owner: Recording of every row.
        kept: Numbers of the recordings that are read, in their order; -1 for those of a single row.
        n_groups: Number of groups.
        noted: On columns that may be no channels.
    """

    source: ParquetSource
    roles: Roles
    name: str
    values: ValueColumns
    owner: Keys
    kept: Int[np.ndarray, " recording"]
    n_groups: int
    noted: tuple[str, ...]

    @property
    def channel_names(self) -> tuple[str, ...]:
        """The channels, in the order of the values' columns."""
        return self.values.names

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return self.source.n_rows

    @property
    def names(self) -> list[str]:
        """The recordings that are read."""
        return [n for n, k in zip(self.owner.names, self.kept, strict=True) if k >= 0]

    def notes(
        self, times: str = "", clock: tuple[str, ...] = (), unit: str = "sample"
    ) -> tuple[str, ...]:
        """Return what a reader must know, as of a table that is read at once.

        Args:
            times: What the times were taken for.
            clock: What their audit found.
            unit: Of the times.
        """
        lost = [n for n, k in zip(self.owner.names, self.kept, strict=True) if k < 0]
        found = recording_notes(
            self.source, self.roles, self.owner, mixed=are_mixed(self.owner), lost=lost
        )
        words = column_words(
            self.roles,
            self.values.names,
            times=times,
            recordings=len(self.owner),
            groups=self.n_groups,
        )
        return table_notes(
            self.source,
            self.roles,
            self.values,
            how="read in blocks, never all at once",
            rows=(self.n_rows - len(lost)) / len(self.names),
            words=words,
            found=(*found, *clock),
            noted=self.noted,
            unit=unit,
        )

    def __iter__(self) -> Iterator[Block]:
        roles, at = self.roles, 0
        seen = np.zeros(len(self.owner), dtype=np.int64)
        names = (*self.values.names, *filter(None, (roles.time,)))
        scale: tuple[Any, float] | None = None
        for columns in self.source.batches(names):
            values = _matrix(columns[: len(self.values.names)], self.values.origins)
            times = None
            if roles.time is not None:
                column = columns[-1]
                times = _raw_times(self.source, column, roles.time, at)
                scale = _scale(times, column.type) if scale is None else scale
                times = (times - scale[0]) / scale[1]
            for recording, rows in self._runs(at, at + len(values)):
                start = int(seen[recording])
                seen[recording] += rows.stop - rows.start
                if self.kept[recording] < 0:
                    continue
                yield Block(
                    recording=self.owner.names[recording],
                    number=int(self.kept[recording]),
                    start=start,
                    values=values[rows],
                    times=None if times is None else times[rows],
                )
            at += len(values)

    def _runs(self, first: int, last: int) -> Iterator[tuple[int, slice]]:
        """Recordings of rows `first .. last`, and the rows counted from the first."""
        codes = self.owner.codes[first:last]
        ends = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), last - first]
        for a, b in pairwise(ends):
            yield int(codes[a]), slice(a, b)

    @property
    def unit(self) -> str:
        """Unit of the times: seconds for dates and epoch numbers, else unknown."""
        if self.roles.time is None:
            return "sample"
        (first,) = next(iter(self.source.batches((self.roles.time,))))
        times = _raw_times(self.source, first, self.roles.time, 0)
        return UNKNOWN if _scale(times, first.type) == (0, 1.0) else "s"


def table_blocks(path: Path, options: FileOptions) -> TableBlocks | None:
    """Return a parquet file in long form as blocks of at most 65,536 rows.

    Rows of one recording need not stand together; every run of them is a block of its own. Times
    are passed on as they are: a step back, a repeat or a gap is for the reader to see.

    Args:
        path: Of the file.
        options: `time`, `id`, `value` and `group` have a use.

    Returns:
        None where a column of values holds no plain numbers, and has to be read as a whole.

    Raises:
        ConfigError: If it is in wide form.
        DataError: If it is damaged, lacks a column, or is refused as one that is read at once.
    """
    if is_wide(options):
        raise ConfigError(
            "a table in wide form is not read in blocks", got="form='wide'", expected="long form"
        )
    options.only(f"{path.name}, read in blocks", "time", "id", "value", "form", "kind", "group")
    source = ParquetSource(path)
    roles, name = find_roles(source, options), printable(path.stem)
    values = scan_values(source, roles.values)
    if values is None:
        return None
    check_not_on_its_side(source, roles, values)
    owner = read_owner(source, roles, name)
    noted: tuple[str, ...] = ()
    if options.value is None:
        columns = may_be_times(source, values, first_recording(owner))
        noted = check_times_are_no_channel(
            source.file, columns, first=source.names[0], time=roles.time
        )
    kept = _kept(source, roles, owner)
    return TableBlocks(
        source=source,
        roles=roles,
        name=name,
        values=values,
        owner=owner,
        kept=kept,
        n_groups=len(np.unique(read_groups(source, roles, owner))),
        noted=noted,
    )


def _kept(source: ParquetSource, roles: Roles, owner: Keys) -> Int[np.ndarray, " recording"]:
    if not roles.id:
        return np.zeros(1, dtype=np.int64)
    long = np.bincount(owner.codes, minlength=len(owner)) > 1
    if not long.any():
        raise all_single(source, len(owner))
    return np.where(long, np.cumsum(long) - 1, -1)


def _matrix(columns: tuple[Any, ...], origins: tuple[int, ...]) -> np.ndarray:
    import pyarrow as pa

    narrow = all(pa.types.is_float32(c.type) for c in columns)
    out = np.empty((len(columns[0]), len(columns)), dtype=np.float32 if narrow else np.float64)
    for j, (column, origin) in enumerate(zip(columns, origins, strict=True)):
        out[:, j] = part_as_floats(column, origin)
    return out


def _raw_times(source: ParquetSource, column: Any, name: str, at: int) -> np.ndarray:
    import pyarrow as pa

    kind = column.type
    if column.null_count:
        row = at + column.is_null().to_pylist().index(True)
        raise DataError(f"{source.place(row)}: no time in column {name!r}", got="an empty cell")
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        found: np.ndarray = column.to_numpy(zero_copy_only=False)
        return found
    if pa.types.is_temporal(kind):
        wide = column if kind.bit_width == 64 else column.cast(pa.int32())
        counted: np.ndarray = wide.cast(pa.int64()).to_numpy(zero_copy_only=False)
        return counted
    raise DataError(
        f"{source.file}: the times of column {name!r} are not read in blocks",
        got=str(kind),
        expected="numbers or timestamps",
    )


def _scale(times: np.ndarray, kind: Any) -> tuple[Any, float]:
    """Return what is subtracted from times and what they are divided by to count in seconds."""
    import pyarrow as pa

    if pa.types.is_date32(kind):
        return times[0], 1 / DAY
    if pa.types.is_temporal(kind):
        return times[0], float(TICKS["ms" if pa.types.is_date64(kind) else kind.unit])
    unit = epoch_unit(float(times.min()), float(times.max()))
    return (0, 1.0) if unit is None else (times[0], float(TICKS[unit]))
