"""The short convolution as a plain loop: the specification of the other backends."""

import torch
from jaxtyping import Float
from torch import Tensor


def short_conv_reference(
    u: Float[Tensor, "b l d"],
    weight: Float[Tensor, "d k"],
    bias: Float[Tensor, " d"] | None,
    before: Float[Tensor, "b m d"] | None,
    silu: bool,
) -> Float[Tensor, "b l d"]:
    """Return y, one time step after another."""
    width = weight.shape[1]
    window = u.new_zeros(u.shape[0], width - 1, u.shape[2]) if before is None else before
    y = []
    for k in range(u.shape[1]):
        window = torch.cat([window[:, max(window.shape[1] - width + 1, 0) :], u[:, k : k + 1]], 1)
        out = (weight.T * window).sum(1)
        out = out if bias is None else out + bias
        y.append(out * torch.sigmoid(out) if silu else out)
    return torch.stack(y, 1)
