"""References as text and as BibTeX."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from timegrain.core.errors import ConfigError

Style = Literal["text", "bibtex"]

_ACCENTS = {"é": r"{\'e}", "ç": r"{\c{c}}", "–": "--"}
_SPECIAL = re.compile(r"([&%$#_])")


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A published source.

    Args:
        key: Its BibTeX key.
        kind: BibTeX's type of entry.
        authors: `(family, given)` names; an empty given name is that of a group.
        title: As published.
        year: Of publication.
        venue: Journal or conference; empty for none.
        volume: Of a journal.
        number: Of its issue.
        pages: As `405-413`.
        doi: Without the address.
        arxiv: Number on arXiv.
        note: What else has to be said.
    """

    key: str
    kind: Literal["article", "inproceedings", "misc"]
    authors: tuple[tuple[str, str], ...]
    title: str
    year: int | str
    venue: str = ""
    volume: str = ""
    number: str = ""
    pages: str = ""
    doi: str = ""
    arxiv: str = ""
    note: str = ""

    @property
    def url(self) -> str:
        """Where it is read; empty where that is not known."""
        if self.doi:
            return f"https://doi.org/{self.doi}"
        return f"https://arxiv.org/abs/{self.arxiv}" if self.arxiv else ""

    def text(self) -> str:
        """Return one line for a list of references.

        Example:
            >>> one = Reference(
            ...     key="a", kind="misc", authors=(("Doe", "J. R."),), title="T", year=2000
            ... )
            >>> one.text()
            'Doe, J. R. (2000). T.'
        """
        place = ", ".join(part for part in (self.venue, self.volume) if part)
        place += f"({self.number})" * bool(self.number) + f", {self.pages}" * bool(self.pages)
        where = [place, self.note, f"arXiv:{self.arxiv}" * bool(self.arxiv), self.url]
        authors = ", ".join(_short(*name) for name in self.authors)
        parts = [f"{authors} ({self.year})", self.title, *(part for part in where if part)]
        return ". ".join(parts) + ("" if self.url else ".")

    def bibtex(self) -> str:
        """Return a BibTeX entry, in ASCII; capitals of the title are kept."""
        names = " and ".join(
            f"{family}, {given}" if given else f"{{{family}}}" for family, given in self.authors
        )
        venue = {"article": "journal", "inproceedings": "booktitle"}.get(self.kind, "howpublished")
        fields = {
            "author": names,
            "title": f"{{{self.title}}}",
            venue: self.venue,
            "volume": self.volume,
            "number": self.number,
            "pages": self.pages.replace("-", "--"),
            "year": str(self.year),
            "eprint": self.arxiv,
            "archiveprefix": "arXiv" if self.arxiv else "",
            "note": self.note,
        }
        lines = [f"  {name} = {{{_escaped(value)}}}" for name, value in fields.items() if value]
        lines += [
            f"  {name} = {{{value}}}"
            for name, value in (("doi", self.doi), ("url", self.url))
            if value
        ]
        return f"@{self.kind}{{{self.key},\n" + ",\n".join(lines) + "\n}"


def software(version: str, created: str) -> Reference:
    """Return how to cite this package, as CITATION.cff has it.

    Args:
        version: Of the package.
        created: When it was used, as an ISO date; its year stands in the reference.
    """
    return Reference(
        key="timegrain",
        kind="misc",
        authors=(("The timegrain developers", ""),),
        title="timegrain: continuity in time of sequence models and datasets",
        year=created[:4],
        note=f"Software, version {version}, used on {created[:10]}",
    )


def formatted(references: Sequence[Reference], style: Style) -> str:
    """Return references, each once: a line each, or BibTeX entries.

    Raises:
        ConfigError: If the style is neither `"text"` nor `"bibtex"`.
    """
    if style not in get_args(Style):
        raise ConfigError(
            "unknown style of citation", got=repr(style), expected="'text' or 'bibtex'"
        )
    once = list({r.key: r for r in references}.values())
    if style == "text":
        return "\n".join(r.text() for r in once)
    return "\n\n".join(r.bibtex() for r in once) + "\n"


def _short(family: str, given: str) -> str:
    initials = " ".join(part if part.endswith(".") else f"{part[0]}." for part in given.split())
    return f"{family}, {initials}" if initials else family


def _escaped(text: str) -> str:
    for letter, code in _ACCENTS.items():
        text = text.replace(letter, code)
    return _SPECIAL.sub(r"\\\1", text)
