"""One sequence in a table: a row is a time step, a column a channel."""

from pathlib import Path

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError
from timegrain.core.registry import suggest
from timegrain.data.arrays import origin_note
from timegrain.data.check import check_times
from timegrain.data.dataset import Dataset
from timegrain.data.readers.clock import common_step
from timegrain.data.readers.columns import instants, numbers
from timegrain.data.readers.delimiter import delimiter_of
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable
from timegrain.data.readers.table import Table, read_table
from timegrain.data.readers.time_column import check_times_are_no_channel
from timegrain.data.step import unit_note


def read_csv(path: Path, options: FileOptions) -> Dataset:
    """Return the one sequence in a `.csv` or `.tsv` file.

    The first row is a header if a cell of it is neither a number nor empty. Empty cells and NA,
    NaN, null and ? are missing samples. With `time`, uniform times become the step, and dates
    and times of day count in seconds from the first row. Without it, a column that is called as
    times are and rises is no channel but an error.

    Args:
        path: Of the file; Unicode text.
        options: `time`, `delimiter` and `kind` have a use.

    Raises:
        DataError: With file and line, if rows differ in length; or with the column, if a cell is
            no number, or it holds times.
    """
    options.only(f"{path.name}, a table", "time", "delimiter", "kind")
    usual = "\t" if path.suffix.lower() == ".tsv" else ","
    table = read_table(path, delimiter_of(options.delimiter, usual))
    time = None if options.time is None else printable(options.time.strip())
    names = [n for n in table.names if n != time]
    times, dt, unit = _clock(table, time)
    read = {name: numbers(table, name) for name in names}
    channels = {name: values for name, (values, _) in read.items() if not np.isnan(values).all()}
    if not channels:
        raise DataError(
            f"{path.name} has no column with numbers", got=", ".join(names[:20]) or None
        )
    noted = check_times_are_no_channel(path.name, channels, first=table.names[0], time=time)
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
        name=printable(path.stem),
        sequences=(sequence,),
        channel_names=tuple(channels),
        times=times,
        dt=dt,
        unit=unit,
        source=printable(path.name),
        notes=(
            *_notes(table, sequence, left_out),
            *noted,
            *filter(None, [unit_note(unit)]),
            *origin_note(read[name][1] for name in channels),
        ),
    )


def _clock(table: Table, time: str | None) -> tuple[tuple[np.ndarray, ...] | None, float, str]:
    if time is None:
        return None, 1.0, "sample"
    if time not in table.names:
        raise DataError(
            f"{table.file} has no column {time!r} for the times",
            expected=f"one of {', '.join(table.names[:20])}",
            hint=f"time={suggest(time, table.names).split(', ')[0]!r}",
        )
    found, unit = instants(table, time)
    if len(found) < 2:
        return None, 1.0, unit
    check_times(found, len(found), f"{table.file}, column {time!r}")
    step = common_step([found])
    if step is not None:
        return None, step, unit
    return (found,), float(np.median(np.diff(found))), unit


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
        more = f" and {len(left_out) - 20} more" if len(left_out) > 20 else ""
        notes.append(f"columns without a value were left out: {', '.join(left_out[:20])}{more}")
    if table.comments:
        notes.append(f"comments above the first row, by their #: {table.comments}")
    return tuple(notes)
