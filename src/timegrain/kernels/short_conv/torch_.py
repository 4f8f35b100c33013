"""The short convolution in torch operations: any device, any dtype, differentiable twice."""

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional as F


def short_conv_torch(
    u: Float[Tensor, "b l d"],
    weight: Float[Tensor, "d k"],
    bias: Float[Tensor, " d"] | None,
    before: Float[Tensor, "b m d"] | None,
    silu: bool,
) -> Float[Tensor, "b l d"]:
    """Return y as a sum of shifted inputs; a convolution would round to TF32 on some devices."""
    length, width = u.shape[1], weight.shape[1]
    rows = F.pad(u, (0, 0, width - 1, 0))
    if before is not None and width > 1:
        rows = rows.clone()
        rows[:, : width - 1] = before
    y = weight[:, 0] * rows[:, :length]
    for j in range(1, width):
        y = y + weight[:, j] * rows[:, j : j + length]
    y = y if bias is None else y + bias
    return F.silu(y) if silu else y
