"""Columns of names, such as that of a recording, a person or a class, as numbers."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from timegrain.core.errors import DataError
from timegrain.data.readers.place import printable
from timegrain.data.tables.source import TableSource


@dataclass(frozen=True, kw_only=True, eq=False)
class Keys:
    """One number a row for a name.

    Args:
        codes: `(row,)`, numbers of names.
        names: In the order of their first row.
    """

    codes: Int[np.ndarray, " row"]
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)


def read_keys(source: TableSource, name: str, noun: str) -> Keys:
    """Return a column of names; numbers are names too, as they are written.

    Args:
        source: The table.
        name: Of the column.
        noun: What it names, for errors.

    Raises:
        DataError: If a cell is empty, or the column holds nothing that could be a name.
    """
    _check_is_name(source, name, noun)
    number: dict[str, int] = {}
    parts, at = [], 0
    for chunk in _texts(source, name):
        encoded = chunk.dictionary_encode()
        if encoded.null_count:
            row = at + encoded.is_null().to_pylist().index(True)
            raise DataError(
                f"{source.place(row)}: no {noun} in column {name!r}", got="an empty cell"
            )
        local = [number.setdefault(word, len(number)) for word in encoded.dictionary.to_pylist()]
        parts.append(np.array(local, dtype=np.int32)[encoded.indices.to_numpy()])
        at += len(chunk)
    codes = np.concatenate(parts) if parts else np.empty(0, dtype=np.int32)
    return Keys(codes=codes, names=tuple(printable(word) for word in number))


def read_names(source: TableSource, names: tuple[str, ...], noun: str) -> Keys:
    """Return columns that name something together: `p1/monday` for `p1` and `monday`.

    Args:
        source: The table.
        names: Of the columns, one or more.
        noun: What they name, for errors.

    Raises:
        DataError: As `read_keys` does.
    """
    found = read_keys(source, names[0], noun)
    for name in names[1:]:
        other = read_keys(source, name, noun)
        pairs = found.codes.astype(np.int64) * len(other) + other.codes
        kinds, first, codes = np.unique(pairs, return_index=True, return_inverse=True)
        order = np.argsort(first)
        place = np.empty(len(order), dtype=np.int32)
        place[order] = np.arange(len(order))
        found = Keys(
            codes=place[codes],
            names=tuple(
                f"{found.names[k // len(other)]}/{other.names[k % len(other)]}"
                for k in kinds[order].tolist()
            ),
        )
    return found


def constant_within(keys: Keys, owner: Keys) -> np.ndarray | None:
    """Return the one key of every owner, `(owner,)`, or None where an owner has several.

    Args:
        keys: One a row.
        owner: One a row, such as the recording.

    Example:
        >>> who = Keys(codes=np.array([0, 0, 1]), names=("a", "b"))
        >>> constant_within(Keys(codes=np.array([5, 5, 2]), names=()), who).tolist()
        [5, 2]
    """
    found = np.empty(len(owner), dtype=np.int64)
    # the last row of an owner wins; where all rows agree it is the one
    found[owner.codes] = keys.codes
    return found if bool((found[owner.codes] == keys.codes).all()) else None


def first_conflict(keys: Keys, owner: Keys) -> int:
    """Return the first row whose key is not that of its owner's first row."""
    _, first = np.unique(owner.codes, return_index=True)
    return int((keys.codes != keys.codes[first][owner.codes]).argmax())


def _check_is_name(source: TableSource, name: str, noun: str) -> None:
    import pyarrow as pa

    kind = source.kind(name)
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_null(kind):
        raise DataError(f"{source.file}: column {name!r} is empty, and so names no {noun}")
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise DataError(
            f"{source.file}: column {name!r} cannot name a {noun}",
            got=str(kind),
            expected="text or whole numbers",
        )


def _texts(source: TableSource, name: str) -> Any:
    import pyarrow as pa

    if not source.declared:
        yield _filled(source.words(name))
        return
    for chunk in source.chunks(name):
        yield _filled(chunk.cast(pa.string()))


def _filled(words: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    from timegrain.data.readers.delimiter import MISSING

    bare = pc.utf8_trim_whitespace(words)
    missing = pc.is_in(bare, value_set=pa.array([m for m in MISSING if m in ("", "?")]))
    return pc.if_else(missing, pa.scalar(None, pa.string()), bare)
