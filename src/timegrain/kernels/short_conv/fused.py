"""The short convolution on the CPU: compiled loops behind `torch.autograd`."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.autograd.function import once_differentiable
from torch.nn import functional as F

from timegrain.kernels import exponential, lanes
from timegrain.kernels.cache_key import helpers
from timegrain.kernels.short_conv import numba_
from timegrain.kernels.threads import run_shared

PIECE = 256
"""Samples that one call works on: enough for the rows read twice not to matter."""
_COST = 4
"""State updates of a scan that take as long as one number here, for the choice of threads."""


def short_conv_numba(
    u: Float[Tensor, "b l d"],
    weight: Float[Tensor, "d k"],
    bias: Float[Tensor, " d"] | None,
    before: Float[Tensor, "b m d"] | None,
    silu: bool,
) -> Float[Tensor, "b l d"]:
    """Return y; arguments are checked and of one dtype, float32 or float64."""
    out: Tensor = _ShortConv.apply(u, weight, bias, before, silu)
    return out


class _ShortConv(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any,
        u: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        before: Tensor | None,
        silu: bool,
    ) -> Tensor:
        ctx.silu = silu
        ctx.save_for_backward(u, weight, bias, before)
        call, y = _Call(u, weight, bias, before), u.new_empty(u.shape)
        written = y.numpy()

        def task(start: int, stop: int) -> None:
            numba_.forward(start, stop, *call.shared, written, silu)

        run_shared(task, call.pairs, _COST * u.numel())
        return y

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gy: Tensor) -> tuple[Tensor | None, ...]:
        u, weight, bias, before = ctx.saved_tensors
        call = _Call(u, weight, bias, before)
        channels, width = weight.shape
        g_u, g_before = u.new_empty(u.shape), u.new_empty(u.shape[0], width - 1, channels)
        sums = u.new_empty(call.pairs, width + 1, call.rounded)
        given, written = _plain(gy).numpy(), (g_u.numpy(), sums.numpy(), g_before.numpy())

        def task(start: int, stop: int) -> None:
            ring = u.new_empty(width, call.rounded).numpy()
            numba_.backward(start, stop, *call.shared, ring, given, written, ctx.silu)

        run_shared(task, call.pairs, 2 * _COST * u.numel())
        total = sums.sum(0)[:, :channels]
        return (
            g_u,
            total[:-1].T,
            None if bias is None else total[-1],
            None if before is None else g_before,
            None,
        )


class _Call:
    """The arguments that both directions share."""

    def __init__(
        self, u: Tensor, weight: Tensor, bias: Tensor | None, before: Tensor | None
    ) -> None:
        count = lanes.lane_count(u.detach().numpy().dtype)
        batch, length, channels = u.shape
        self.pairs = batch * -(-length // PIECE)
        self.rounded = -(-channels // count) * count
        # half of a wider projection is read where it lies
        u = u.detach() if u.stride(2) == 1 and not u.is_neg() else _plain(u)
        steps = u.stride(0), u.stride(1)
        extent = (batch - 1) * steps[0] + (length - 1) * steps[1] + channels
        row = u.new_zeros(channels) if bias is None else bias
        padded = F.pad(
            torch.cat([weight.detach().T, row.detach()[None]]), (0, self.rounded - channels)
        )
        read = (
            u.as_strided((extent,), (1,)).numpy(),
            steps,
            _plain(padded[:-1]).numpy(),
            _plain(padded[-1]).numpy(),
            (u.new_empty(0, 0, 0) if before is None else _plain(before)).numpy(),
        )
        self.shared = helpers(lanes, exponential), (0,) * weight.shape[1], (PIECE, count), read


def _plain(tensor: Tensor) -> Tensor:
    # a lazy negation is carried out, since numpy reads the memory as it is
    return tensor.detach().contiguous().resolve_neg()
