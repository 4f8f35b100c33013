"""Moduli that follow from bounds of derivatives, which the user declares."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.certificate.moduli.base import Channels, Moduli, Samples


@dataclass(frozen=True, kw_only=True, eq=False)
class Declared(Moduli):
    """Moduli of a signal whose slope, and perhaps curvature, is known to be bounded.

    Args:
        slope: A bound of `|u'|` (or the Lipschitz constant), `(channel,)`.
        curvature: A bound of `|u''|`, `(channel,)`; None where it is not known.
        samples: Of the signal, from the first to the last instant of its window.
        step: Between these.

    Math:
        `|u(t) - u(s)| <= L |t - s|`; on an interval of length h the line through the ends misses by
        at most `h^2/8 sup|u''|`, and by at most `L h / 2` where only L is known.
    """

    slope: Channels
    curvature: Channels | None
    samples: Samples
    step: float
    proved: bool = True
    source: str = "derivatives bounded by what was declared"

    def first(self, h: float) -> Channels:
        """Return `slope * h`."""
        return self.slope * h

    def second(self, h: float) -> Channels:
        """Return the smaller of the two bounds above."""
        rough = self.slope * h / 2
        return rough if self.curvature is None else np.minimum(rough, self.curvature * h * h / 8)

    def largest(self) -> Channels:
        """Return the largest sample plus what fits between two."""
        return np.abs(self.samples).max((0, 1)) + self.slope * self.step / 2

    def image(self, matrix: Float64[np.ndarray, "out channel"]) -> Self:
        """Return the moduli of `matrix u`: derivatives add up by absolute weights."""
        size = np.abs(matrix)
        return type(self)(
            slope=size @ self.slope,
            curvature=None if self.curvature is None else size @ self.curvature,
            samples=self.samples @ matrix.T,
            step=self.step,
        )
