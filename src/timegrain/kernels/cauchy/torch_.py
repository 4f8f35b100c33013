"""The sums over a few nodes at a time, in torch operations, forward and backward."""

from typing import Any

import torch
from jaxtyping import Complex
from torch import Tensor

from timegrain.kernels.transformed import applied

_AT_ONCE = 2**19
"""Fractions in memory at a time."""


def cauchy_pairs_torch(
    weights: Complex[Tensor, "d r n"], poles: Complex[Tensor, "d n"], nodes: Complex[Tensor, " m"]
) -> Complex[Tensor, "d r m"]:
    """Return the sums; memory beside them does not grow with the number of nodes.

    Second derivatives keep every fraction, as the reference does.
    """
    return applied(_Sums, weights, poles, nodes)


class _Sums(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weights: Tensor, poles: Tensor, nodes: Tensor) -> Tensor:
        ctx.save_for_backward(weights, poles, nodes)
        parts = []
        for some in nodes.split(_share(poles)):
            right, left = _fractions(poles, some)
            parts.append(weights @ right + weights.conj() @ left)
        return torch.cat(parts, -1)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None]:
        weights, poles, nodes = ctx.saved_tensors
        to_weights, to_poles = torch.zeros_like(weights), torch.zeros_like(poles)
        share = _share(poles)
        for some, g in zip(nodes.split(share), grad.split(share, -1), strict=True):
            right, left = _fractions(poles, some)
            to_weights = to_weights + g @ right.mH + g.conj() @ left.mT
            # d/dz of 1/(g - z) is its square; each pole has the fractions of both of its pair
            to_poles = to_poles + ((weights.mH @ g) * right.conj().square()).sum(-1)
            to_poles = to_poles + ((weights.mT @ g).conj() * left.square()).sum(-1)
        return to_weights, to_poles, None

    @staticmethod
    def forward_mode(
        ctx: Any, to_weights: Tensor | None, to_poles: Tensor | None, _: None
    ) -> Tensor:
        weights, poles, nodes = ctx.saved_tensors
        parts = []
        for some in nodes.split(_share(poles)):
            right, left = _fractions(poles, some)
            part = weights.new_zeros(*weights.shape[:2], len(some))
            if to_weights is not None:
                part = part + to_weights @ right + to_weights.conj() @ left
            if to_poles is not None:
                moved = to_poles.unsqueeze(-1)
                part = part + weights @ (right.square() * moved)
                part = part + weights.conj() @ (left.square() * moved.conj())
            parts.append(part)
        return torch.cat(parts, -1)


def _share(poles: Tensor) -> int:
    return max(1, _AT_ONCE // poles.numel())


def _fractions(poles: Tensor, nodes: Tensor) -> tuple[Tensor, Tensor]:
    """Return `1/(g - z)` and `1/(g - conj z)`, each `(d, n, m)`."""
    upper = poles.unsqueeze(-1)
    return 1 / (nodes - upper), 1 / (nodes - upper.conj())
