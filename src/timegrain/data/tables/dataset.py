"""A table of any format as a dataset, with a note on how it was read."""

from pathlib import Path

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.arrays import origin_note
from timegrain.data.dataset import Dataset
from timegrain.data.readers.columns import WIDE
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable
from timegrain.data.readers.time_column import check_times_are_no_channel
from timegrain.data.step import unit_note
from timegrain.data.tables.keys import read_names
from timegrain.data.tables.long import read_long
from timegrain.data.tables.parts import Parts
from timegrain.data.tables.roles import Roles, find_roles
from timegrain.data.tables.source import TableSource
from timegrain.data.tables.values import Values, read_values
from timegrain.data.tables.wide import read_wide

OPTIONS = ("time", "dates", "id", "value", "target", "group", "form", "kind")
FORMS = ("long", "wide")


def table_dataset(
    source: TableSource,
    path: Path,
    options: FileOptions,
    *,
    how: str = "",
    notes: tuple[str, ...] = (),
) -> Dataset:
    """Return the sequences in a table.

    Args:
        source: The table.
        path: Of its file.
        options: Roles of the columns and `form`; what else they say is not looked at.
        how: How the rows were found in the file, for the first note.
        notes: Of the format, put after the first ones.

    Raises:
        ConfigError: If the form is unknown, or one column has two roles.
        DataError: With file and row, if the table cannot be read as was said.
    """
    wide = _is_wide(options)
    roles = find_roles(source, options)
    values = read_values(source, roles.values)
    noted: tuple[str, ...] = ()
    if wide:
        parts = read_wide(source, roles, values)
    else:
        _check_not_on_its_side(source, roles, values)
        if options.value is None:
            noted = _check_times(source, roles, values)
        parts = read_long(source, roles, values, name=printable(path.stem), dates=options.dates)
    clock = parts.clock
    return Dataset(
        name=printable(path.stem),
        sequences=parts.sequences,
        labels=parts.labels,
        class_names=parts.class_names,
        targets=parts.targets,
        channel_names=() if wide else values.names,
        times=None if clock is None else clock.times,
        dt=1.0 if clock is None else clock.dt,
        unit=parts.unit,
        ids=parts.ids,
        groups=parts.groups,
        starts=parts.starts,
        audits=() if clock is None else clock.audits,
        source=printable(path.name),
        notes=(
            _shape_note(source, values, how, wide=wide),
            *_notes(source, roles, values, parts, wide=wide),
            *notes,
            *noted,
            *filter(None, [unit_note(parts.unit)]),
            *origin_note(values.origins),
        ),
    )


def _is_wide(options: FileOptions) -> bool:
    if options.form not in (None, *FORMS):
        raise ConfigError("unknown form of a table", got=repr(options.form), expected="long, wide")
    return options.form == "wide"


def _check_not_on_its_side(source: TableSource, roles: Roles, values: Values) -> None:
    if not roles.id and source.n_rows < 3 <= len(values.names):
        raise DataError(
            f"{source.file} has too few rows to be a time series",
            got=f"{source.n_rows}, of {len(values.names)} numbers",
            expected="a row for every time step",
            hint="form='wide' if a row is a series, or transposing the file, if a row is a channel",
        )


def _check_times(source: TableSource, roles: Roles, values: Values) -> tuple[str, ...]:
    rows = slice(None)
    if roles.id:
        codes = read_names(source, roles.id, "recording").codes
        last = int((codes != codes[0]).argmax()) or len(codes)
        rows = slice(0, last)
    columns = {name: values.array[rows, j] for j, name in enumerate(values.names)}
    return check_times_are_no_channel(source.file, columns, first=source.names[0], time=roles.time)


def _shape_note(source: TableSource, values: Values, how: str, *, wide: bool) -> str:
    width = len(values.names)
    if wide:
        text = f"{source.n_rows:,} rows were read as series, {width:,} columns as their samples"
    else:
        channels = f"{width:,} columns as channels" if width > 1 else "1 column as the channel"
        text = f"{source.n_rows:,} rows were read as time steps, {channels}"
    return f"{text}; {how}" if how else text


def _notes(
    source: TableSource, roles: Roles, values: Values, parts: Parts, *, wide: bool
) -> tuple[str, ...]:
    notes = [parts.words] if parts.words else []
    rows = source.n_rows if not roles.id else sum(map(len, parts.sequences)) / len(parts.sequences)
    if not wide and len(values.names) > max(rows, WIDE if roles.id else 0):
        notes.append(
            "there are more columns than rows"
            + (" in a recording" if roles.id else "")
            + "; if a row is a series, say form='wide'; if it is a "
            "channel, transpose the file"
        )
    for names, why in ((values.empty, "without a value"), (roles.left_out, "without numbers")):
        if names:
            more = f" and {len(names) - 20} more" if len(names) > 20 else ""
            notes.append(f"columns {why} were left out: {', '.join(names[:20])}{more}")
    return (*notes, *parts.notes)
