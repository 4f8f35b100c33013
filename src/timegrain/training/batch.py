"""Sequences with their lengths and targets, and what is left of them at a stride."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Int
from torch import Tensor

from timegrain.core.errors import GridError
from timegrain.resample.lengths import coarse_lengths


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Some sequences.

    Args:
        x: `(batch, time, channel)`, or `(batch, time)` tokens.
        y: Targets: one a sequence, `(batch, ...)`, or with `per_step` one a sample,
            `(batch, time, ...)`.
        lengths: Samples that exist in each sequence, `(batch,)`; None when all do.
        per_step: Whether there is a target for every sample.
    """

    x: Tensor
    y: Tensor
    lengths: Int[Tensor, " batch"] | None = None
    per_step: bool = False

    def __len__(self) -> int:
        return len(self.x)

    def take(self, index: Int[Tensor, " chosen"]) -> "Batch":
        """Return the sequences at `index`."""
        lengths = None if self.lengths is None else self.lengths[index]
        return Batch(x=self.x[index], y=self.y[index], lengths=lengths, per_step=self.per_step)

    def to(self, device: torch.device) -> "Batch":
        """Return the batch with `x` and `y` on a device; lengths stay where they are."""
        return Batch(
            x=self.x.to(device),
            y=self.y.to(device),
            lengths=self.lengths,
            per_step=self.per_step,
        )

    @property
    def valid(self) -> Bool[Tensor, "batch time"]:
        """True on samples that exist."""
        batch, time = self.x.shape[:2]
        if self.lengths is None:
            return torch.ones(batch, time, dtype=torch.bool, device=self.x.device)
        mask = torch.arange(time) < self.lengths[:, None]
        return mask.to(self.x.device)


def decimate(batch: Batch, stride: int, *, offset: int = 0) -> Batch:
    """Return every `stride`-th sample from sample `offset` on; lengths and targets follow.

    Nothing is averaged. A sequence that ends before `offset` keeps its last sample, so that each
    has at least one that exists.

    Args:
        batch: The sequences.
        stride: Whole number >= 1.
        offset: Phase, in `0..stride-1` and inside the batch.

    Returns:
        A batch whose lengths are `max(ceil((length - offset) / stride), 1)`.

    Raises:
        GridError: If `stride` or `offset` is outside its domain.

    Example:
        >>> x = torch.arange(6.0).view(1, 6, 1)
        >>> batch = Batch(x=x, y=torch.zeros(1), lengths=torch.tensor([4]))
        >>> half = decimate(batch, 2, offset=1)
        >>> half.x.flatten().tolist(), half.lengths.tolist()
        ([1.0, 3.0, 5.0], [2])
    """
    time = batch.x.shape[1]
    if stride < 1 or not 0 <= offset < min(stride, time):
        raise GridError(
            "samples cannot be dropped like this",
            got=f"stride={stride}, offset={offset} for {time} samples",
            expected="stride >= 1 and 0 <= offset < min(stride, samples)",
        )
    if stride == 1:
        return batch
    x = batch.x[:, offset::stride]
    y = batch.y[:, offset::stride] if batch.per_step else batch.y
    if batch.lengths is None:
        return Batch(x=x, y=y, per_step=batch.per_step)
    lengths = torch.from_numpy(coarse_lengths(batch.lengths.numpy(), stride, offset=offset))
    ended = torch.nonzero(lengths < 1).flatten()
    if len(ended):
        last = batch.lengths[ended] - 1
        x = _with_first(x, ended, batch.x[ended, last])
        y = _with_first(y, ended, batch.y[ended, last]) if batch.per_step else y
    return Batch(x=x, y=y, lengths=lengths.clamp(min=1), per_step=batch.per_step)


def _with_first(values: Tensor, rows: Tensor, first: Tensor) -> Tensor:
    """Return a copy of `values` in which the first sample of some rows is another."""
    values = values.clone()
    values[rows, 0] = first
    return values
