"""The held scan in torch operations, and as the loop that specifies it."""

from collections.abc import Callable

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.linear.torch_ import linear_scan_torch
from timegrain.kernels.phi import phi1

Recurrence = Callable[[Tensor, Tensor, Tensor], Tensor]


def held_scan_torch(
    drive: Complex[Tensor, "b l p"],
    z: Complex[Tensor, " p"],
    steps: Float[Tensor, "#b l"],
    state: Complex[Tensor, "b p"],
) -> Complex[Tensor, "b l p"]:
    """Return the states by blocks side by side; memory is a few times `(b, l, p)`."""
    return through(linear_scan_torch, drive, z, steps, state)


def through(
    recurrence: Recurrence, drive: Tensor, z: Tensor, steps: Tensor, state: Tensor
) -> Tensor:
    """Return the states by a linear recurrence whose factors are computed first."""
    ratio = steps.unsqueeze(-1)
    exponent = z * ratio
    decay = torch.exp(exponent).expand_as(drive)
    return recurrence(decay, ratio * phi1(exponent) * drive, state)
