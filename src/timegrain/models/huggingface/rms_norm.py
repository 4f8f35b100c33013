"""Root mean square normalisation."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class RMSNorm(nn.Module):
    r"""`weight x / sqrt(mean(x^2) + eps)` over channels, in 32 bits at least.

    Args:
        channels: Channels.
        eps: Added to the mean square.

    Source:
        Zhang, Sennrich, Root Mean Square Layer Normalization (2019, arXiv 1910.07467), eq. (4).

    Example:
        >>> RMSNorm(2, eps=0.0)(torch.tensor([3.0, 3.0])).tolist()
        [1.0, 1.0]
    """

    def __init__(self, channels: int, *, eps: float) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(channels))

    def forward(self, x: Float[Tensor, "*batch channel"]) -> Float[Tensor, "*batch channel"]:
        """Return the normalised values."""
        wide = x.to(torch.promote_types(x.dtype, torch.float32))
        scale = torch.rsqrt(wide.square().mean(-1, keepdim=True) + self.eps)
        return self.weight * (wide * scale).to(x.dtype)
