"""Discretisations of diagonal linear systems, by name."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import torch
from torch import Tensor

from timegrain.kernels.phi import phi1, phi2

Factor = Callable[[Tensor], Tensor]
Weight = Callable[[Tensor, Tensor], Tensor]


@dataclass(frozen=True, kw_only=True)
class Discretization:
    r"""How `x' = lambda x + u` goes over one step, from `x_{k-1}` and the inputs at its two ends.

    The functions take `z = lambda dt` (real or complex, real part <= 0) and `dt = Delta s_k`, which
    broadcasts to it. They are exact as the step goes to 0; a step of 0 leaves the state as it is.

    Args:
        name: What users type.
        order: Declared order of convergence on smooth inputs, with the start below.
        decay: From `z` to what one step leaves of the state.
        log_decay: From `z` to the logarithm of that, complex where the factor may be negative.
        now: From `z` and `dt` to the weight of `u_k`.
        before: From `z` and `dt` to the weight of `u_{k-1}`; None where that has no part.

    Math:
        `x_k = decay x_{k-1} + now u_k + before u_{k-1}`. Where `before` is None, `u_k` is held over
        the step that ends at sample k, the first one too. Else the first sample opens the first
        interval: `x_0 = 0`, as after a step of 0. Without that, the step before it, whose input is
        not known, would leave an error of order 1.

    Source:
        Gu, Gupta, Goel, Re, On the Parameterization and Initialization of Diagonal State Space
        Models (2022, arXiv 2206.11893), eq. (6), for zoh and held bilinear; Hochbruck and
        Ostermann, Exponential integrators (2010), Acta Numerica 19, section 2, for zoh and foh.

    Example:
        >>> z, dt = torch.tensor([-0.5]), torch.tensor([0.5])
        >>> DISCRETIZATIONS["bilinear"].decay(z), DISCRETIZATIONS["bilinear"].now(z, dt)
        (tensor([0.6000]), tensor([0.4000]))
    """

    name: str
    order: int
    decay: Factor
    log_decay: Factor
    now: Weight
    before: Weight | None = None

    @property
    def opens(self) -> bool:
        """Whether the first sample opens the first interval, so that a state holds the last one."""
        return self.before is not None


def _identity(z: Tensor) -> Tensor:
    return z


def _pade(z: Tensor) -> Tensor:
    return (2 + z) / (2 - z)


def _log_pade(z: Tensor) -> Tensor:
    half = z / 2 if z.is_complex() else torch.complex(z / 2, torch.zeros_like(z))
    # z = -2 leaves nothing of the state, and nothing has no logarithm; 1 eps of it has
    eps = torch.finfo(half.dtype).eps
    half = torch.where((1 + half).abs() < eps, half + 2 * eps, half)
    return 2 * torch.atanh(half)


def _zoh(z: Tensor, dt: Tensor) -> Tensor:
    return dt * phi1(z)


def _euler(z: Tensor, dt: Tensor) -> Tensor:
    return dt.expand_as(z)


def _held_bilinear(z: Tensor, dt: Tensor) -> Tensor:
    return 2 * dt / (2 - z)


def _trapezoid(z: Tensor, dt: Tensor) -> Tensor:
    return dt / (2 - z)


def _rising(z: Tensor, dt: Tensor) -> Tensor:
    return dt * phi2(z)


def _falling(z: Tensor, dt: Tensor) -> Tensor:
    # what cancels here for stiff modes is a part 1/|z| of the weight of u_k
    return dt * (phi1(z) - phi2(z))


def _exponential(name: str, now: Weight, before: Weight | None = None) -> Discretization:
    order = 1 if before is None else 2
    return Discretization(
        name=name, order=order, decay=torch.exp, log_decay=_identity, now=now, before=before
    )


def _rational(name: str, now: Weight, before: Weight | None = None) -> Discretization:
    order = 1 if before is None else 2
    return Discretization(
        name=name, order=order, decay=_pade, log_decay=_log_pade, now=now, before=before
    )


_ALL = (
    _exponential("zoh", _zoh),
    _rational("bilinear", _held_bilinear),
    _exponential("euler_b", _euler),
    _exponential("foh", _rising, _falling),
    _rational("trapezoidal", _trapezoid, _trapezoid),
)
DISCRETIZATIONS: Mapping[str, Discretization] = MappingProxyType({d.name: d for d in _ALL})
"""By name: input held exactly (`zoh`), held through the bilinear rule as S4's code does
(`bilinear`), held and weighted by the step alone as Mamba's code does (`euler_b`), linear between
samples exactly (`foh`), and the mean of both ends through the bilinear rule (`trapezoidal`)."""
