"""The time scale on the CPU: compiled loops behind `torch.autograd`."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.plain import numpy_of, plain
from timegrain.kernels.softplus import numba_
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lanes import lane_count


def softplus_steps_numba(
    x: Float[Tensor, "b l d"], ratio: Float[Tensor, "b l"] | None
) -> Float[Tensor, "b l d"]:
    """Return `s softplus(x)`; both are checked and of one dtype, float32 or float64."""
    out: Tensor = _SoftplusSteps.apply(x, ratio)
    return out


class _SoftplusSteps(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor, ratio: Tensor | None) -> Tensor:
        ctx.save_for_backward(x, ratio)
        out = x.new_empty(x.shape)
        version, count, *given = _shared(x, ratio)
        (written,) = numpy_of(_rows(out))

        def task(start: int, stop: int) -> None:
            numba_.forward(start, stop, version, count, given[0], given[1], written)

        run_shared(task, len(written), x.numel())
        return out

    @staticmethod
    @first_only("softplus_steps")
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, None]:
        x, ratio = ctx.saved_tensors
        g_x = x.new_empty(x.shape)
        version, count, *given = _shared(x, ratio)
        upstream, written = numpy_of(_rows(g), _rows(g_x))

        def task(start: int, stop: int) -> None:
            numba_.backward(start, stop, version, count, given[0], given[1], upstream, written)

        run_shared(task, len(written), x.numel())
        return g_x, None


def _rows(tensor: Tensor) -> Tensor:
    return plain(tensor).view(-1, tensor.shape[-1])


def _shared(x: Tensor, ratio: Tensor | None) -> tuple[Any, ...]:
    """The arguments that both directions begin with."""
    values, steps = numpy_of(_rows(x), x.new_empty(0) if ratio is None else plain(ratio).view(-1))
    return sources(vectors), lane_count(values.dtype), values, steps
