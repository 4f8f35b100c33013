"""A long table of any size, block by block, in memory that does not grow with it."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.arrays import EXACT
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.parquet import ParquetSource
from timegrain.data.readers.place import printable
from timegrain.data.tables.roles import Roles, find_roles
from timegrain.data.tables.times import DAY, TICKS, epoch_unit
from timegrain.data.units import UNKNOWN


@dataclass(frozen=True, kw_only=True, eq=False)
class Block:
    """Rows that follow each other in one recording.

    Args:
        recording: Its name.
        start: Its first row, counted within the recording.
        values: `(row, channel)` float64, or float32 where every column is; NaN where missing.
        times: `(row,)` as counted by the file: not yet audited; None without a column of times.
    """

    recording: str
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
    """

    source: ParquetSource
    roles: Roles
    name: str

    @property
    def channel_names(self) -> tuple[str, ...]:
        """The channels, in the order of the values' columns."""
        return self.roles.values

    @property
    def n_rows(self) -> int:
        """Rows of the file."""
        return self.source.n_rows

    def __iter__(self) -> Iterator[Block]:
        roles, at = self.roles, 0
        seen: dict[str, int] = {}
        names = (*roles.values, *filter(None, (roles.time, *roles.id)))
        scale: tuple[Any, float] | None = None
        for columns in self.source.batches(names):
            values = _matrix(self.source, columns[: len(roles.values)], roles.values)
            times = None
            if roles.time is not None:
                column = columns[len(roles.values)]
                times = _raw_times(self.source, column, roles.time, at)
                scale = _scale(times, column.type) if scale is None else scale
                times = (times - scale[0]) / scale[1]
            for recording, rows in self._runs(columns, len(values), at):
                start = seen.get(recording, 0)
                seen[recording] = start + rows.stop - rows.start
                yield Block(
                    recording=recording,
                    start=start,
                    values=values[rows],
                    times=None if times is None else times[rows],
                )
            at += len(values)

    @property
    def unit(self) -> str:
        """Unit of the times: seconds for dates and epoch numbers, else unknown."""
        if self.roles.time is None:
            return "sample"
        (first,) = next(iter(self.source.batches((self.roles.time,))))
        times = _raw_times(self.source, first, self.roles.time, 0)
        return UNKNOWN if _scale(times, first.type) == (0, 1.0) else "s"

    def _runs(self, columns: tuple[Any, ...], n: int, at: int) -> Iterator[tuple[str, slice]]:
        if not self.roles.id:
            yield self.name, slice(0, n)
            return
        import pyarrow as pa
        import pyarrow.compute as pc

        named = [c.cast(pa.string()) for c in columns[-len(self.roles.id) :]]
        for name, part in zip(self.roles.id, named, strict=True):
            if part.null_count:
                row = at + part.is_null().to_pylist().index(True)
                raise DataError(
                    f"{self.source.place(row)}: no recording in column {name!r}",
                    got="an empty cell",
                )
        words = pc.binary_join_element_wise(*named, "/")
        encoded = words.dictionary_encode()
        codes, names = encoded.indices.to_numpy(), encoded.dictionary.to_pylist()
        ends = [0, *(np.flatnonzero(np.diff(codes)) + 1).tolist(), n]
        for a, b in pairwise(ends):
            yield printable(names[codes[a]]), slice(a, b)


def table_blocks(path: Path, options: FileOptions) -> TableBlocks:
    """Return a parquet file in long form as blocks of at most 65,536 rows.

    Rows of one recording need not stand together; every run of them is a block of its own. Times
    are passed on as they are: a step back, a repeat or a gap is for the reader to see.

    Args:
        path: Of the file.
        options: `time`, `id` and `value` have a use.

    Raises:
        ConfigError: If it is in wide form.
        DataError: If it is damaged or lacks a column.
    """
    if options.form == "wide":
        raise ConfigError(
            "a table in wide form is not read in blocks", got="form='wide'", expected="long form"
        )
    options.only(f"{path.name}, read in blocks", "time", "id", "value", "form", "kind", "group")
    source = ParquetSource(path)
    return TableBlocks(source=source, roles=find_roles(source, options), name=printable(path.stem))


def _matrix(source: ParquetSource, columns: tuple[Any, ...], names: tuple[str, ...]) -> np.ndarray:
    import pyarrow as pa

    narrow = all(pa.types.is_float32(c.type) for c in columns)
    out = np.empty((len(columns[0]), len(columns)), dtype=np.float32 if narrow else np.float64)
    for j, (column, name) in enumerate(zip(columns, names, strict=True)):
        kind = column.type
        if pa.types.is_integer(kind):
            known = column.drop_null().to_numpy(zero_copy_only=False)
            if len(known) and max(abs(int(known.min())), abs(int(known.max()))) > EXACT:
                raise DataError(
                    f"{source.file}: column {name!r} holds whole numbers beyond 2^53",
                    got=int(known.max()),
                    hint="subtracting one number from all of them",
                )
        elif not (pa.types.is_floating(kind) or pa.types.is_null(kind)):
            raise DataError(
                f"{source.file}: column {name!r} holds no numbers",
                got=str(kind),
                expected="numbers",
            )
        out[:, j] = np.nan if pa.types.is_null(kind) else column.to_numpy(zero_copy_only=False)
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
