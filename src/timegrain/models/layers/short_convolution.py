"""A causal filter of a few samples for each channel, with the samples that it carries."""

import math

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn import functional as F

from timegrain.kernels.short_conv.convolution import short_convolution


class ShortConvolution(nn.Module):
    """`silu(bias + sum_j weight_j u_{k-width+1+j})` in each channel.

    It counts samples and knows no time: on a grid twice as fine it reaches half as far back, unless
    its dilation doubles too.

    Args:
        channels: Channels.
        width: Samples that an output depends on, the newest included.
        bias: Whether to add one.
        dilation: Samples from one that it reads to the next.

    Example:
        >>> filtered = ShortConvolution(8, 4)(torch.randn(2, 30, 8))
        >>> filtered.shape
        torch.Size([2, 30, 8])
    """

    def __init__(self, channels: int, width: int, *, bias: bool = True, dilation: int = 1) -> None:
        super().__init__()
        self.width = width
        self.dilation = dilation
        bound = 1 / math.sqrt(width)
        self.weight = nn.Parameter(torch.empty(channels, width).uniform_(-bound, bound))
        row = torch.empty(channels).uniform_(-bound, bound) if bias else None
        self.bias = None if row is None else nn.Parameter(row)

    @property
    def past(self) -> int:
        """Samples before the newest that an output reaches back to."""
        return (self.width - 1) * self.dilation

    def forward(
        self,
        u: Float[Tensor, "batch time channel"],
        before: Float[Tensor, "batch past channel"] | None = None,
    ) -> Float[Tensor, "batch time channel"]:
        """Return the outputs of whole sequences.

        Args:
            u: Input.
            before: The `past` samples before the first; None for zeros.
        """
        length, apart = u.shape[1], self.dilation
        if apart > 1:  # samples that never meet, side by side
            u = _side_by_side(F.pad(u, (0, 0, 0, -length % apart)), apart)
            before = None if before is None else _side_by_side(before, apart)
        y = short_convolution(u, self.weight, self.bias, activation="silu", before=before)
        return y if apart == 1 else _in_turn(y, apart)[:, :length]

    def last(
        self,
        u: Float[Tensor, "batch time channel"],
        before: Float[Tensor, "batch past channel"] | None,
        valid: Bool[Tensor, "batch time"] | None,
    ) -> Float[Tensor, "batch past channel"]:
        """Return the last `width - 1` samples that exist, for what follows.

        Args:
            u: Input.
            before: As in `forward`.
            valid: Samples that exist, the first ones of each sequence; None when all do.
        """
        past = self.past
        rows = u if valid is not None else u[:, max(u.shape[1] - past, 0) :]
        if before is not None:
            rows = torch.cat([before.to(u.dtype), rows], 1)
        elif valid is not None or rows.shape[1] < past:
            rows = F.pad(rows, (0, 0, past, 0))
        if valid is None:
            # a state that is kept must not keep the whole sequence
            return rows[:, rows.shape[1] - past :].clone()
        index = valid.sum(1)[:, None] + torch.arange(past, device=u.device)
        return torch.gather(rows, 1, index[..., None].expand(-1, -1, u.shape[2]))

    def step(
        self,
        u_t: Float[Tensor, "batch channel"],
        before: Float[Tensor, "batch past channel"] | None,
    ) -> tuple[Float[Tensor, "batch channel"], Float[Tensor, "batch past channel"]]:
        """Return the output of one sample, and the samples for what follows."""
        if before is None:
            before = u_t.new_zeros(u_t.shape[0], self.past, u_t.shape[1])
        rows = torch.cat([before.to(u_t.dtype), u_t[:, None]], 1)
        out = (self.weight.T * rows[:, :: self.dilation]).sum(1)
        return F.silu(out if self.bias is None else out + self.bias), rows[:, 1:]


def _side_by_side(
    u: Float[Tensor, "batch time channel"], apart: int
) -> Float[Tensor, "parts time_of_each channel"]:
    """Return each sequence as `apart` ones, of every so manyth sample."""
    batch, length, channels = u.shape
    return u.reshape(batch, length // apart, apart, channels).transpose(1, 2).flatten(0, 1)


def _in_turn(
    y: Float[Tensor, "parts time_of_each channel"], apart: int
) -> Float[Tensor, "batch time channel"]:
    """Return the sequences that `_side_by_side` took apart."""
    parts, length, channels = y.shape
    return y.reshape(parts // apart, apart, length, channels).transpose(1, 2).flatten(1, 2)
