"""One line of a `ModelCheck`."""

import math
from dataclasses import dataclass, replace
from typing import Literal

from timegrain.core.contract import FAILED, NOT_APPLICABLE, NOTED, PASSED
from timegrain.core.table import number

Bound = Literal["at most", "at least"]


@dataclass(frozen=True, kw_only=True)
class CheckRow:
    """What one check found, in one case.

    Args:
        check: Its name.
        case: Which case of it, such as a dtype; empty if there is one.
        verdict: `"passed"`, `"failed"`, `"not applicable"`, or `"noted"` for what the contract does
            not ask and a reader may want to know.
        measured: The number that was compared; None if there is none.
        allowed: What it was compared with.
        bound: `"at most"` or `"at least"`.
        reason: What was seen, or why the check does not apply.
        cure: What to do if it failed, as an imperative clause.
    """

    check: str = ""
    case: str = ""
    verdict: str
    measured: float | None = None
    allowed: float | None = None
    bound: str = "at most"
    reason: str = ""
    cure: str = ""

    @property
    def label(self) -> str:
        """Check and case."""
        return f"{self.check} {self.case}".strip()

    @property
    def said(self) -> str:
        """What was seen, in a few words, the number first where one was compared."""
        if self.measured is None or self.allowed is None:
            return self.reason or self.verdict
        text = f"{number(self.measured, 2)}, {self.bound} {number(self.allowed, 2)} allowed"
        return f"{text} ({self.reason})" if self.reason else text

    def of(self, check: str) -> "CheckRow":
        """Return the row under the name of its check."""
        return replace(self, check=check)


def compared(
    measured: float,
    allowed: float,
    *,
    case: str = "",
    bound: Bound = "at most",
    reason: str = "",
    cure: str,
) -> CheckRow:
    """Return the row of a number against its bound; one that is not finite fails.

    Args:
        measured: The number.
        allowed: The bound, finite.
        case: Which case.
        bound: Which side is right.
        reason: What was seen.
        cure: What to do if it failed.

    Example:
        >>> compared(1e-3, 1e-6, cure="carry the state").verdict
        'failed'
    """
    finite = math.isfinite(measured)
    right = finite and (measured <= allowed if bound == "at most" else measured >= allowed)
    return CheckRow(
        case=case,
        verdict=PASSED if right else FAILED,
        measured=measured if finite else None,
        allowed=allowed,
        bound=bound,
        reason=reason if finite else f"{reason}; NaN or infinity".removeprefix("; "),
        cure="" if right else cure,
    )


def passed(*, case: str = "", reason: str = "") -> CheckRow:
    """Return the row of a check that compares no number and passed."""
    return CheckRow(case=case, verdict=PASSED, reason=reason)


def failed(reason: str, *, case: str = "", cure: str) -> CheckRow:
    """Return the row of a check that compares no number and failed."""
    return CheckRow(case=case, verdict=FAILED, reason=reason, cure=cure)


def not_applicable(reason: str, *, case: str = "") -> CheckRow:
    """Return the row of a check that says nothing about this model."""
    return CheckRow(case=case, verdict=NOT_APPLICABLE, reason=reason)


def noted(reason: str, *, measured: float | None = None, case: str = "") -> CheckRow:
    """Return the row of what was seen and is neither right nor wrong."""
    finite = measured if measured is not None and math.isfinite(measured) else None
    return CheckRow(case=case, verdict=NOTED, measured=finite, reason=reason)
