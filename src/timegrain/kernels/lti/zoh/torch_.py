"""The kernel with held inputs as the composition that it is, in torch operations."""

from collections.abc import Callable

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.lti.reference import s4d_kernel_reference
from timegrain.kernels.lti.torch_ import s4d_kernel_torch
from timegrain.kernels.phi import phi1

Parameters = tuple[Tensor, Tensor, Tensor, Tensor, Tensor | None]


def zoh_kernel_torch(
    log_dt: Float[Tensor, " d"],
    log_decay: Float[Tensor, "d n"],
    frequency: Float[Tensor, "d n"],
    C: Float[Tensor, "d n 2"],
    skip: Float[Tensor, " d"] | None,
    ratio: float,
    length: int,
) -> Float[Tensor, "d l"]:
    """Return the kernel by matrix products."""
    parameters = log_dt, log_decay, frequency, C, skip
    return _composed(s4d_kernel_torch, parameters, ratio, length)


def zoh_kernel_reference(
    log_dt: Float[Tensor, " d"],
    log_decay: Float[Tensor, "d n"],
    frequency: Float[Tensor, "d n"],
    C: Float[Tensor, "d n 2"],
    skip: Float[Tensor, " d"] | None,
    ratio: float,
    length: int,
) -> Float[Tensor, "d l"]:
    """Return the kernel sample by sample."""
    parameters = log_dt, log_decay, frequency, C, skip
    return _composed(s4d_kernel_reference, parameters, ratio, length)


def _composed(
    sums: Callable[[Tensor, Tensor, int], Tensor],
    parameters: Parameters,
    ratio: float,
    length: int,
) -> Tensor:
    log_dt, log_decay, frequency, C, skip = parameters
    dt = (ratio * log_dt.exp()).unsqueeze(-1)
    z = torch.complex(-log_decay.exp(), frequency) * dt
    K = sums(z, torch.view_as_complex(C.contiguous()) * dt * phi1(z), length)
    return K if skip is None else torch.cat([K[:, :1] + skip.unsqueeze(-1), K[:, 1:]], 1)
