"""One line of an examination."""

from dataclasses import dataclass

FINE, NOTE, BROKEN = "fine", "note", "broken"


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something found about an installation.

    Args:
        group: What it belongs to, such as `"versions"`.
        name: What it is.
        value: What was found.
        verdict: `"fine"`, `"note"` for what may cost time or is absent, or `"broken"`.
        advice: What to do, where it is not fine; an imperative clause.
    """

    group: str
    name: str
    value: str
    verdict: str = FINE
    advice: str = ""
