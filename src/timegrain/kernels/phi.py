"""`expm1(z)/z` and its derivative, without cancellation, for torch tensors."""

from math import factorial
from typing import Any

import torch
from torch import Tensor

_RADIUS = 0.35  # beyond it cancellation costs at most a factor of ten
# within it the first term left out is below 1e-9 with 8 terms, below 1e-17 with 14


def phi1(z: Tensor) -> Tensor:
    r"""Return `(exp(z) - 1)/z`, 1 at z = 0: the weight of a held input over one step, per step.

    Args:
        z: Real or complex, any shape.

    Returns:
        The values, differentiable any number of times.

    Math:
        :math:`\varphi_1(z) = \sum_k z^k/(k+1)!`, with derivative
        :math:`\sum_k (k+1) z^k/(k+2)! = (e^z - \varphi_1(z))/z`.

    Source:
        Hochbruck and Ostermann, Exponential integrators (2010), Acta Numerica 19, section 2.

    Example:
        >>> import torch
        >>> phi1(torch.tensor([0.0, 1.0], dtype=torch.float64))
        tensor([1.0000, 1.7183], dtype=torch.float64)
    """
    return _Phi1.apply(z)


class _Phi1(torch.autograd.Function):
    """The derivative is given so that no series enters the graph of a first-order gradient."""

    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        ctx.save_for_backward(z)
        return _values(z)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (z,) = ctx.saved_tensors
        return grad * _slope(z).conj()


def _values(z: Tensor) -> Tensor:
    return torch.where(z == 0, 1.0, torch.expm1(z) / torch.where(z == 0, 1.0, z))


def _slope(z: Tensor) -> Tensor:
    small = z.abs() < _RADIUS
    away = torch.where(small, 1.0, z)
    count = 14 if torch.finfo(z.dtype).bits == 64 else 8
    series = _horner(z, [(k + 1) / factorial(k + 2) for k in range(count)], small)
    return torch.where(small, series, (torch.exp(away) - phi1(away)) / away)


def _horner(z: Tensor, coefficients: list[float], where: Tensor) -> Tensor:
    z = torch.where(where, z, 0.0)  # elsewhere powers could overflow, and inf * 0 is NaN
    value = torch.full_like(z, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        value = value * z + coefficient
    return value
