"""The generating function in torch operations."""

import torch
from jaxtyping import Complex
from torch import Tensor

from timegrain.kernels.cauchy.reference import cauchy_pairs_reference
from timegrain.kernels.cauchy.torch_ import cauchy_pairs_torch


def generating_function_torch(
    weights: Complex[Tensor, "d 4 n"],
    poles: Complex[Tensor, "d n"],
    nodes: Complex[Tensor, " m"],
    front: Complex[Tensor, " m"],
) -> Complex[Tensor, "d m"]:
    """Return `front (S_0 - S_1 S_2 / (1 + S_3))`."""
    return _combined(cauchy_pairs_torch(weights, poles, nodes), front)


def generating_function_reference(
    weights: Complex[Tensor, "d 4 n"],
    poles: Complex[Tensor, "d n"],
    nodes: Complex[Tensor, " m"],
    front: Complex[Tensor, " m"],
) -> Complex[Tensor, "d m"]:
    """Return the same with every fraction in memory."""
    return _combined(cauchy_pairs_reference(weights, poles, nodes), front)


def _combined(sums: Complex[Tensor, "d 4 m"], front: Complex[Tensor, " m"]) -> Tensor:
    direct, across, back, own = sums.unbind(1)
    values: Tensor = front * torch.addcdiv(direct, across * back, 1 + own, value=-1)
    return values
