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
from timegrain.data.readers.delimiter import decimal_comma_error, is_decimal_comma
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.table import Table, read_table
from timegrain.data.readers.time_column import check_times_are_no_channel
from timegrain.data.step import unit_note
from timegrain.data.units import UNKNOWN


def read_csv(path: Path, options: FileOptions) -> Dataset:
    """Return the one sequence in a `.csv` or `.tsv` file.

    The first row is a header if a cell of it is neither a number nor empty. Empty cells and NA,
    NaN, null and ? are missing samples. With `time`, uniform times become the step, and dates
    and times of day count in seconds from the first row. Without it, a column that is called as
    times are and rises is no channel but an error.

    Args:
        path: Of the file; UTF-8.
        options: `time`, `delimiter` and `kind` have a use.

    Raises:
        DataError: With file and line, if rows differ in length; or with the column, if a cell is
            no number, or it holds times.
    """
    options.only(f"{path.name}, a table", "time", "delimiter", "kind")
    delimiter = options.delimiter or ("\t" if path.suffix.lower() == ".tsv" else ",")
    table = read_table(path, delimiter)
    names = [n for n in table.names if n != options.time]
    times, dt, unit = _clock(table, options.time)
    read = {name: _numbers(table, name) for name in names}
    channels = {name: values for name, values in read.items() if not np.isnan(values).all()}
    if not channels:
        raise DataError(f"{path.name} has no column with numbers", got=", ".join(names) or None)
    noted = check_times_are_no_channel(path.name, channels, first=table.names[0], time=options.time)
    if table.data.num_rows < 3 <= len(channels):
        raise DataError(
            f"{path.name} has too few rows to be a time series",
            got=f"{table.data.num_rows}, of {len(channels)} numbers",
            expected="a row for every time step",
            hint="transposing the file, if a row is a channel",
        )
    left_out = [name for name in names if name not in channels]
    sequence = np.stack(list(channels.values()), axis=1)
    return Dataset(
        name=path.stem,
        sequences=(sequence,),
        channel_names=tuple(channels),
        times=times,
        dt=dt,
        unit=unit,
        source=path.name,
        notes=(*_notes(table, sequence, left_out), *noted, *filter(None, [unit_note(unit)])),
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
    where = f"{table.file}, line {table.line(row)}: column {name!r}"
    if is_decimal_comma(cell):
        raise decimal_comma_error(where, cell, alone=len(table.names) == 1)
    raise DataError(
        f"{where} holds no number",
        got=repr(cell),
        expected="numbers; empty where a sample is missing",
        hint="removing the column, or time= with its name if it holds the times of the rows",
    )


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
    kind = column.type
    if pa.types.is_string(kind) and not is_decimal_comma(_first_text(column)[1]):
        row, cell = _first_text(column)
        raise DataError(
            f"{table.file}, line {table.line(row)}: column {time!r} holds no time",
            got=repr(cell),
            expected="numbers, or dates such as 2020-01-31 10:00:00",
        )
    if not pa.types.is_temporal(kind):
        return _numbers(table, time), UNKNOWN
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        raise DataError(f"{table.file}, line {table.line(row)}: no time in column {time!r}")
    fine = pa.time64("ns") if pa.types.is_time(kind) else pa.timestamp("ns")
    count = column.cast(fine).cast(pa.int64()).to_numpy(zero_copy_only=False)
    return (count - count[0]) / 1e9, "s"


def _notes(
    table: Table, sequence: Float64[np.ndarray, "time channel"], left_out: list[str]
) -> tuple[str, ...]:
    rows, columns = sequence.shape
    head = "the first row is a header" if table.header else "no header: columns are numbered from 0"
    width = f"{columns} columns as channels" if columns > 1 else "1 column as the channel"
    notes = [f"{rows:,} rows were read as time steps, {width}; {head}"]
    if columns > rows:
        notes.append("there are more columns than rows; if a row is a channel, transpose the file")
    if left_out:
        notes.append(f"columns without a value were left out: {', '.join(left_out)}")
    return tuple(notes)
