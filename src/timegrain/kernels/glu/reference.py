"""The gated sum as it is written down: the specification."""

import torch
from jaxtyping import Float
from torch import Tensor


def glu_sum_reference(
    h: Float[Tensor, "b l d"], z: Float[Tensor, "b l two_d"]
) -> Float[Tensor, "b l d"]:
    """Return `h + a sigmoid(b)`."""
    a, b = z.chunk(2, -1)
    return h + a * torch.sigmoid(b)
