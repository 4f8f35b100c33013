"""Cauchy sums and what is made of them, in compiled loops that share planes of numbers."""

from typing import Any

import torch
from jaxtyping import Complex
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.cauchy.fused import gradients_of, node_planes, sums_of
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.dplr.woodbury import numba_ as loops
from timegrain.kernels.plain import saved
from timegrain.kernels.threads import run_shared


def generating_function_numba(
    weights: Complex[Tensor, "d 4 n"],
    poles: Complex[Tensor, "d n"],
    nodes: Complex[Tensor, " m"],
    front: Complex[Tensor, " m"],
) -> Complex[Tensor, "d m"]:
    """Return `front (S_0 - S_1 S_2 / (1 + S_3))`; all complex128."""
    values: Tensor = _Values.apply(weights, poles, nodes, front)
    return values


class _Values(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weights: Tensor, poles: Tensor, nodes: Tensor, front: Tensor) -> Tensor:
        sums, shape = sums_of(weights, poles, nodes), (len(poles), 2, -(-len(nodes) // 8) * 8)
        factor, out = node_planes(front), sums.new_empty(shape)
        version, arrays = sources(vectors), [t.numpy() for t in (sums, factor, out)]

        def task(start: int, stop: int) -> None:
            loops.combine(start, stop, version, *arrays)

        run_shared(task, len(poles), out.numel())
        ctx.save_for_backward(weights, poles, nodes, sums, factor)
        return torch.complex(*out[..., : len(nodes)].unbind(1))

    @staticmethod
    @first_only("dplr_kernel")
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        weights, poles, nodes, sums, factor = saved(ctx)
        given = sums.new_zeros(len(poles), 2, factor.shape[1])
        given[:, 0, : len(nodes)] = grad.real
        given[:, 1, : len(nodes)] = grad.imag
        to_sums = torch.empty_like(sums)
        version, arrays = sources(vectors), [t.numpy() for t in (sums, factor, given, to_sums)]

        def task(start: int, stop: int) -> None:
            loops.gradients(start, stop, version, *arrays)

        run_shared(task, len(poles), given.numel())
        return *gradients_of(weights, poles, nodes, to_sums), None, None
