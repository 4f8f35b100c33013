"""A diagonal layer with held inputs on the CPU: one node of the graph where it is short."""

from functools import cache
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.lti.direct import numba_ as direct
from timegrain.kernels.lti.filter import numba_
from timegrain.kernels.lti.fused import DIRECT, group_count, lti_conv_numba
from timegrain.kernels.lti.powers import numba_ as powers
from timegrain.kernels.lti.powers.fused import padded, split, zoh_kernel_numba
from timegrain.kernels.lti.zoh import numba_ as zoh
from timegrain.kernels.plain import numpy_of, plain, saved
from timegrain.kernels.scratch import Wanted, scratch
from timegrain.kernels.vectors.lanes import LANE_BYTES

_ALONE = 1 << 20  # multiply-adds that are not worth a second thread


def zoh_filter_numba(
    u: Float[Tensor, "b l d"],
    log_dt: Float[Tensor, " d"],
    log_decay: Float[Tensor, "d n"],
    frequency: Float[Tensor, "d n"],
    C: Float[Tensor, "d n 2"],
    skip: Float[Tensor, " d"] | None,
    ratio: float,
) -> Float[Tensor, "b l d"]:
    """Return the output; arguments are checked and of one dtype, float32 or float64.

    What is computed does not depend on the number of threads.
    """
    length = u.shape[1]
    short = length <= DIRECT
    if short and (torch.get_num_threads() == 1 or u.numel() * length <= _ALONE):
        y: Tensor = _Whole.apply(u, log_dt, log_decay, frequency, C, skip, ratio)
        return y
    return lti_conv_numba(u, zoh_kernel_numba(log_dt, log_decay, frequency, C, skip, ratio, length))


class _Whole(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, u: Tensor, *args: Any) -> Tensor:
        *tensors, skip, ctx.ratio = args
        u, *tensors = [plain(t) for t in (u, *tensors)]
        channels, count = tensors[1].shape
        system = u.new_empty((2, channels, 2, padded(count)), dtype=torch.float64)
        y, taps = torch.empty_like(u), u.new_empty(1, *u.shape[1:])
        ctx.save_for_backward(u, taps, system, *tensors)
        ctx.has_skip = skip is not None
        direct_term = plain(skip) if ctx.has_skip else u.new_empty(0)
        parameters, modes = numpy_of(*tensors), tuple(system.numpy())
        inputs, kernel, skipped, out = numpy_of(u, taps, direct_term, y)
        with scratch(*_forward_memory(u.shape[1], count, u.dtype)) as memory:
            numba_.forward(
                _version(), ctx.ratio, memory, parameters, skipped, modes, kernel, inputs, out
            )  # fmt: skip
        return y

    @staticmethod
    @first_only("zoh_filter")
    def backward(ctx: Any, gy: Tensor) -> tuple[Tensor | None, ...]:
        u, taps, system, *tensors = saved(ctx)
        gy = plain(gy)
        batch, length, width = gy.shape
        count = tensors[1].shape[1]
        gu = torch.empty_like(gy)
        grads = [torch.empty_like(t) for t in tensors]
        grads.append(gy.new_empty(gy.shape[2] if ctx.has_skip else 0))
        parameters, modes = numpy_of(*tensors), tuple(system.numpy())
        inputs, kernel, given, into, *through = numpy_of(u, taps, gy, gu, *grads)
        wanted = _backward_memory(batch, length, width, count, gy.dtype)
        with scratch(*wanted) as memory:
            numba_.backward(
                _version(), ctx.ratio, memory, parameters, modes, kernel, inputs, given, into,
                tuple(through),
            )  # fmt: skip
        *g_parameters, g_skip = grads
        return (gu, *g_parameters, g_skip if ctx.has_skip else None, None)


def _lanes(length: int, copies: int, dtype: torch.dtype) -> Wanted:
    rows = -(-length // direct.TILE) * direct.TILE
    return (copies, rows, LANE_BYTES // dtype.itemsize), dtype


@cache
def _forward_memory(length: int, modes: int, dtype: torch.dtype) -> tuple[Wanted, ...]:
    coarse, fine = split(length, dtype)
    most = padded(modes)
    return (
        ((4, most), torch.float64),
        ((max(coarse, fine), 2, 8), torch.float64),
        ((most, 2, fine), dtype),
        ((most, coarse, 2), dtype),
        ((coarse, fine), dtype),
        _lanes(length, 3, dtype),
    )


@cache
def _backward_memory(
    batch: int, length: int, width: int, modes: int, dtype: torch.dtype
) -> tuple[Wanted, ...]:
    coarse, fine = split(length, dtype)
    most = padded(modes)
    return (
        ((4, most), torch.float64),
        ((max(coarse, fine), 2, 8), torch.float64),
        ((most, 2, fine), dtype),
        ((most, coarse, 4), dtype),
        ((coarse, fine), dtype),
        ((fine,), dtype),
        _lanes(length, 5, dtype),
        ((width, 2, most), torch.float64),
        ((width, 2, most), torch.float64),
        ((group_count(batch, width, dtype), length, width), dtype),
        ((width, length), dtype),
    )


@cache
def _version() -> Any:
    return sources(vectors, direct, powers, zoh)
