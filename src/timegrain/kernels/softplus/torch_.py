"""The time scale in torch operations: any device, any dtype, differentiable twice."""

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F

EXACT = 40.0
"""Beyond it x is its own softplus in float64 too; torch's threshold of 20 leaves out 2e-9."""


def softplus_steps_torch(
    x: Float[Tensor, "b l d"], ratio: Float[Tensor, "b l"] | None
) -> Float[Tensor, "b l d"]:
    """Return `s softplus(x)`."""
    y = F.softplus(x, threshold=EXACT)
    return y if ratio is None else ratio[..., None] * y
