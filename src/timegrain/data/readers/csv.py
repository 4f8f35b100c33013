"""One sequence in a table: a row is a time step, a column a channel."""

from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError
from timegrain.core.registry import suggest
from timegrain.data.check import check_times
from timegrain.data.dataset import Dataset
from timegrain.data.readers.clock import common_step
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.table import Table, read_table


def read_csv(path: Path, options: FileOptions) -> Dataset:
    """Return the one sequence in a `.csv` or `.tsv` file.

    The first row is a header if a cell of it is neither a number nor empty. Empty cells and NA,
    NaN, null and ? are missing samples. With `time`, uniform times become the step, and dates
    count in seconds from the first row.

    Args:
        path: Of the file; UTF-8.
        options: `time`, `delimiter` and `kind` have a use.

    Raises:
        DataError: With file and line, if rows differ in length; or with the column, if a cell is
            no number.
    """
    options.only(f"{path.name}, a table", "time", "delimiter", "kind")
    delimiter = options.delimiter or ("\t" if path.suffix.lower() == ".tsv" else ",")
    table = read_table(path, delimiter)
    names = [n for n in table.names if n != options.time]
    times, dt, unit = _clock(table, options.time)
    channels: list[np.ndarray] = []
    kept: list[str] = []
    left_out: list[str] = []
    for name in names:
        values = _numbers(table, name)
        if np.isnan(values).all():
            left_out.append(name)
        else:
            channels.append(values)
            kept.append(name)
    if not channels:
        raise DataError(f"{path.name} has no column with numbers", got=", ".join(names) or None)
    sequence = np.stack(channels, axis=1)
    return Dataset(
        name=path.stem,
        sequences=(sequence,),
        channel_names=tuple(kept),
        times=times,
        dt=dt,
        unit=unit,
        source=path.name,
        notes=_notes(table, sequence, left_out),
    )


def _numbers(table: Table, name: str) -> Float64[np.ndarray, " time"]:
    import pyarrow as pa

    column = table.column(name)
    kind = column.type
    if pa.types.is_null(kind):
        return np.full(len(column), np.nan)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return np.asarray(
            column.cast(pa.float64()).to_numpy(zero_copy_only=False), dtype=np.float64
        )
    if pa.types.is_temporal(kind):
        raise DataError(
            f"{table.file}: column {name!r} holds dates or times of day",
            got=str(column[0]),
            expected="numbers",
            hint=f"time={name!r}, if these are the times of the rows",
        )
    row, cell = _first_text(column)
    raise DataError(
        f"{table.file}, line {table.line(row)}: column {name!r} holds no number",
        got=repr(cell),
        expected="numbers; empty where a sample is missing",
        hint=_text_hint(table, cell),
    )


def _text_hint(table: Table, cell: str) -> str:
    for delimiter in (";", "\t", "|"):
        if len(table.names) == 1 and delimiter in cell:
            return f"delimiter={delimiter!r}"
    return "removing the column, or time= with its name if it holds the times of the rows"


def _first_text(column: Any) -> tuple[int, str]:
    cells = [None if c is None else str(c) for c in column.to_pylist()]
    for row, cell in enumerate(cells):
        if cell is not None:
            try:
                float(cell)
            except ValueError:
                return row, cell
    row = next(i for i, c in enumerate(cells) if c is not None)
    return row, cells[row] or ""


def _clock(table: Table, time: str | None) -> tuple[tuple[np.ndarray, ...] | None, float, str]:
    if time is None:
        return None, 1.0, "sample"
    if time not in table.names:
        raise DataError(
            f"{table.file} has no column {time!r} for the times",
            expected=f"one of {', '.join(table.names)}",
            hint=f"time={suggest(time, table.names).split(', ')[0]!r}",
        )
    instants, unit = _instants(table, time)
    if len(instants) < 2:
        return None, 1.0, unit
    check_times(instants, len(instants), f"{table.file}, column {time!r}")
    step = common_step([instants])
    if step is not None:
        return None, step, unit
    return (instants,), float(np.median(np.diff(instants))), unit


def _instants(table: Table, time: str) -> tuple[Float64[np.ndarray, " time"], str]:
    import pyarrow as pa

    column = table.column(time)
    if not (pa.types.is_timestamp(column.type) or pa.types.is_date(column.type)):
        return _numbers(table, time), f"[{time}]"
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise DataError(f"{table.file}, line {table.line(row)}: no time in column {time!r}")
    count = column.cast(pa.timestamp("ns")).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return (count - count[0]) / 1e9, "s"


def _notes(
    table: Table, sequence: Float64[np.ndarray, "time channel"], left_out: list[str]
) -> tuple[str, ...]:
    rows, columns = sequence.shape
    head = "the first row is a header" if table.header else "no header: columns are numbered from 0"
    width = f"{columns} columns as channels" if columns > 1 else "1 column as the channel"
    notes = [f"{rows:,} rows were read as time steps, {width}; {head}"]
    if left_out:
        notes.append(f"columns without a value were left out: {', '.join(left_out)}")
    return tuple(notes)
