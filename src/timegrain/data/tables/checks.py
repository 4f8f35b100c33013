"""Checks of a long table that may be something else."""

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.time_column import GLANCE, is_time_name, rises
from timegrain.data.tables.roles import Roles
from timegrain.data.tables.source import TableSource
from timegrain.data.tables.values import ValueColumns, part_as_floats

FORMS = ("long", "wide")


def is_wide(options: FileOptions) -> bool:
    """Whether a row is a series.

    Raises:
        ConfigError: If the form is unknown.
    """
    if options.form not in (None, *FORMS):
        raise ConfigError("unknown form of a table", got=repr(options.form), expected="long, wide")
    return options.form == "wide"


def check_not_on_its_side(source: TableSource, roles: Roles, values: ValueColumns) -> None:
    """Raise if a table has a few rows only, of many numbers.

    Raises:
        DataError: If it has.
    """
    if not roles.id and source.n_rows < 3 <= len(values.names):
        raise DataError(
            f"{source.file} has too few rows to be a time series",
            got=f"{source.n_rows}, of {len(values.names)} numbers",
            expected="a row for every time step",
            hint="form='wide' if a row is a series, or transposing the file, if a row is a channel",
        )


def may_be_times(source: TableSource, values: ValueColumns, last: int) -> dict[str, np.ndarray]:
    """Return the channels of the first rows that are to be looked at for times; others empty.

    A column that does not rise at first is not read to its end.

    Args:
        source: A table that says its types.
        values: Its channels.
        last: Number of rows.
    """
    looked_at = {n for n in values.names if n == source.names[0] or is_time_name(n)}
    return {
        name: _first_rows(source, name, origin, last) if name in looked_at else np.empty(0)
        for name, origin in zip(values.names, values.origins, strict=True)
    }


def _first_rows(source: TableSource, name: str, origin: int, last: int) -> np.ndarray:
    parts: list[np.ndarray] = []
    count = 0
    for chunk in source.chunks(name):
        parts.append(part_as_floats(chunk, origin)[: last - count].astype(np.float64))
        before, count = count, count + len(parts[-1])
        if count >= last:
            break
        if before < GLANCE <= count and not rises(np.concatenate(parts), strictly=False):
            break
    return np.concatenate(parts)
