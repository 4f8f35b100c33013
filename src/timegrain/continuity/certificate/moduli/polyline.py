"""Moduli of a signal that is given by samples: the lines between them."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.certificate.moduli.base import Channels, Moduli, Samples
from timegrain.continuity.certificate.moduli.swing import swing

NEAR = 1e-9  # a ratio of steps as close to a whole number is one, up to rounding


@dataclass(frozen=True, kw_only=True, eq=False)
class Polyline(Moduli):
    """Moduli of the polyline through samples, exact up to a step, bounds beyond.

    Args:
        samples: Its corners.
        step: Between these.

    Math:
        The difference of two points at most h apart is largest with one of them at a corner or at
        the distance h: for `h <= step` it is h times the steepest slope, for `h = m step` the
        largest swing within `m + 1` corners.
    """

    samples: Samples
    step: float
    proved: bool = True
    source: str = "the signal is the lines between its samples"

    def first(self, h: float) -> Channels:
        """Return the modulus of continuity; that of the next whole number of steps beyond one."""
        if h <= self.step:
            return h / self.step * swing(self.samples, 1)
        return swing(self.samples, int(np.ceil(h / self.step - NEAR)))

    def second(self, h: float) -> Channels:
        """Return the largest miss at corners; nothing is missed where samples meet them all."""
        finer, coarser = self.step / h, h / self.step
        if finer >= 1 - NEAR and abs(finer - round(finer)) < NEAR * finer:
            return np.zeros(self.samples.shape[2])
        if abs(coarser - round(coarser)) >= NEAR * coarser:
            return self.first(h)
        return self._missed(round(coarser))

    def largest(self) -> Channels:
        """Return the largest corner."""
        return np.abs(self.samples).max((0, 1))

    def image(self, matrix: Float64[np.ndarray, "out channel"]) -> Self:
        """Return the moduli of `matrix u`, a polyline too."""
        return type(self)(samples=self.samples @ matrix.T, step=self.step)

    def _missed(self, stride: int) -> Channels:
        n = (self.samples.shape[1] - 1) // stride * stride + 1
        worst = np.zeros(self.samples.shape[2])
        ends = self.samples[:, :n:stride]
        for j in range(1, stride):
            w = j / stride
            line = (1 - w) * ends[:, :-1] + w * ends[:, 1:]
            there = self.samples[:, j:n:stride]
            missed = np.abs(there - line)
            worst = np.maximum(worst, missed.max((0, 1), initial=0.0))
        return worst
