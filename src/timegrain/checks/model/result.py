"""What `check_model` returns."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.checks.model.row import CheckRow
from timegrain.core.contract import FAILED, NOT_APPLICABLE, NOTED, PASSED, verdict_text
from timegrain.core.errors import ModelError
from timegrain.core.result import Result
from timegrain.core.table import number


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelCheck(Result):
    """Which parts of the contract a model keeps, with what was measured and what to do.

    Args:
        dtype: The type that equalities were checked in.
        told: Whether the model takes tau.
        quick: Whether lengths were shortened.
        checks: One row a check and case, in the order they ran.
    """

    kind: ClassVar[str] = "model-check"

    dtype: str
    told: bool
    quick: bool
    checks: tuple[CheckRow, ...]

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def failures(self) -> tuple[CheckRow, ...]:
        """The rows of checks that failed."""
        return tuple(row for row in self.checks if row.verdict == FAILED)

    def raise_if_failed(self) -> None:
        """Raise if a check failed.

        Raises:
            ModelError: If one did; the text names all that did and what to do about the first.
        """
        if self.passed:
            return
        failed = [f"{row.label} ({row.said})" for row in self.failures]
        raise ModelError(
            f"{self.name} does not keep the contract of a layer in time",
            got="; ".join(failed),
            hint=self.failures[0].cure or None,
        )

    def rows(self) -> list[dict[str, object]]:
        """Return one row a check and case."""
        return [
            {
                "check": row.check,
                "case": row.case,
                "verdict": row.verdict,
                "measured": row.measured,
                "allowed": row.allowed,
                "bound": row.bound,
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


def _line(row: CheckRow) -> str:
    if row.verdict == NOT_APPLICABLE:
        return f"not applicable: {row.reason}"
    if row.verdict == NOTED:
        return row.reason
    text = row.verdict if row.verdict == PASSED else "FAILED"
    if row.measured is not None and row.allowed is not None:
        text += f": {number(row.measured, 2)}, {row.bound} {number(row.allowed, 2)}"
    text += f" ({row.reason})" if row.reason else ""
    return text + (f". Try {row.cure}" if row.verdict == FAILED and row.cure else "")
