"""The gradient of a loss through a chunk of time at a time."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import torch
from torch import nn

from timegrain.core.errors import ConfigError
from timegrain.training.batch import Batch
from timegrain.training.objective import Objective
from timegrain.training.plan.settings import StepSettings
from timegrain.training.score import device_of
from timegrain.training.targets import asked, asked_after
from timegrain.training.trainer.precision import Precision
from timegrain.training.truncated.carrying import as_carrying
from timegrain.training.truncated.long_batch import Chunk, LongBatch
from timegrain.training.truncated.pooling import Pooling, pool, stretch

if TYPE_CHECKING:
    from timegrain.training.trainer.gradient import GradientRule


@dataclass(frozen=True, kw_only=True)
class TruncatedGradient:
    """Back-propagation through `size` samples at a time, from a state that is carried along.

    The loss is that of whole sequences, and the state runs through them; the gradient stops where
    a chunk begins. Memory is that of one chunk. With an answer a sample, each chunk's share of the
    loss is propagated by itself. With one a sequence there are two passes: the first, without a
    graph, gives the pooled features and the gradient for them; the second computes each chunk
    again and propagates its share of that gradient, which is exact but for what the carried state
    would bring further back. Dropout draws the same in both.

    Args:
        model: As `as_carrying` takes it.
        objective: What is lowered.
        size: Samples of a chunk, as the network sees them: after a stage has dropped others.
        whole: The rule for sequences that fit into one chunk, for which nothing is cut off.
        precision: Of the passes, without a scale.

    Raises:
        ConfigError: If the loss is to be scaled, as float16 needs.

    Source:
        Williams, Peng, An Efficient Gradient-Based Algorithm for On-Line Training of Recurrent
        Network Trajectories (Neural Computation 1990), for the truncation.
    """

    model: nn.Module
    objective: Objective
    size: int
    whole: "GradientRule | None" = None
    precision: Precision = field(default_factory=Precision)

    def __post_init__(self) -> None:
        if self.precision.scaler is not None:
            raise ConfigError(
                "a gradient through a chunk at a time has no scaled loss",
                got="amp='float16' and tbptt",
                hint="amp='bfloat16'",
            )

    def __call__(self, batch: Batch | LongBatch, settings: StepSettings, offset: int) -> float:
        """Leave the gradient of the mean loss on the parameters and return that loss.

        Args:
            batch: The sequences.
            settings: How the stage's steps are done; `place` is `"input"`.
            offset: The phase.
        """
        long = batch if isinstance(batch, LongBatch) else LongBatch.held(batch)
        if self.whole is not None and -(-(long.time - offset) // settings.stride) <= self.size:
            return self.whole(batch, settings, offset)
        if as_carrying(self.model).pooling == "step":
            return self._each_sample(long, settings, offset)
        return self._pooled(long, settings, offset)

    def _each_sample(self, long: LongBatch, settings: StepSettings, offset: int) -> float:
        net, device = as_carrying(self.model), device_of(self.model)
        total, state = 0.0, None
        some = asked_after(long, settings.stride, offset, settings.decimator)
        for chunk in self._chunks(long, settings, offset):
            with self.precision.autocast(device):
                features, state = stretch(net, chunk, state, tau=settings.tau)
                out = net.head(features)
            answers = int(chunk.left.sum()) if some is None else max(some, 1)
            share = float(asked(chunk.batch).sum()) / answers
            loss = self.objective.loss(self.precision.widened(out), chunk.batch) * share
            loss.backward()
            total += float(loss.detach())
        return total

    def _pooled(self, long: LongBatch, settings: StepSettings, offset: int) -> float:
        net, device = as_carrying(self.model), device_of(self.model)
        pooling = Pooling(net.pooling)
        others = [] if device.type == "cpu" else [device]
        # what dropout draws from is put back behind the first pass, for the second to draw again
        with (
            torch.random.fork_rng(devices=others, device_type=device.type),
            torch.no_grad(),
            self.precision.autocast(device),
        ):
            chunks = self._chunks(long, settings, offset)
            pooled, batch = pool(net, pooling, chunks, tau=settings.tau)
        pooled.requires_grad_()
        with self.precision.autocast(device):
            out = net.head(pooled)
        loss = self.objective.loss(self.precision.widened(out), batch)
        loss.backward()
        if pooled.grad is None or not math.isfinite(float(loss.detach())):
            return float(loss.detach())
        state: Any = None
        for chunk in self._chunks(long, settings, offset):
            with self.precision.autocast(device):
                features, state = stretch(net, chunk, state, tau=settings.tau)
            features.backward(pooling.back(pooled.grad, features, chunk))
        return float(loss.detach())

    def _chunks(self, long: LongBatch, settings: StepSettings, offset: int) -> Iterator[Chunk]:
        device = device_of(self.model)
        chunks = long.chunks(
            self.size,
            stride=settings.stride,
            offset=offset,
            decimator=settings.decimator,
        )
        for chunk in chunks:
            yield chunk.to(device)
