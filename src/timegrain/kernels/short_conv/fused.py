"""The short convolution on the CPU: compiled loops behind `torch.autograd`."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.plain import numpy_of, plain
from timegrain.kernels.short_conv import numba_
from timegrain.kernels.strided import strided
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lanes import LANE_BYTES

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
    @first_only("short_convolution")
    def backward(ctx: Any, gy: Tensor) -> tuple[Tensor | None, ...]:
        u, weight, bias, before = ctx.saved_tensors
        call = _Call(u, weight, bias, before)
        channels, width = weight.shape
        g_u, g_before = u.new_empty(u.shape), u.new_empty(u.shape[0], width - 1, channels)
        sums = u.new_empty(call.pairs, width + 1, call.rounded)
        (given,), written = numpy_of(plain(gy)), numpy_of(g_u, sums, g_before)

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
        count = LANE_BYTES // u.dtype.itemsize
        batch, length, channels = u.shape
        self.pairs = batch * -(-length // PIECE)
        self.rounded = -(-channels // count) * count
        row = u.new_zeros(channels) if bias is None else bias
        padded = F.pad(
            torch.cat([weight.detach().T, row.detach()[None]]), (0, self.rounded - channels)
        )
        past = u.new_empty(0, 0, 0) if before is None else plain(before)
        read = (*strided(u), *numpy_of(plain(padded[:-1]), plain(padded[-1]), past))
        self.shared = (
            sources(vectors),
            (0,) * weight.shape[1],
            (PIECE, count),
            read,
        )
