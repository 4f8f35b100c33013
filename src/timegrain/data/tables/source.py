"""What a table of any format offers to those who read its columns."""

from collections.abc import Iterator
from typing import Any, Protocol

from timegrain.core.errors import DataError
from timegrain.core.registry import nearest


class TableSource(Protocol):
    """Columns by name, read one at a time."""

    @property
    def file(self) -> str:
        """Name of the file, for errors."""
        ...

    @property
    def names(self) -> tuple[str, ...]:
        """One a column, all different."""
        ...

    @property
    def declared(self) -> bool:
        """Whether the file says the types of its columns; else they are guessed."""
        ...

    @property
    def n_rows(self) -> int:
        """Rows of data."""
        ...

    def kind(self, name: str) -> Any:
        """Return the `pyarrow.DataType` of a column."""
        ...

    def column(self, name: str) -> Any:
        """Return a whole column as one `pyarrow.Array`."""
        ...

    def chunks(self, name: str) -> Iterator[Any]:
        """Yield a column in parts, from the first row on."""
        ...

    def words(self, name: str) -> Any:
        """Return the cells of a column as text, None where one is missing."""
        ...

    def place(self, row: int) -> str:
        """Return the file and where in it data row `row`, from 0, stands."""
        ...


def check_name(source: TableSource, name: str, option: str) -> str:
    """Return the name of a column, unless there is none of that name.

    Args:
        source: The table.
        name: What the user gave.
        option: The option it was given for.

    Raises:
        DataError: Naming the nearest column.
    """
    if name in source.names:
        return name
    more = f" and {len(source.names) - 20} more" if len(source.names) > 20 else ""
    near = nearest(name, source.names, count=1)
    raise DataError(
        f"{source.file} has no column {name!r} {_WHY[option]}",
        expected=f"one of {', '.join(source.names[:20])}{more}",
        hint=f"{option}={near[0]!r}" if near else None,
    )


_WHY = {
    "time": "for the times",
    "id": "for the names of recordings",
    "target": "for the label",
    "group": "for the groups",
    "value": "for a channel",
}
