"""What a certificate has to know of a signal between its samples."""

from abc import ABC, abstractmethod
from typing import Self

import numpy as np
from jaxtyping import Float64

Channels = Float64[np.ndarray, " channel"]
Samples = Float64[np.ndarray, "batch time channel"]


class Moduli(ABC):
    """Bounds of a signal on its window, for every sequence of a batch, channel by channel.

    Attributes:
        proved: Whether they are bounds, given what was declared; else they are estimates.
        source: Where they come from, in words.
    """

    proved: bool
    source: str

    @abstractmethod
    def first(self, h: float) -> Channels:
        """Return a bound of `|u(t) - u(s)|` for `|t - s| <= h`, the modulus of continuity.

        Args:
            h: In the signal's time unit.
        """

    @abstractmethod
    def second(self, h: float) -> Channels:
        """Return a bound of `|u - l|`, `l` the lines between samples `h` apart from the first one.

        Args:
            h: In the signal's time unit.
        """

    @abstractmethod
    def largest(self) -> Channels:
        """Return a bound of `|u|`."""

    @abstractmethod
    def image(self, matrix: Float64[np.ndarray, "out channel"]) -> Self:
        """Return the moduli of `matrix u`."""
