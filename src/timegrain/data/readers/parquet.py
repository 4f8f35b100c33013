"""Columns of a `.parquet` file, read one at a time and in parts."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.memory import check_fits
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.place import printable
from timegrain.data.tables.dataset import OPTIONS, table_dataset

MAGIC = b"PAR1"
BATCH = 1 << 16


def read_parquet(path: Path, options: FileOptions) -> Dataset:
    """Return the sequences in a `.parquet` file.

    Args:
        path: Of the file.
        options: `time`, `id`, `value`, `target`, `group`, `form` and `kind` have a use.

    Raises:
        DataError: If it is damaged or no parquet file; or with the row, if a cell cannot be used.
    """
    options.only(f"{path.name}, a parquet file", *OPTIONS)
    source = ParquetSource(path)
    data = table_dataset(source, path, options)
    release()
    return data


def release() -> None:
    """Give memory that parts of columns took back to the system."""
    import pyarrow as pa

    pa.default_memory_pool().release_unused()


@dataclass(frozen=True, eq=False)
class ParquetSource:
    """A parquet file as a table; nothing is read but what is asked for.

    Args:
        path: Of the file.

    Raises:
        DataError: If it is damaged or no parquet file.
    """

    path: Path
    declared = True

    def __post_init__(self) -> None:
        _check_magic(self.path)
        if self.n_rows == 0:
            raise DataError(f"{self.file} has columns but no rows", got=", ".join(self.names[:20]))
        twice = [n for n, count in Counter(self.names).items() if count > 1]
        if twice:
            raise DataError(f"{self.file}: two columns have one name", got=", ".join(twice[:20]))

    @property
    def file(self) -> str:
        """Name of the file."""
        return printable(self.path.name)

    @cached_property
    def _opened(self) -> Any:
        import pyarrow.parquet as pq

        with damage(self.file):
            return pq.ParquetFile(self.path, buffer_size=1 << 20, pre_buffer=False)

    @cached_property
    def _inside(self) -> list[str]:
        """The names as they stand in the file; to ask the file again takes long."""
        return list(self._opened.schema_arrow.names)

    @cached_property
    def _types(self) -> list[Any]:
        return list(self._opened.schema_arrow.types)

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self.names)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """One a column; control characters are escaped."""
        return tuple(printable(n) for n in self._inside)

    @property
    def n_rows(self) -> int:
        """Rows that the file says it has."""
        return int(self._opened.metadata.num_rows)

    def kind(self, name: str) -> Any:
        """Return the type of a column; of what a dictionary stands for, and of decimals a float."""
        return _plain_type(self._types[self._places[name]])

    def chunks(self, name: str) -> Iterator[Any]:
        """Yield a column in parts of at most 65,536 rows."""
        for batch in self.batches((name,)):
            yield batch[0]

    def batches(self, names: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        """Yield parts of several columns, as arrays of the rows from the first on.

        Args:
            names: Of the columns.
        """
        inside = [self._inside[self._places[n]] for n in names]
        with damage(self.file):
            for batch in self._opened.iter_batches(
                batch_size=BATCH, columns=list(dict.fromkeys(inside)), use_threads=False
            ):
                yield tuple(_plain(batch.column(batch.schema.get_field_index(n))) for n in inside)

    def column(self, name: str) -> Any:
        """Return a whole column."""
        import pyarrow as pa

        check_fits(8 * self.n_rows, f"column {name!r} of {self.file}")
        found = pa.chunked_array(list(self.chunks(name)), type=self.kind(name)).combine_chunks()
        if len(found) != self.n_rows:
            raise DataError(
                f"{self.file} is damaged", got=f"{len(found):,} rows", expected=f"{self.n_rows:,}"
            )
        return found

    def words(self, name: str) -> Any:
        """Return a column as text."""
        import pyarrow as pa

        return self.column(name).cast(pa.string())

    def place(self, row: int) -> str:
        """Return the file and the row, counted from 1."""
        return f"{self.file}, row {row + 1:,}"


@contextmanager
def damage(file: str) -> Iterator[None]:
    """Turn what pyarrow says of a damaged file into a `DataError`."""
    import pyarrow as pa

    try:
        yield
    except PermissionError:
        raise
    except (pa.ArrowException, OSError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise DataError(
            f"{file} is damaged, or no parquet file",
            got=printable(said)[:120],
            hint="copying it again",
        ) from error


def _check_magic(path: Path) -> None:
    size = path.stat().st_size
    with path.open("rb") as file:
        first = file.read(4)
        file.seek(max(size - 4, 0))
        last = file.read(4)
    if first != MAGIC:
        raise DataError(
            f"{printable(path.name)} is no parquet file",
            got=f"a file that starts with {first!r}",
            expected=repr(MAGIC),
            hint="the extension that its format has",
        )
    if last != MAGIC or size < 12:
        raise DataError(
            f"{printable(path.name)} is truncated, or damaged",
            got=f"a file that ends with {last!r}",
            expected=repr(MAGIC),
            hint="copying it again",
        )


def _plain_type(kind: Any) -> Any:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_decimal(kind):
        return pa.float64()
    if pa.types.is_float16(kind):
        return pa.float32()
    if pa.types.is_large_string(kind) or kind == pa.string_view():
        return pa.string()
    return kind


def _plain(array: Any) -> Any:
    kind = _plain_type(array.type)
    return array if array.type == kind else array.cast(kind)
