"""What a head keeps from one sample to the next: a decay at a rate that the input decides over."""

import math

import torch
from jaxtyping import Float
from torch import Tensor, nn

from timegrain.kernels.softplus.exact import exact_softplus
from timegrain.models.options import step_range

LEAST_RATE, LARGEST_RATE = 1.0, 16.0


class ScalarGate(nn.Module):
    """`-exp(a) softplus(W x + b)` for each head: the logarithm of what one training step keeps.

    Args:
        d_model: Channels of the input.
        n_heads: Heads.
        dt_min: Smallest initial `softplus(b)`, log-uniform, in steps of the training grid.
        dt_max: Largest.

    Source:
        Dao, Gu, Transformers are SSMs (ICML 2024, arXiv 2405.21060), section 7; rates uniform in
        1 to 16 as in the authors' code (state-spaces/mamba, modules/mamba2.py).

    Example:
        >>> ScalarGate(4, 2)(torch.zeros(1, 3, 4)).shape
        torch.Size([1, 3, 2])
    """

    def __init__(
        self, d_model: int, n_heads: int, *, dt_min: float = 0.001, dt_max: float = 0.1
    ) -> None:
        super().__init__()
        low, high = (math.log(dt) for dt in step_range(dt_min, dt_max))
        self.step = nn.Linear(d_model, n_heads)
        dt = torch.exp(low + (high - low) * torch.rand(n_heads))
        with torch.no_grad():
            self.step.bias.copy_(dt + torch.log(-torch.expm1(-dt)))  # inverse of softplus
        rates = LEAST_RATE + (LARGEST_RATE - LEAST_RATE) * torch.rand(n_heads)
        self.A_log = nn.Parameter(rates.log())

    def delta(self, x: Float[Tensor, "batch time channel"]) -> Float[Tensor, "batch time head"]:
        """Return `softplus(W x + b)`, in float32 at least."""
        raw = self.step(x)
        return exact_softplus(raw.to(torch.promote_types(raw.dtype, torch.float32)))

    def forward(self, x: Float[Tensor, "batch time channel"]) -> Float[Tensor, "batch time head"]:
        """Return the logarithm of what is kept over one step of the training grid."""
        return -self.A_log.exp() * self.delta(x)
