"""The score of a network on sequences of which a chunk at a time is held."""

from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float64
from torch import nn

from timegrain.training.batch import decimate
from timegrain.training.distributed.cases import Sums, over_batches
from timegrain.training.objective import Objective
from timegrain.training.score import Score, check_answers, check_interface, device_of, score_of
from timegrain.training.truncated.carrying import as_carrying
from timegrain.training.truncated.long_batch import LongBatch
from timegrain.training.truncated.pooling import Pooling, pool, stretch
from timegrain.training.units import ScoreUnits

if TYPE_CHECKING:
    from timegrain.training.distributed.team import Team


def score_in_chunks(
    model: nn.Module,
    long: LongBatch,
    objective: Objective,
    *,
    size: int,
    tau: float = 1.0,
    stride: int = 1,
    batch_size: int = 16,
    units: ScoreUnits | None = None,
    team: "Team | None" = None,
) -> Score:
    """Return what `score_batch` would, from `size` samples at a time of every sequence.

    Nothing is cut off: the state is carried from chunk to chunk. Sequences that fit into one chunk
    go through `forward`.

    Args:
        model: As `as_carrying` takes it.
        long: The sequences.
        objective: What is counted.
        size: Samples of a chunk, after others were dropped.
        tau: What the network is told.
        stride: Keep one sample in so many, from the first on.
        batch_size: Sequences at once.
        units: Which of them belong together; None where each stands for itself.
        team: As for `score_batch`.

    Raises:
        DataError: If there is no sequence or the values do not vary.
        ModelError: If the network does not fit the task, answers NaN or infinity, or cannot go on
            from a state.
    """
    check_interface(model)
    reading = _Reading(model, objective, size=size, stride=stride, tau=tau)
    middle = _middle(long, objective, size=size, stride=stride)
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            lost, possible = over_batches(
                lambda index: reading.shortfall(long.take(index), middle),
                len(long),
                batch_size=batch_size,
                team=team,
            )
    finally:
        model.train(was_training)
    one_answer = objective.target_kind == "class" and not long.per_step
    share = objective.target_kind == "class"
    return score_of(lost, possible, one_answer=one_answer, share=share, units=units)


class _Reading:
    """A network going through some sequences."""

    def __init__(
        self, model: nn.Module, objective: Objective, *, size: int, stride: int, tau: float
    ) -> None:
        self.model, self.net, self.objective = model, as_carrying(model), objective
        self.device = device_of(model)
        self.size, self.stride, self.tau = size, stride, tau

    def shortfall(self, long: LongBatch, middle: Float64[np.ndarray, " output"]) -> Sums:
        """Return what is lost on each sequence and what could be."""
        if -(-long.time // self.stride) <= self.size:
            batch = decimate(long.whole(), self.stride).to(self.device)
            out = self.model(batch.x, self.tau, lengths=batch.lengths)
            self._check(out[batch.valid] if batch.per_step else out, long)
            return self.objective.shortfall(out, batch, middle=middle)
        chunks = (c.to(self.device) for c in long.chunks(self.size, stride=self.stride))
        if self.net.pooling != "step":
            pooled, batch = pool(self.net, Pooling(self.net.pooling), chunks, tau=self.tau)
            out = self.net.head(pooled)
            self._check(out, long)
            return self.objective.shortfall(out, batch, middle=middle)
        lost, possible, state = np.zeros(len(long)), np.zeros(len(long)), None
        for chunk in chunks:
            batch = chunk.batch
            features, state = stretch(self.net, chunk, state, tau=self.tau)
            out = self.net.head(features)
            self._check(out[batch.valid], long)
            more = self.objective.shortfall(out, batch, middle=middle)
            lost, possible = lost + more[0], possible + more[1]
        return lost, possible

    def _check(self, answers: torch.Tensor, long: LongBatch) -> None:
        check_answers(answers, samples=-(-long.time // self.stride), tau=self.tau)


def _middle(
    long: LongBatch, objective: Objective, *, size: int, stride: int
) -> Float64[np.ndarray, " output"]:
    """Return the mean of the targets that are scored."""
    if objective.target_kind == "class":
        return np.zeros(objective.d_output)
    if not long.per_step:
        return long.targets().double().mean(0).numpy()
    total, count = torch.zeros(objective.d_output, dtype=torch.float64), 0
    for index in torch.arange(len(long)).split(1):
        for chunk in long.take(index).chunks(size, stride=stride):
            y = chunk.batch.y[chunk.batch.valid].double()
            total, count = total + y.sum(0), count + len(y)
    return (total / count).numpy()
