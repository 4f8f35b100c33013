"""The time scale written out: the specification of the other backends."""

import torch
from jaxtyping import Float
from torch import Tensor


def softplus_steps_reference(
    x: Float[Tensor, "b l d"], ratio: Float[Tensor, "b l"] | None
) -> Float[Tensor, "b l d"]:
    """Return `s log(1 + exp(x))`, without overflow."""
    # a maximum shares the gradient of equal arguments, a clamp has all of it at zero
    y = torch.maximum(x, x.new_zeros(())) + torch.log1p(torch.exp(-x.abs()))
    return y if ratio is None else ratio[..., None] * y
