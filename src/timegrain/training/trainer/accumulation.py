"""The gradient of a batch that does not fit into memory at once, from parts of it."""

from typing import TYPE_CHECKING

import torch
from torch import nn

from timegrain.resample.lengths import coarse_lengths
from timegrain.training.batch import Batch
from timegrain.training.plan.settings import StepSettings
from timegrain.training.targets import asked_after
from timegrain.training.truncated.long_batch import LongBatch

if TYPE_CHECKING:
    from timegrain.training.trainer.gradient import GradientRule


class AccumulatedGradient:
    """The gradient of the mean loss of a whole batch, from one part of it after the other.

    Each part weighs as much as it has answers: sequences, or samples where one is asked if there
    is a target for each. The sum is that of the whole batch but for rounding; dropout draws for
    each part anew, and a layer with statistics of its batch, such as BatchNorm, has those of a
    part.

    Args:
        model: The network.
        rule: How the gradient of a part comes about.
        parts: How many a full batch has.
    """

    def __init__(self, model: nn.Module, rule: "GradientRule", parts: int) -> None:
        self.model, self.rule, self.parts = model, rule, parts

    def __call__(self, batch: Batch | LongBatch, settings: StepSettings, offset: int) -> float:
        """Return the mean loss of the batch; its gradient is on the parameters."""
        indices = torch.arange(len(batch)).split(settings.batch_size // self.parts)
        if len(indices) == 1:
            return self.rule(batch, settings, offset)
        pieces = [batch.take(index) for index in indices]
        kept = (settings.stride, offset, settings.decimator)
        counts = [answers(piece, *kept) for piece in pieces]
        parameters = [p for p in self.model.parameters() if p.requires_grad]
        sums: list[torch.Tensor | None] = [None] * len(parameters)
        total = 0.0
        for piece, count in zip(pieces, counts, strict=True):
            weight = count / max(sum(counts), 1)
            self.model.zero_grad()
            total += weight * self.rule(piece, settings, offset)
            gradients = [None if p.grad is None else p.grad * weight for p in parameters]
            sums = [_plus(a, b) for a, b in zip(sums, gradients, strict=True)]
        for parameter, gradient in zip(parameters, sums, strict=True):
            parameter.grad = gradient
        return total


def answers(batch: Batch | LongBatch, stride: int, offset: int, decimator: str = "phase") -> int:
    """Return how many answers the mean loss of a batch is over.

    Args:
        batch: All samples.
        stride: One sample is kept in so many.
        offset: The phase.
        decimator: As for `decimate`.
    """
    some = asked_after(batch, stride, offset, decimator)
    if some is not None:
        return some
    if not batch.per_step:
        return len(batch)
    full = torch.full((len(batch),), batch.x.shape[1])
    known = full if batch.lengths is None else batch.lengths.cpu()
    left = coarse_lengths(known.numpy(), stride, offset=offset)
    return int(left.clip(min=1).sum())


def _plus(a: torch.Tensor | None, b: torch.Tensor | None) -> torch.Tensor | None:
    if a is None or b is None:
        return b if a is None else a
    return a.add_(b)
