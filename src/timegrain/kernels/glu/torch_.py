"""The gated sum in torch operations."""

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def glu_sum_torch(
    h: Float[Tensor, "b l d"], z: Float[Tensor, "b l two_d"]
) -> Float[Tensor, "b l d"]:
    """Return `h + a sigmoid(b)`."""
    return h + F.glu(z, dim=-1)
