"""What a page is made of: sections with figures and tables."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from timegrain.report.figures.words import Words, listing, unique
from timegrain.report.page.numbers import Cell

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, kw_only=True)
class Table:
    """A table.

    Args:
        caption: What it holds, in a sentence.
        header: Names of the columns.
        rows: Cells, each row as long as the header; the first cell names the row.
        folded: Shown only when opened.
    """

    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    folded: bool = False

    def without(self, *names: str) -> "Table":
        """Return the table without the columns of these names."""
        kept = [i for i, name in enumerate(self.header) if name not in names]
        rows = tuple(tuple(row[i] for i in kept) for row in self.rows)
        return replace(self, header=tuple(self.header[i] for i in kept), rows=rows)

    def column(self, name: str) -> list[str]:
        """Return the texts of a column."""
        return [row[self.header.index(name)].text for row in self.rows]


@dataclass(frozen=True, kw_only=True)
class Plate:
    """A figure with its words.

    Args:
        draw: Draws it at a width in points, without a title.
        words: Title, caption and description.
        name: Of what it is, where a section has several.
        parts: Figures of its parts, for a page that the whole is too high for.
    """

    draw: "Callable[[float], Figure]"
    words: Words
    name: str = ""
    parts: "tuple[Plate, ...]" = ()


@dataclass(frozen=True, kw_only=True)
class Section:
    """One section.

    Args:
        key: Its anchor.
        heading: Its heading.
        lead: What the section is about, one or two sentences.
        plates: Its figures.
        tables: Its tables.
        notes: Sentences that a reader has to see beside the numbers.
    """

    key: str
    heading: str
    lead: str
    plates: tuple[Plate, ...] = ()
    tables: tuple[Table, ...] = ()
    notes: tuple[str, ...] = ()


def attributed(notes: Iterable[tuple[str, str]]) -> tuple[str, ...]:
    """Return notes without repetition, each with whom it is about unless it is about all.

    Args:
        notes: `(name, note)`, every name at least once; an empty note stands for none.

    Example:
        >>> attributed([("S4D", "a"), ("S6", "a"), ("S6", "b"), ("GRU", "a"), ("GRU", "")])
        ('a', 'S6: b')
    """
    everyone: set[str] = set()
    holders: dict[str, list[str]] = {}
    for name, note in notes:
        everyone.add(name)
        if note:
            holders.setdefault(note, []).append(name)
    return tuple(
        note if everyone == set(names) else f"{listing(unique(names))}: {note}"
        for note, names in holders.items()
    )


def named(name: str, notes: Iterable[str]) -> list[tuple[str, str]]:
    """Return the notes of one name for `attributed`."""
    return [(name, ""), *((name, note) for note in notes)]
