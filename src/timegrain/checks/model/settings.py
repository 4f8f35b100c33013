"""How long the sequences of the checks are."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Sizes of the checks.

    Args:
        quick: Whether they were shortened.
        steps: Samples that are stepped through one by one.
        longest: Samples of the longest sequence.
        patience: Seconds of processor time, or five of waiting, that the longest sequence, or all
            steps, may take; a slower model is checked on fewer samples, and the result says so.
        amplitude: Of the input of the longest sequence.
        levels: The step is halved so many times where an order is measured.
    """

    quick: bool
    steps: int
    longest: int
    patience: float
    amplitude: float = 100.0
    levels: int = 6

    @classmethod
    def of(cls, *, quick: bool) -> "Settings":
        """Return the sizes: 4,096 steps and 65,536 samples, or 256 and 4,096."""
        if quick:
            return cls(quick=True, steps=256, longest=4096, patience=2.0)
        return cls(quick=False, steps=4096, longest=65_536, patience=60.0)
