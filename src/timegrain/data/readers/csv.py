"""Tables in delimited text: `.csv` and `.tsv`."""

from pathlib import Path

from timegrain.data.dataset import Dataset
from timegrain.data.readers.delimiter import delimiter_name, delimiter_of
from timegrain.data.readers.options import FileOptions
from timegrain.data.readers.table import Table, read_table
from timegrain.data.tables.dataset import OPTIONS, table_dataset


def read_csv(path: Path, options: FileOptions) -> Dataset:
    """Return the sequences in a `.csv` or `.tsv` file.

    Unless they are said, the delimiter is the one that makes most cells numbers, and the first row
    is a header if a cell of it is neither a number nor empty; both are noted. Empty cells and NA,
    NaN, null and ? are missing samples. Numbers may have decimal commas where the delimiter is no
    comma. A column that is called as times are and rises is no channel but an error.

    Args:
        path: Of the file; Unicode text.
        options: All but those of arrays and of several rates have a use.

    Raises:
        DataError: With file and line, if rows differ in length or a cell cannot be used.
    """
    options.only(f"{path.name}, a table", *OPTIONS, "delimiter", "header")
    usual = "\t" if path.suffix.lower() == ".tsv" else ","
    given = None if options.delimiter is None else delimiter_of(options.delimiter, usual)
    table = read_table(path, delimiter=given, usual=usual, header=options.header)
    return table_dataset(table, path, options, how=_how(table), notes=_comments(table))


def _how(table: Table) -> str:
    head = "the first row is a header" if table.header else "no header: columns are numbered from 0"
    decimal = ", numbers have decimal commas" if table.decimal == "," else ""
    return f"{head}; cells stand between {delimiter_name(table.delimiter)}{decimal}"


def _comments(table: Table) -> tuple[str, ...]:
    if not table.comments:
        return ()
    return (f"comments above the first row, by their #: {table.comments}",)
