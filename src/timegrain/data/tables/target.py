"""A column with labels: classes where it holds words or whole numbers, else values."""

import re
from dataclasses import dataclass

import numpy as np

from timegrain.core.errors import DataError
from timegrain.data.readers.columns import first_unlike, numbers, trimmed
from timegrain.data.tables.keys import Keys, constant_within, read_keys
from timegrain.data.tables.source import TableSource

MANY = 100
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Target:
    """The labels of a table.

    Args:
        row: One a row: int64 classes, or float64 values with NaN where unknown.
        class_names: Of the classes; empty for values.
        label: One a recording where they are constant in each, else None.
    """

    row: np.ndarray
    class_names: tuple[str, ...]
    label: np.ndarray | None

    @property
    def words(self) -> str:
        """What they are, in words."""
        where = "one a sample" if self.label is None else "one a recording"
        if not self.class_names:
            return f"values, {where}"
        n = len(self.class_names)
        return f"{n} {'class' if n == 1 else 'classes'}, {where}"

    def notes(self, name: str) -> tuple[str, ...]:
        """Return what a reader should know of them."""
        whole = all(c.lstrip("-").isdigit() for c in self.class_names)
        if len(self.class_names) <= MANY or not whole:
            return ()
        return (
            f"the {len(self.class_names):,} different whole numbers of column {name!r} are read as "
            "classes; if they measure something, write them with a decimal point",
        )


def read_target(source: TableSource, name: str, owner: Keys) -> Target:
    """Return the labels in a column.

    Words, truth values and whole numbers are classes, numbered by name or size; other numbers are
    values. A label is one a recording where it is constant in each.

    Args:
        source: The table.
        name: Of the column.
        owner: The recording of each row.

    Raises:
        DataError: With file and row, if a class or the value of a recording is missing.
    """
    import pyarrow as pa

    if _holds_values(source, name):
        return _values(source, name, owner)
    if pa.types.is_temporal(source.kind(name)):
        raise DataError(
            f"{source.file}: column {name!r} holds dates or times, not labels",
            got=str(source.kind(name)),
            expected="words or numbers",
        )
    keys = _one_spelling(read_keys(source, name, "label"))
    order = _order(keys.names)
    number = np.empty(len(order), dtype=np.int64)
    number[order] = np.arange(len(order))
    label = constant_within(keys, owner)
    return Target(
        row=number[keys.codes],
        class_names=tuple(keys.names[i] for i in order),
        label=None if label is None else number[label],
    )


def _one_spelling(keys: Keys) -> Keys:
    """Take `+1` for `1`, and `TRUE` for `true`, where all names are such."""
    if all(_WHOLE.fullmatch(n) for n in keys.names):
        plain = [str(int(n)) for n in keys.names]
    elif all(n.lower() in ("true", "false") for n in keys.names):
        plain = [n.lower() for n in keys.names]
    else:
        return keys
    names = tuple(dict.fromkeys(plain))
    place = np.array([names.index(n) for n in plain], dtype=keys.codes.dtype)
    return Keys(codes=place[keys.codes], names=names)


def _holds_values(source: TableSource, name: str) -> bool:
    import pyarrow as pa

    kind = source.kind(name)
    if source.declared or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return bool(pa.types.is_floating(kind))
    words = trimmed(source.words(name))
    if first_unlike(words, pa.float64()) is not None:
        return False
    # a sign before a whole number makes no measurement of it
    return not all(_WHOLE.fullmatch(w) for w in words.unique().to_pylist() if w)


def _values(source: TableSource, name: str, owner: Keys) -> Target:
    found, _ = numbers(source, name)
    label = np.empty(len(owner))
    label[owner.codes] = found
    same = (label[owner.codes] == found) | (np.isnan(label[owner.codes]) & np.isnan(found))
    constant = bool(same.all())
    if constant and np.isnan(label).any():
        row = int(np.isnan(found).argmax())
        raise DataError(f"{source.place(row)}: no label in column {name!r}", got="an empty cell")
    return Target(row=found, class_names=(), label=label if constant else None)


def _order(names: tuple[str, ...]) -> np.ndarray:
    """By size where all are whole numbers, else by name."""
    try:
        return np.argsort(np.array([int(n) for n in names]), kind="stable")
    except (ValueError, OverflowError):
        return np.argsort(np.array(names), kind="stable")
