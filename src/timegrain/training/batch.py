"""Sequences with their lengths and targets, and what is left of them at a stride."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from timegrain.core.errors import GridError, LayoutError
from timegrain.resample.lengths import coarse_lengths
from timegrain.training.decimators import check_decimator, filtered, window_means


@dataclass(frozen=True, kw_only=True, eq=False)
class Batch:
    """Some sequences.

    Args:
        x: `(batch, time, channel)`, or `(batch, time)` tokens.
        y: Targets: one a sequence, `(batch, ...)`, or with `per_step` one a sample,
            `(batch, time, ...)`.
        lengths: Samples that exist in each sequence, `(batch,)`; None when all do.
        per_step: Whether there is a target for every sample.
        times: Instant of each sample, `(batch, time)`.
        mask: True where a sample was measured, `(batch, time)`.
    """

    x: Tensor
    y: Tensor
    lengths: Int[Tensor, " batch"] | None = None
    per_step: bool = False
    times: Float[Tensor, "batch time"] | None = None
    mask: Bool[Tensor, "batch time"] | None = None

    def __len__(self) -> int:
        return len(self.x)

    def take(self, index: Int[Tensor, " chosen"]) -> "Batch":
        """Return the sequences at `index`."""

        def chosen(values: Tensor | None) -> Tensor | None:
            return None if values is None else values[index]

        return Batch(
            x=self.x[index],
            y=self.y[index],
            lengths=chosen(self.lengths),
            per_step=self.per_step,
            times=chosen(self.times),
            mask=chosen(self.mask),
        )

    def to(self, device: torch.device) -> "Batch":
        """Return the batch with `x` and `y` on a device; lengths stay where they are."""
        if self.x.device == device == self.y.device:
            return self
        return replace(self, x=self.x.to(device), y=self.y.to(device))

    @property
    def valid(self) -> Bool[Tensor, "batch time"]:
        """True on samples that exist."""
        batch, time = self.x.shape[:2]
        if self.lengths is None:
            return torch.ones(batch, time, dtype=torch.bool, device=self.x.device)
        mask = torch.arange(time) < self.lengths[:, None]
        return mask.to(self.x.device)


def decimate(batch: Batch, stride: int, *, offset: int = 0, decimator: str = "phase") -> Batch:
    """Return one sample in `stride`, from sample `offset` on; all else follows.

    A sequence that ends before `offset` keeps its last sample, so that each has at least one that
    exists. By decimator:

    - `"phase"`: samples are dropped; content above the new Nyquist frequency folds down.
    - `"mean"`: means over `stride` samples, the last of a sequence over those it has left. They
      stand `(stride - 1) / 2` samples behind the first of each window; times say so. A target comes
      from the sample nearest to that instant, the mask is True where all were measured.
    - `"fir"`: samples are dropped behind the filter of `fir_decimate`, which shifts nothing.

    Args:
        batch: The sequences.
        stride: Whole number >= 1.
        offset: Phase, in `0..stride-1` and inside the batch.
        decimator: `"phase"`, `"mean"` or `"fir"`.

    Returns:
        A batch whose lengths are `max(ceil((length - offset) / stride), 1)`.

    Raises:
        GridError: If `stride` or `offset` is outside its domain, or a sequence is too short for the
            filter.
        ConfigError: If there is no such decimator.
        LayoutError: If symbols are to be averaged or filtered, or there is no axis of time.

    Example:
        >>> x = torch.arange(6.0).view(1, 6, 1)
        >>> batch = Batch(x=x, y=torch.zeros(1), lengths=torch.tensor([4]))
        >>> half = decimate(batch, 2, offset=1)
        >>> half.x.flatten().tolist(), half.lengths.tolist()
        ([1.0, 3.0, 5.0], [2])
    """
    check_decimator(decimator)
    if batch.x.ndim < 2:
        raise LayoutError(
            "a batch has an axis of time",
            got=f"shape {tuple(batch.x.shape)}",
            expected="(batch, time, ...)",
        )
    time = batch.x.shape[1]
    if stride < 1 or not 0 <= offset < min(stride, time):
        raise GridError(
            "samples cannot be dropped like this",
            got=f"stride={stride}, offset={offset} for {time} samples",
            expected="stride >= 1 and 0 <= offset < min(stride, samples)",
        )
    if stride == 1:
        return batch
    thinning = _Thinning(batch, stride, offset, decimator)
    lengths = thinning.lengths if batch.lengths is not None else None
    return Batch(
        x=thinning.values(batch.x),
        y=thinning.centre(batch.y) if batch.per_step else batch.y,
        lengths=None if lengths is None else lengths.clamp(min=1),
        per_step=batch.per_step,
        times=None if batch.times is None else thinning.instants(batch.times),
        mask=None if batch.mask is None else thinning.measured(batch.mask),
    )


class _Thinning:
    """What becomes of everything that stands along the time of a batch."""

    def __init__(self, batch: Batch, stride: int, offset: int, decimator: str) -> None:
        self.batch = batch
        self.stride, self.offset, self.decimator = stride, offset, decimator

    @cached_property
    def before(self) -> Tensor:
        """How many samples each sequence had."""
        size, time = self.batch.x.shape[:2]
        known = self.batch.lengths
        return torch.full((size,), time) if known is None else known.cpu()

    @cached_property
    def lengths(self) -> Tensor:
        """How many it has left, 0 where it ended before the phase."""
        return torch.from_numpy(
            coarse_lengths(self.before.numpy(), self.stride, offset=self.offset)
        )

    @cached_property
    def ended(self) -> Tensor:
        """Which ended before the phase."""
        return torch.nonzero(self.lengths < 1).flatten()

    def values(self, x: Tensor) -> Tensor:
        if self.decimator == "phase":
            return self.dropped(x)
        make = window_means if self.decimator == "mean" else filtered
        return self._with_last(make(x, self.before, self.stride, self.offset), x)

    def dropped(self, values: Tensor) -> Tensor:
        return self._with_last(values[:, self.offset :: self.stride], values)

    def instants(self, times: Tensor) -> Tensor:
        return self.values(times) if self.decimator == "mean" else self.dropped(times)

    def measured(self, mask: Tensor) -> Tensor:
        if self.decimator != "mean":
            return self.dropped(mask)
        share = window_means(mask.to(torch.float32), self.before, self.stride, self.offset)
        return self._with_last(share == 1, mask)

    def centre(self, values: Tensor) -> Tensor:
        if self.decimator != "mean":
            return self.dropped(values)
        first = torch.arange(self.offset, values.shape[1], self.stride)
        last = (self.before - 1).clamp(min=0)[:, None]
        index = (first + (self.stride - 1) // 2).expand(len(last), -1).minimum(last)
        rows = torch.arange(len(values))[:, None]
        return self._with_last(values[rows, index], values)

    def _with_last(self, thin: Tensor, values: Tensor) -> Tensor:
        """Let rows that ended before the phase have their last sample first."""
        if self.batch.lengths is None or not len(self.ended):
            return thin
        thin = thin.clone()
        thin[self.ended, 0] = values[self.ended, self.before[self.ended] - 1]
        return thin
