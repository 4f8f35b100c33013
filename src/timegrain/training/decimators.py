"""Ways to keep one sample in so many: as they are, averaged, or filtered."""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor
from torch.nn import functional as F

from timegrain.core.errors import ConfigError, GridError, LayoutError
from timegrain.core.outcome import Outcome
from timegrain.resample.fir import fir_taps, shortest_length

DECIMATORS = ("phase", "mean", "fir")


@dataclass(frozen=True, kw_only=True)
class DecimatorFit:
    """Whether sequences are long enough for a decimator.

    Args:
        outcome: `MEASURED`, or `SIGNAL_TOO_SHORT`.
        shortest: Samples that the decimator needs.
        reason: What is too short; empty where nothing is.
    """

    outcome: Outcome
    shortest: int
    reason: str = ""


def check_decimator(name: object) -> None:
    """Check that there is a decimator of this name.

    Raises:
        ConfigError: If there is none.
    """
    if name not in DECIMATORS:
        raise ConfigError("unknown decimator", got=repr(name), expected="'phase', 'mean' or 'fir'")


def mean_shift(stride: int) -> float:
    """Return by how many samples a mean over `stride` samples stands behind the first of them.

    Example:
        >>> mean_shift(4)
        1.5
    """
    return (stride - 1) / 2


def decimator_fit(lengths: Int[Tensor, " batch"], stride: int, decimator: str) -> DecimatorFit:
    """Return whether every sequence is long enough for a decimator.

    Args:
        lengths: Samples that exist in each sequence.
        stride: Whole number >= 1.
        decimator: `"phase"`, `"mean"` or `"fir"`.

    Example:
        >>> fit = decimator_fit(torch.tensor([400, 2000]), 4, "fir")
        >>> fit.outcome.name, fit.shortest
        ('SIGNAL_TOO_SHORT', 963)
    """
    check_decimator(decimator)
    shortest = shortest_length(stride) if decimator == "fir" else 1
    least = int(lengths.min()) if len(lengths) else shortest
    if least >= shortest:
        return DecimatorFit(outcome=Outcome.MEASURED, shortest=shortest)
    return DecimatorFit(
        outcome=Outcome.SIGNAL_TOO_SHORT,
        shortest=shortest,
        reason=f"the filter of stride {stride} needs {shortest:,} samples, and the shortest "
        f"sequence has {least:,}",
    )


def window_means(
    x: Float[Tensor, "batch time *channel"],
    lengths: Int[Tensor, " batch"],
    stride: int,
    offset: int,
) -> Float[Tensor, "batch coarse *channel"]:
    """Return means over `stride` samples each, from sample `offset` on.

    A window that a sequence's end cuts short is divided by the samples it has.

    Args:
        x: Real numbers; what stands beyond `lengths` does not enter.
        lengths: Samples that exist.
        stride: Whole number >= 1.
        offset: First sample of the first window.

    Raises:
        LayoutError: If these are whole numbers: a mean of symbols is no symbol.

    Example:
        >>> ramp = torch.arange(7.0).view(1, 7, 1)
        >>> window_means(ramp, torch.tensor([6]), 4, 0).flatten().tolist()
        [1.5, 4.5]
    """
    _check_real(x, "averaged")
    time = x.shape[1]
    count = -(-(time - offset) // stride)
    behind = offset + count * stride - time
    exists = (torch.arange(time) < lengths[:, None]).to(x.device)
    exists = exists.view(*exists.shape, *[1] * (x.ndim - 2))
    inside = [F.pad(t, (0, 0) * (x.ndim - 2) + (0, behind)) for t in
              (x.masked_fill(~exists, 0), exists.to(x.dtype))]  # fmt: skip
    sums, counts = (
        t[:, offset:].reshape(len(x), count, stride, *t.shape[2:]).sum(2) for t in inside
    )
    return sums / counts.clamp(min=1)


def filtered(
    x: Float[Tensor, "batch time channel"], lengths: Int[Tensor, " batch"], stride: int, offset: int
) -> Float[Tensor, "batch coarse channel"]:
    """Return every `stride`-th sample, from `offset` on, of the low-passed sequences.

    As `timegrain.resample.fir_decimate`, for each sequence by itself: each is continued by its
    mirror image about its own last sample, and no padding enters. Gradients pass.

    Args:
        x: Real numbers.
        lengths: Samples that exist.
        stride: Whole number >= 1.
        offset: Sample that comes first.

    Raises:
        GridError: If a sequence is shorter than three times the filter.
        LayoutError: If these are whole numbers, or no channels of one number a sample.
    """
    _check_real(x, "filtered")
    if x.ndim != 3:
        raise LayoutError(
            "the filter goes along the time of channels",
            got=f"shape {tuple(x.shape)}",
            expected="(batch, time, channel)",
            hint="x[..., None] for one channel, x.flatten(2) for channels on several axes",
        )
    fit = decimator_fit(lengths, stride, "fir")
    if fit.outcome is not Outcome.MEASURED:
        raise GridError(
            Outcome.SIGNAL_TOO_SHORT.message,
            got=fit.reason,
            expected=f"{fit.shortest:,} samples or more",
            hint="longer sequences, or decimator='phase' or 'mean'",
        )
    batch, _, channels = x.shape
    taps = torch.from_numpy(fir_taps(stride)).to(x)
    extended = _extended(x, lengths.to(x.device), len(taps) // 2)
    rows = extended[:, offset:].transpose(1, 2).reshape(batch * channels, 1, -1)
    out = F.conv1d(rows, taps.view(1, 1, -1), stride=stride)
    return out.view(batch, channels, -1).transpose(1, 2)


def _extended(x: Tensor, lengths: Tensor, reach: int) -> Tensor:
    """Continue each sequence by `reach` samples at both ends, mirrored about the end's value."""
    at = torch.arange(-reach, x.shape[1] + reach, device=x.device)[None]
    last = lengths[:, None] - 1
    before, behind = at < 0, at > last
    source = torch.where(before, -at, torch.where(behind, 2 * last - at, at))
    # further behind a short row than its mirror image reaches, nothing is read
    source = source.clamp(min=0).minimum(last)
    picked = x.gather(1, source[..., None].expand(-1, -1, x.shape[2]))
    ends = torch.where(
        before[..., None], x[:, :1], x.gather(1, last[..., None].expand(-1, -1, x.shape[2]))
    )
    return torch.where((before | behind)[..., None], 2 * ends - picked, picked)


def _check_real(x: Tensor, doing: str) -> None:
    if not x.is_floating_point():
        raise LayoutError(
            f"whole numbers that name symbols cannot be {doing}",
            got=str(x.dtype),
            hint="place='embedding', or decimator='phase'",
        )
