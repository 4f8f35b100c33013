"""The gate written out: the specification of the other backends."""

import torch
from jaxtyping import Float
from torch import Tensor


def silu_gate_reference(
    y: Float[Tensor, "b l d"], z: Float[Tensor, "b l d"]
) -> Float[Tensor, "b l d"]:
    """Return `y z / (1 + exp(-z))`."""
    return y * (z * torch.sigmoid(z))
