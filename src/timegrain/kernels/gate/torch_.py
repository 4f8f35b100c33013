"""The gate in torch operations: any device, any dtype, differentiable twice."""

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def silu_gate_torch(y: Float[Tensor, "b l d"], z: Float[Tensor, "b l d"]) -> Float[Tensor, "b l d"]:
    """Return `y silu(z)`."""
    return y * F.silu(z)
