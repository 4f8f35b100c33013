"""Sequences of which a stretch at a time is held, and what a stage of a plan leaves of it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from jaxtyping import Int, Int64
from torch import Tensor

from timegrain.core.errors import DataError
from timegrain.data.task import Part
from timegrain.resample.lengths import coarse_lengths
from timegrain.training.batch import Batch, decimate
from timegrain.training.objective import Objective
from timegrain.training.score import check_targets
from timegrain.training.truncated.stretch import read_stretch


@dataclass(frozen=True, kw_only=True, eq=False)
class Chunk:
    """Some samples in a row of every sequence, as a network sees them.

    Args:
        batch: The samples; `lengths` say how many of them exist, 0 where a sequence has ended.
        start: The number of the first among what the stage leaves.
        left: Samples of each sequence among all that the stage leaves, `(batch,)`.
    """

    batch: Batch
    start: int
    left: Int64[Tensor, " batch"]

    def to(self, device: torch.device) -> "Chunk":
        """Return the chunk with samples and targets on a device."""
        return replace(self, batch=self.batch.to(device))


@dataclass(frozen=True, kw_only=True, eq=False)
class LongBatch:
    """Some sequences of a part of a task, none of them read yet.

    Args:
        x: Of the whole part, `(batch, time, channel)` or `(batch, time)`: an array, which may be
            memory-mapped, a tensor, or what `load_task(..., lazy=True)` makes.
        y: Targets of the whole part, as `x` has its sequences.
        known: Samples that exist in each sequence of the whole part, `(batch,)`.
        rows: Which sequences these are.
        objective: Makes targets of `y`; None where they are.
        per_step: Whether there is a target for every sample.
    """

    x: Any
    y: Any
    known: Int64[Tensor, " part"]
    rows: Int[Tensor, " batch"]
    objective: Objective | None = None
    per_step: bool = False

    @classmethod
    def of(cls, part: Part, objective: Objective, *, per_step: bool = False) -> "LongBatch":
        """Return all sequences of a part of a task.

        Raises:
            DataError: If it has none.
            ModelError: If there should be a target for every sample and there is one a sequence.
        """
        if len(part.x) == 0:
            raise DataError("a part of the task is empty", expected="at least one sequence")
        check_targets(part, objective, per_step=per_step)
        return cls(
            x=part.x,
            y=np.asarray(part.y),
            known=torch.as_tensor(np.asarray(part.lengths), dtype=torch.int64),
            rows=torch.arange(len(part.x)),
            objective=objective,
            per_step=per_step,
        )

    @classmethod
    def held(cls, batch: Batch) -> "LongBatch":
        """Return a batch that is in memory."""
        full = torch.full((len(batch),), batch.x.shape[1])
        known = full if batch.lengths is None else batch.lengths.cpu().to(torch.int64)
        rows = torch.arange(len(batch))
        return cls(x=batch.x, y=batch.y, known=known, rows=rows, per_step=batch.per_step)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def time(self) -> int:
        """Samples of a padded sequence."""
        return int(self.x.shape[1])

    @property
    def lengths(self) -> Int64[Tensor, " batch"]:
        """Samples that exist in each sequence."""
        return self.known[self.rows]

    def take(self, index: Int[Tensor, " chosen"]) -> "LongBatch":
        """Return the sequences at `index`; nothing is read."""
        return replace(self, rows=self.rows[index])

    def read(self, start: int, stop: int) -> Batch:
        """Return the samples from `start` on and before `stop`; one a sequence at least exists.

        Lengths are those within the stretch, 1 where a sequence ended before it.
        """
        stop = min(stop, self.time)
        lengths = (self.lengths - start).clamp(1, stop - start)
        return Batch(
            x=read_stretch(self.x, self.rows, start, stop),
            y=self.targets(start, stop),
            # as for a part that is held: no lengths where every sample of it exists
            lengths=None if bool((self.known == self.time).all()) else lengths,
            per_step=self.per_step,
        )

    def whole(self) -> Batch:
        """Return all samples."""
        return self.read(0, self.time)

    def targets(self, start: int = 0, stop: int | None = None) -> Tensor:
        """Return the targets of the sequences, or of a stretch of them where there is one each."""
        if self.per_step:
            y = read_stretch(self.y, self.rows, start, self.time if stop is None else stop)
        else:
            y = self.y[self.rows] if isinstance(self.y, Tensor) else self.y[self.rows.numpy()]
        return y if self.objective is None else self.objective.targets(y, per_step=self.per_step)

    def left(self, stride: int, offset: int) -> Int64[Tensor, " batch"]:
        """Return how many samples of each sequence a stage leaves; see `decimate`."""
        coarse = coarse_lengths(self.lengths.numpy(), stride, offset=offset)
        return torch.from_numpy(coarse).clamp(min=1)

    def chunks(
        self, size: int, *, stride: int = 1, offset: int = 0, decimator: str = "phase"
    ) -> Iterator[Chunk]:
        """Iterate what `decimate` leaves of all samples, `size` of it at a time.

        The filter of `"fir"` reaches far to both sides: for it all samples of these sequences are
        read at once. The others read what they give.

        Args:
            size: Samples of a chunk, after others were dropped.
            stride: As in `decimate`.
            offset: As in `decimate`.
            decimator: As in `decimate`.
        """
        if decimator == "fir" and stride > 1:
            thin = decimate(self.whole(), stride, offset=offset, decimator=decimator)
            yield from LongBatch.held(thin).chunks(size)
            return
        left = self.left(stride, offset)
        count = int(left.max())
        for start in range(0, count, size):
            # sequences that end before the phase have their last sample first
            first = 0 if start == 0 else offset + start * stride
            found = self.read(first, offset + min(start + size, count) * stride)
            phase = offset if start == 0 else 0
            thin = decimate(found, stride, offset=phase, decimator=decimator)
            lengths = (left - start).clamp(0, thin.x.shape[1])
            full = bool((lengths == thin.x.shape[1]).all())
            thin = replace(thin, lengths=None if full else lengths)
            yield Chunk(batch=thin, start=start, left=left)
