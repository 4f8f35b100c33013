"""Moduli estimated on a grid finer than the samples."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.certificate.moduli.base import Channels, Moduli, Samples
from timegrain.continuity.certificate.moduli.swing import swing


@dataclass(frozen=True, kw_only=True, eq=False)
class Estimated(Moduli):
    """Moduli of a function seen at the points of a fine grid, with a margin for what lies between.

    Args:
        samples: On the fine grid.
        step: Of that grid.

    Math:
        Between two points a function with a continuous second derivative misses the line by
        `max|u''| step^2 / 8`, to leading order an eighth of the largest second difference on the
        fine grid. The margin is four times that, half the largest second difference, for each value
        that enters. It is no proof: a spike between two points is not seen.
    """

    samples: Samples
    step: float
    proved: bool = False
    source: str = "moduli estimated on a finer grid, with a margin of four"

    def first(self, h: float) -> Channels:
        """Return the largest swing on the fine grid and two margins."""
        return swing(self.samples, self._steps(h)) + 2 * self._margin

    def second(self, h: float) -> Channels:
        """Return the largest second difference of spans up to `h / 2` and four margins.

        On an interval a function misses the line through its ends by at most that: where it misses
        by most, the nearer end and its mirror image show it.
        """
        worst = np.zeros(self.samples.shape[2])
        for j in range(1, min(-(-self._steps(h) // 2), (self.samples.shape[1] - 1) // 2) + 1):
            worst = np.maximum(worst, _second_difference(self.samples, j))
        return worst + 4 * self._margin

    def largest(self) -> Channels:
        """Return the largest value on the fine grid and a margin."""
        return np.abs(self.samples).max((0, 1)) + self._margin

    def image(self, matrix: Float64[np.ndarray, "out channel"]) -> Self:
        """Return the moduli of `matrix u`, estimated likewise."""
        return type(self)(samples=self.samples @ matrix.T, step=self.step)

    @property
    def _margin(self) -> Channels:
        return _second_difference(self.samples, 1) / 2

    def _steps(self, h: float) -> int:
        return max(int(np.ceil(h / self.step * (1 - 1e-12))), 1)


def _second_difference(samples: Samples, span: int) -> Channels:
    ends = samples[:, : -2 * span] + samples[:, 2 * span :]
    gaps = np.abs(ends - 2 * samples[:, span:-span])
    return gaps.max((0, 1), initial=0.0)
