"""The compiled loops as a function that autograd knows."""

from typing import Any

import torch
from jaxtyping import Complex
from torch import Tensor
from torch.autograd.function import once_differentiable

from timegrain.kernels.cauchy import numba_ as loops
from timegrain.kernels.threads import run_shared


def cauchy_pairs_numba(
    weights: Complex[Tensor, "d r n"], poles: Complex[Tensor, "d n"], nodes: Complex[Tensor, " m"]
) -> Complex[Tensor, "d r m"]:
    """Return the sums, computed in double precision whatever the dtype."""
    sums: Tensor = _Sums.apply(weights, poles, nodes)
    return sums


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weights: Tensor, poles: Tensor, nodes: Tensor) -> Tensor:
        ctx.save_for_backward(weights, poles, nodes)
        out = nodes.new_empty(*weights.shape[:2], len(nodes), dtype=torch.complex128)
        w, z, g, sums = (_array(t) for t in (weights, poles, nodes, out))

        def task(start: int, stop: int) -> None:
            loops.sums(w, z, g, sums, start, stop)

        run_shared(task, len(poles), poles.numel() * len(nodes))
        return out.to(weights.dtype)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        weights, poles, nodes = ctx.saved_tensors
        found = [torch.zeros_like(t, dtype=torch.complex128) for t in (weights, poles)]
        w, z, g, given = (_array(t) for t in (weights, poles, nodes, grad))
        to_weights, to_poles = (t.numpy() for t in found)

        def task(start: int, stop: int) -> None:
            loops.gradients(w, z, g, given, to_weights, to_poles, start, stop)

        run_shared(task, len(poles), poles.numel() * len(nodes))
        return found[0].to(weights.dtype), found[1].to(poles.dtype), None


def _array(tensor: Tensor) -> Any:
    return tensor.detach().resolve_conj().to(torch.complex128).contiguous().numpy()
