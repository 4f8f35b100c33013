"""The factors of a step with held inputs, in torch operations, and mode by mode."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.phi import phi1


def zoh_factors_torch(
    log_dt: Float[Tensor, " p"],
    log_decay: Float[Tensor, " p"],
    frequency: Float[Tensor, " p"],
    B: Float[Tensor, "p d 2"],
    ratio: float,
) -> tuple[Complex[Tensor, " p"], Complex[Tensor, "p d"]]:
    """Return the decay and the input weights."""
    dt = ratio * log_dt.exp()
    z = torch.complex(-log_decay.exp(), frequency) * dt
    return torch.exp(z), (dt * phi1(z))[:, None] * torch.view_as_complex(B)


def zoh_factors_reference(
    log_dt: Float[Tensor, " p"],
    log_decay: Float[Tensor, " p"],
    frequency: Float[Tensor, " p"],
    B: Float[Tensor, "p d 2"],
    ratio: float,
) -> tuple[Complex[Tensor, " p"], Complex[Tensor, "p d"]]:
    """Return the decay and the input weights, one mode after another."""
    decay, into = [], []
    for p in range(len(log_dt)):
        dt = ratio * log_dt[p].exp()
        z = torch.complex(-log_decay[p].exp(), frequency[p]) * dt
        decay.append(z.exp())
        into.append(dt * phi1(z) * torch.view_as_complex(B[p]))
    return torch.stack(decay), torch.stack(into)
