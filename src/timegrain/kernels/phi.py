"""The functions `phi1` and `phi2` and their derivatives, without cancellation, for tensors."""

from math import factorial
from typing import Any

import torch
from torch import Tensor

from timegrain.kernels.transformed import applied

_RADIUS = 0.35  # beyond it cancellation costs at most a factor of ten
# within it the first term left out is below 1e-9 with 8 terms, below 1e-17 with 14
_RADIUS2 = 1.0  # of phi2, whose closed form cancels twice


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
    return applied(_Phi1, z)


def phi2(z: Tensor) -> Tensor:
    r"""Return `(exp(z) - 1 - z)/z^2`, 1/2 at z = 0: the weight of an input that rises from 0 to 1.

    Args:
        z: Real or complex, any shape.

    Returns:
        The values, differentiable twice and more.

    Math:
        :math:`\varphi_2(z) = \sum_k z^k/(k+2)! = (\varphi_1(z) - 1)/z`, with derivative
        :math:`(\varphi_1'(z) - \varphi_2(z))/z = \sum_k (k+1) z^k/(k+3)!`.

    Source:
        Hochbruck and Ostermann, Exponential integrators (2010), Acta Numerica 19, section 2.

    Example:
        >>> import torch
        >>> phi2(torch.tensor([0.0, 1.0], dtype=torch.float64))
        tensor([0.5000, 0.7183], dtype=torch.float64)
    """
    return applied(_Phi2, z)


class _Phi2(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor) -> Tensor:
        ctx.save_for_backward(z)
        small, away = _near(z)
        series = _horner(z, [1 / factorial(k + 2) for k in range(_terms(z))], small)
        return torch.where(small, series, (_values(away) - 1) / away)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:
        (z,) = ctx.saved_tensors
        return grad * _slope2(z).conj()

    @staticmethod
    def forward_mode(ctx: Any, tangent: Tensor) -> Tensor:
        (z,) = ctx.saved_tensors
        return tangent * _slope2(z)


def _slope2(z: Tensor) -> Tensor:
    small, away = _near(z)
    series = _horner(z, [(k + 1) / factorial(k + 3) for k in range(_terms(z))], small)
    slope1 = (torch.exp(away) - phi1(away)) / away
    return torch.where(small, series, (slope1 - phi2(away)) / away)


def _near(z: Tensor) -> tuple[Tensor, Tensor]:
    """Return where the series of phi2 is summed, and `z` with ones there."""
    small = z.abs() < _RADIUS2
    return small, torch.where(small, 1.0, z)


def _terms(z: Tensor) -> int:
    """Return how many terms leave out less than rounding for `|z| < _RADIUS2`."""
    return 18 if torch.finfo(z.dtype).bits == 64 else 11


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

    @staticmethod
    def forward_mode(ctx: Any, tangent: Tensor) -> Tensor:
        (z,) = ctx.saved_tensors
        return tangent * _slope(z)


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
