"""The gated sum on the CPU: compiled loops behind `torch.autograd`."""

from functools import cache
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.glu import numba_
from timegrain.kernels.plain import numpy_of, plain
from timegrain.kernels.strided import strided
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lanes import LANE_BYTES


def glu_sum_numba(
    h: Float[Tensor, "b l d"], z: Float[Tensor, "b l two_d"]
) -> Float[Tensor, "b l d"]:
    """Return `h + a sigmoid(b)`; both are checked and of one dtype, float32 or float64."""
    out: Tensor = _GluSum.apply(h, z)
    return out


class _GluSum(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, h: Tensor, z: Tensor) -> Tensor:
        ctx.save_for_backward(z)
        out = torch.empty_like(h, memory_format=torch.contiguous_format)
        arrays, count = _rows(h, z, out), LANE_BYTES // h.dtype.itemsize

        def task(start: int, stop: int) -> None:
            numba_.forward(start, stop, _version(), count, *arrays)

        run_shared(task, len(arrays[0]), h.numel())
        return out

    @staticmethod
    @first_only("glu_sum")
    def backward(ctx: Any, g: Tensor) -> tuple[Tensor, Tensor]:
        (z,) = ctx.saved_tensors
        grad = torch.empty_like(z, memory_format=torch.contiguous_format)
        upstream = g.shape[1], *strided(g)
        arrays, count = _rows(z, grad), LANE_BYTES // z.dtype.itemsize

        def task(start: int, stop: int) -> None:
            numba_.backward(start, stop, _version(), count, *upstream, *arrays)

        run_shared(task, len(arrays[0]), z.numel())
        return g, grad


def _rows(*tensors: Tensor) -> tuple[Any, ...]:
    return numpy_of(*[plain(t).flatten(0, -2) for t in tensors])


@cache
def _version() -> Any:
    return sources(vectors)
