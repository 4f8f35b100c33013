"""A table of any format as a dataset, with a note on how it was read."""

from pathlib import Path

from timegrain.data.dataset import Dataset
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable
from timegrain.data.readers.time_column import check_times_are_no_channel
from timegrain.data.tables.checks import check_not_on_its_side, is_wide
from timegrain.data.tables.long import read_long
from timegrain.data.tables.notes import table_notes
from timegrain.data.tables.owners import first_recording, read_owner
from timegrain.data.tables.roles import Roles, find_roles
from timegrain.data.tables.source import TableSource
from timegrain.data.tables.values import Values, read_values
from timegrain.data.tables.wide import read_wide

OPTIONS = ("time", "dates", "id", "value", "target", "group", "form", "kind")


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
    wide = is_wide(options)
    roles = find_roles(source, options)
    values = read_values(source, roles.values, in_time=wide)
    noted: tuple[str, ...] = ()
    if wide:
        parts = read_wide(source, roles, values)
    else:
        check_not_on_its_side(source, roles, values)
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
        notes=table_notes(
            source,
            roles,
            values,
            how=how,
            rows=None if wide else sum(map(len, parts.sequences)) / len(parts.sequences),
            words=parts.words,
            found=parts.notes,
            noted=(*notes, *noted),
            unit=parts.unit,
        ),
    )


def _check_times(source: TableSource, roles: Roles, values: Values) -> tuple[str, ...]:
    last = first_recording(read_owner(source, roles, ""))
    columns = {name: values.array[:last, j] for j, name in enumerate(values.names)}
    return check_times_are_no_channel(source.file, columns, first=source.names[0], time=roles.time)
