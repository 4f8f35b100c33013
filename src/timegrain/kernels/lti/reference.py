"""Kernel and convolution as plain loops: the specification."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor


def s4d_kernel_reference(
    delta_lambda: Complex[Tensor, "d n"], weight: Complex[Tensor, "d n"], length: int
) -> Float[Tensor, "d l"]:
    """Return the kernel sample by sample."""
    return torch.stack(
        [2 * (weight * torch.exp(delta_lambda * k)).sum(-1).real for k in range(length)], -1
    )


def lti_conv_reference(
    u: Float[Tensor, "b l d"], K: Float[Tensor, "d k"]
) -> Float[Tensor, "b l d"]:
    """Return the convolution as a sum over the samples of the kernel."""
    length = u.shape[1]
    y = torch.zeros_like(u)
    for s in range(min(length, K.shape[1])):
        y = y + torch.nn.functional.pad(K[:, s] * u[:, : length - s], (0, 0, s, 0))
    return y
