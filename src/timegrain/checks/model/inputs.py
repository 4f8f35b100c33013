"""Inputs for a model: noise, or tokens."""

from dataclasses import dataclass

import torch
from torch import Tensor

from timegrain.core.seeds import stream


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Draws what a model can be given.

    Args:
        width: Channels, or the number of tokens.
        tokens: Whether inputs are whole numbers in `0..width-1`.
        seed: Of every draw.
    """

    width: int
    tokens: bool
    seed: int

    def draw(self, batch: int, time: int, *, number: int = 0) -> Tensor:
        """Return `(batch, time, width)` standard normal float64, or `(batch, time)` tokens.

        Args:
            batch: Sequences.
            time: Samples.
            number: Another number, another draw.
        """
        random = stream(self.seed, "inputs", number)
        if self.tokens:
            return torch.from_numpy(random.integers(self.width, size=(batch, time)))
        return torch.from_numpy(random.standard_normal((batch, time, self.width)))

    def steps(self, batch: int, time: int) -> Tensor:
        """Return step ratios `(batch, time)` between about 1/3 and 3."""
        random = stream(self.seed, "steps", 0)
        return torch.from_numpy(random.uniform(-1.1, 1.1, (batch, time))).exp()

    def projection(self, y: Tensor) -> Tensor:
        """Return noise like an output, to make one number of it."""
        random = stream(self.seed, "projection", 0)
        return torch.from_numpy(random.standard_normal(tuple(y.shape))).to(y)

    def poisoned(self, x: Tensor, lengths: Tensor, poison: float) -> Tensor:
        """Return `x` with something else after the first `lengths[i]` samples of sequence i.

        Args:
            x: What `draw` returned, in any dtype.
            lengths: Valid samples.
            poison: What stands there; for tokens, other tokens do.
        """
        beyond = torch.arange(x.shape[1], device=x.device) >= lengths[:, None]
        if self.tokens:
            return torch.where(beyond, (x + 1) % self.width, x)
        return x.masked_fill(beyond[..., None], poison)
