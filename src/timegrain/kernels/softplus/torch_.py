"""The time scale in torch operations: any device, any dtype, differentiable twice."""

from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.softplus.exact import exact_softplus


def softplus_steps_torch(
    x: Float[Tensor, "b l d"], ratio: Float[Tensor, "b l"] | None
) -> Float[Tensor, "b l d"]:
    """Return `s softplus(x)`."""
    y = exact_softplus(x)
    return y if ratio is None else ratio[..., None] * y
