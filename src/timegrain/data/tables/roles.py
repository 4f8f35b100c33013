"""Which column of a table is what."""

from dataclasses import dataclass

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable
from timegrain.data.tables.source import TableSource, check_name

SINGLE = ("time", "target", "group")


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Columns by what they are; None where no column has the role.

    Args:
        values: The channels; in wide form the samples, in order.
        time: The times.
        id: What names the recording a row is part of, together where there are several.
        target: The label.
        group: What never stands on both sides of a split.
        left_out: Columns that hold nothing to measure.
    """

    values: tuple[str, ...]
    time: str | None = None
    id: tuple[str, ...] = ()
    target: str | None = None
    group: str | None = None
    left_out: tuple[str, ...] = ()


def find_roles(source: TableSource, options: FileOptions) -> Roles:
    """Return the role of every column: as said, and all others with numbers are values.

    A column that is text by its declared type, as in parquet, is left out unless it is named.
    In a csv file, whose types are guessed from the cells, it is a value with wrong cells.

    Args:
        source: The table.
        options: `time`, `id`, `target`, `group` and `value` name columns.

    Raises:
        ConfigError: If one column was given two roles.
        DataError: If there is no such column, or none is left for the values.
    """
    said = {
        role: check_name(source, printable(given.strip()), role)
        for role in SINGLE
        if (given := getattr(options, role)) is not None
    }
    named = None
    if options.value is not None:
        named = tuple(check_name(source, printable(v.strip()), "value") for v in options.value)
    ids = tuple(check_name(source, printable(i.strip()), "id") for i in options.id or ())
    _check_one_role(
        [*(("id", i) for i in ids), *said.items(), *(("value", v) for v in named or ())]
    )
    if named is not None:
        return _roles(said, ids, named)
    rest = [n for n in source.names if n not in (*said.values(), *ids)]
    usable = {n: _may_be_values(source, n) for n in rest}
    values = tuple(n for n in rest if usable[n])
    if not values:
        raise DataError(
            f"{source.file} has no column with numbers",
            got=", ".join(f"{n} ({source.kind(n)})" for n in rest[:20]) or "no other column",
            expected="a column of numbers for every channel",
        )
    return _roles(said, ids, values, left_out=tuple(n for n in rest if not usable[n]))


def _roles(
    said: dict[str, str],
    ids: tuple[str, ...],
    values: tuple[str, ...],
    *,
    left_out: tuple[str, ...] = (),
) -> Roles:
    return Roles(
        values=values,
        time=said.get("time"),
        id=ids,
        target=said.get("target"),
        group=said.get("group"),
        left_out=left_out,
    )


def _may_be_values(source: TableSource, name: str) -> bool:
    import pyarrow as pa

    kind = source.kind(name)
    if not source.declared:
        return True
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    return number or pa.types.is_null(kind) or pa.types.is_temporal(kind)


def _check_one_role(pairs: list[tuple[str, str]]) -> None:
    first: dict[str, str] = {}
    for role, name in pairs:
        other = first.setdefault(name, role)
        if other != role and {role, other} != {"id", "group"}:
            raise ConfigError(f"column {name!r} was given two roles", got=f"{other}= and {role}=")
