"""How many sequences a set has, and how long they are."""

from dataclasses import dataclass

from timegrain.core.errors import DataError
from timegrain.data.cards.checks import check_count, check_text


@dataclass(frozen=True, kw_only=True)
class Size:
    """Counts of a set as `load_dataset` returns it.

    Args:
        sequences: Cases or recordings, all parts together.
        shortest: Samples of the shortest one.
        longest: Samples of the longest one.
        channels: Numbers a sample; None for symbols.
        symbols: Symbols in the vocabulary; None for numbers.
        dt: Step between samples, in `unit`.
        unit: Time unit.

    Raises:
        DataError: If a count is impossible, or both or neither of channels and symbols are given.

    Example:
        >>> Size(sequences=200, shortest=150, longest=150, channels=1).kind
        'real'
    """

    sequences: int
    shortest: int
    longest: int
    channels: int | None = None
    symbols: int | None = None
    dt: float = 1.0
    unit: str = "sample"

    def __post_init__(self) -> None:
        check_count("size", least=1, sequences=self.sequences)
        check_count("size", least=2, shortest=self.shortest)
        check_count("size", least=self.shortest, longest=self.longest)
        if (self.channels is None) == (self.symbols is None):
            raise DataError(
                "size says neither or both of channels and symbols",
                got=f"channels={self.channels}, symbols={self.symbols}",
                expected="channels of numbers, or symbols of a vocabulary",
            )
        check_count("size", least=1, width=self.width)
        if not self.dt > 0:
            raise DataError("size has no usable dt", got=self.dt, expected="above 0")
        check_text("size", unit=self.unit)

    @property
    def kind(self) -> str:
        """`"real"` or `"tokens"`."""
        return "real" if self.symbols is None else "tokens"

    @property
    def width(self) -> int:
        """Channels, or symbols."""
        return self.channels if self.channels is not None else self.symbols or 0
