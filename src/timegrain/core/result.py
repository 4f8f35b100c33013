"""The base of every result: a frozen record that prints, stores and explains itself."""

import html
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

from timegrain.core.citing import Reference, Style, formatted, software
from timegrain.core.codec import decode, encode
from timegrain.core.errors import ResultError
from timegrain.core.kinds import result_kinds
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.references import PAPER, REFERENCES
from timegrain.core.table import pairs

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, kw_only=True, repr=False)
class Result:
    """A measurement with its outcome, its provenance and the reasons for what it lacks.

    Args:
        name: What was measured.
        outcome: How the measurement ended.
        provenance: What it was made with.
        reasons: Field name to why the field is null.
        notes: Sentences a reader has to see beside the numbers.
    """

    kind: ClassVar[str]
    schema_version: ClassVar[int] = 1

    name: str
    outcome: Outcome
    provenance: Provenance
    reasons: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, object]]:
        """Return the measurement as a tidy table, one dict a row."""
        raise TypeError(f"{type(self).__name__} defines no rows()")

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return `(label, text)` lines for people."""
        raise TypeError(f"{type(self).__name__} defines no summary_lines()")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON values, headed by its schema and version."""
        body = encode(self)
        if not isinstance(body, dict):
            raise ResultError("a result must be a record", got=type(self).__name__)
        return {"schema": self.kind, "schema_version": self.schema_version, **body}

    def to_json(self, *, indent: int | None = 2) -> str:
        """Return the result as JSON text without NaN or infinity."""
        return json.dumps(self.to_dict(), indent=indent, allow_nan=False, ensure_ascii=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the result that `to_dict` wrote.

        Raises:
            ResultError: If the schema, its version or a field does not fit.
        """
        if data.get("schema") != cls.kind:
            raise ResultError("wrong kind of result", got=data.get("schema"), expected=cls.kind)
        version = data.get("schema_version")
        if not isinstance(version, int) or not 1 <= version <= cls.schema_version:
            raise ResultError(
                f"cannot read schema version of {cls.kind}",
                got=version,
                expected=f"1..{cls.schema_version}",
                hint="a newer timegrain",
            )
        body = {k: v for k, v in data.items() if k not in ("schema", "schema_version")}
        return decode(cls, body, at=cls.kind)

    def to_arrow(self) -> "pyarrow.Table":
        """Return `rows()` as an Arrow table with the schema's name in its metadata."""
        import pyarrow

        table = pyarrow.Table.from_pylist([encode(r) for r in self.rows()])
        label = {b"schema": f"{self.kind}/{self.schema_version}".encode()}
        return table.replace_schema_metadata(label)

    def sources(self) -> tuple[str, ...]:
        """Return the keys in `timegrain.core.references` of what this measurement rests on."""
        return (PAPER,)

    def cite(self, style: Style = "text") -> str:
        """Return what to cite for this measurement: this package, then the method's sources.

        Args:
            style: `"text"` for a line each, `"bibtex"` for entries of a `.bib` file.

        Raises:
            ConfigError: If the style is neither.
        """
        return formatted(self.references(), style)

    def references(self) -> tuple[Reference, ...]:
        """Return this package, as it was used, and the sources of the method."""
        own = software(self.provenance.timegrain, self.provenance.created)
        return (own, *(REFERENCES[key] for key in self.sources()))

    def __repr__(self) -> str:
        return self.printed()

    def printed(self, spoken: Callable[[str], str] = str) -> str:
        """Return the lines people read, wrapped.

        Args:
            spoken: What is made of each text before it is wrapped.
        """
        title = f"{self.kind.replace('-', ' ')}: {self.name}"
        lines = [*self.summary_lines(), *(("note", n) for n in self.notes)]
        return pairs([(label, spoken(text)) for label, text in lines], title=title)

    def _repr_html_(self) -> str:
        lines = [*self.summary_lines(), *(("note", n) for n in self.notes)]
        cells = "".join(
            f"<tr><th style='text-align:left'>{html.escape(label)}</th>"
            f"<td style='text-align:left'>{html.escape(text)}</td></tr>"
            for label, text in lines
        )
        title = html.escape(f"{self.kind.replace('-', ' ')}: {self.name}")
        return f"<table><caption>{title}</caption>{cells}</table>"


def read_result(text: str, *, origin: str = "result") -> Result:
    """Return the result stored in JSON `text`, whatever its kind.

    Args:
        text: What `Result.to_json` wrote.
        origin: Where the text is from, for errors.

    Raises:
        ResultError: If the text is no result of a kind this version knows.
    """
    data = _parse(text, origin)
    if not isinstance(data, dict) or not isinstance(data.get("schema"), str):
        raise ResultError(f"{origin} is not a timegrain result", expected="a field `schema`")
    cls = result_kinds.load(data["schema"])
    if not (isinstance(cls, type) and issubclass(cls, Result)):
        raise ResultError(f"{origin} names no result class", got=data["schema"])
    return cls.from_dict(data)


def _parse(text: str, origin: str) -> object:
    try:
        data = json.loads(text)
        # a lone half of a surrogate pair parses, and can then be neither printed nor drawn
        json.dumps(data, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        where = f"{error.msg} at line {error.lineno}"
        raise ResultError(f"{origin} is not JSON", got=where) from error
    except (ValueError, RecursionError) as error:
        raise ResultError(f"{origin} cannot be a result", got=str(error)[:60]) from error
    return data
