"""One line of a `SourceCheck`."""

from dataclasses import dataclass, replace

from timegrain.core.contract import FAILED, NOT_APPLICABLE, NOTED, PASSED


@dataclass(frozen=True, kw_only=True)
class SourceRow:
    """What one check found, in one case.

    Args:
        check: Its name.
        case: Which case of it; empty if there is one.
        verdict: `"passed"`, `"failed"`, `"not applicable"`, or `"noted"` for what the contract does
            not ask and a reader may want to know.
        reason: What was seen, or why the check does not apply.
        cure: What to do if it failed, as an imperative clause.
    """

    check: str = ""
    case: str = ""
    verdict: str
    reason: str = ""
    cure: str = ""

    @property
    def label(self) -> str:
        """Check and case."""
        return f"{self.check} {self.case}".strip()

    def of(self, check: str) -> "SourceRow":
        """Return the row under the name of its check."""
        return replace(self, check=check)


def passed(reason: str = "", *, case: str = "") -> SourceRow:
    """Return the row of a check that passed."""
    return SourceRow(case=case, verdict=PASSED, reason=reason)


def failed(reason: str, *, case: str = "", cure: str) -> SourceRow:
    """Return the row of a check that failed."""
    return SourceRow(case=case, verdict=FAILED, reason=reason, cure=cure)


def holds(right: bool, reason: str, *, wrong: str, case: str = "", cure: str) -> SourceRow:
    """Return the row of a check that passed if it is right, with what was seen in either case.

    Args:
        right: Whether it is.
        reason: What was seen if it is right.
        wrong: What was seen if it is wrong.
        case: Which case.
        cure: What to do if it is wrong.

    Example:
        >>> holds(False, "all fit", wrong="3 do not", cure="dropping them").verdict
        'failed'
    """
    return passed(reason, case=case) if right else failed(wrong, case=case, cure=cure)


def not_applicable(reason: str, *, case: str = "") -> SourceRow:
    """Return the row of a check that says nothing about this source."""
    return SourceRow(case=case, verdict=NOT_APPLICABLE, reason=reason)


def noted(reason: str, *, case: str = "") -> SourceRow:
    """Return the row of what was seen and is neither right nor wrong."""
    return SourceRow(case=case, verdict=NOTED, reason=reason)
