"""What `check_source` returns."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.contract import FAILED, NOTED, verdict_text
from timegrain.core.errors import DataError
from timegrain.core.result import Result
from timegrain.data.source_check.row import SourceRow


@dataclass(frozen=True, kw_only=True, repr=False)
class SourceCheck(Result):
    """Which parts of the contract a source of data keeps, with what was seen and what to do.

    Args:
        made: Whether its cases are made by number.
        n_sequences: Sequences that were looked at.
        data_version: Of a shipped set, the version that was looked at.
        checks: One row a check and case, in the order they ran.
    """

    kind: ClassVar[str] = "source-check"

    made: bool
    n_sequences: int
    data_version: int | None = None
    checks: tuple[SourceRow, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[SourceRow, ...]:
        """The rows of checks that failed."""
        return tuple(row for row in self.checks if row.verdict == FAILED)

    def raise_if_failed(self) -> None:
        """Raise if a check failed.

        Raises:
            DataError: If one did; the text names all that did and what to do about the first.
        """
        if self.passed:
            return
        raise DataError(
            f"{self.name} does not keep the contract of a source",
            got="; ".join(f"{row.label} ({row.reason})" for row in self.failures),
            hint=self.failures[0].cure or None,
        )

    def rows(self) -> list[dict[str, object]]:
        """Return one row a check and case."""
        return [
            {
                "check": row.check,
                "case": row.case,
                "verdict": row.verdict,
                "reason": row.reason,
                "cure": row.cure,
            }
            for row in self.checks
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the verdict, then one line a check and case."""
        return [
            ("verdict", verdict_text([row.verdict for row in self.checks])),
            *((row.label, _line(row)) for row in self.checks),
        ]


def _line(row: SourceRow) -> str:
    if row.verdict == NOTED:
        return row.reason
    text = "FAILED" if row.verdict == FAILED else row.verdict
    text += f": {row.reason}" if row.reason else ""
    return text + (f". Try {row.cure}" if row.verdict == FAILED and row.cure else "")
