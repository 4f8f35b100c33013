"""One claim, in words, and whether the numbers bear it out."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Sentence:
    """A claim checked against numbers.

    Args:
        claim: The claim in a few words.
        text: One sentence with the numbers.
        holds: True or False where the numbers stand out from their noise, None where they do not
            or are missing.
    """

    claim: str
    text: str
    holds: bool | None

    @property
    def answer(self) -> str:
        """`holds` as a word."""
        return {True: "holds", False: "does not hold", None: "cannot tell"}[self.holds]
