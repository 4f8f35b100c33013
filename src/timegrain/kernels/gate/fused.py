"""The gate on the CPU: compiled loops behind `torch.autograd`."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.gate import numba_
from timegrain.kernels.plain import numpy_of, plain
from timegrain.kernels.strided import strided
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lanes import lane_count


def silu_gate_numba(y: Float[Tensor, "b l d"], z: Float[Tensor, "b l d"]) -> Float[Tensor, "b l d"]:
    """Return `y silu(z)`; both are checked and of one dtype, float32 or float64."""
    out: Tensor = _Gate.apply(y, z)
    return out


class _Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, y: Tensor, z: Tensor) -> Tensor:
        ctx.save_for_backward(y, z)
        out = y.new_empty(y.shape)
        shared, (written,) = _shared(y, z), numpy_of(out)

        def task(start: int, stop: int) -> None:
            numba_.forward(start, stop, *shared, written)

        run_shared(task, y.shape[0] * y.shape[1], y.numel())
        return out

    @staticmethod
    @first_only("silu_gate")
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        y, z = ctx.saved_tensors
        grads = y.new_empty(y.shape), y.new_empty(y.shape)
        shared, (given,), written = _shared(y, z), numpy_of(plain(g)), numpy_of(*grads)

        def task(start: int, stop: int) -> None:
            numba_.backward(start, stop, *shared, given, written)

        run_shared(task, y.shape[0] * y.shape[1], 2 * y.numel())
        return grads


def _shared(y: Tensor, z: Tensor) -> tuple[Any, int, Any, Any, tuple[int, int]]:
    """The arguments that both directions begin with."""
    (values,) = numpy_of(plain(y))
    version = sources(vectors)
    return version, lane_count(values.dtype), values, *strided(z)
