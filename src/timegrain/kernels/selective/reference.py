"""The selective scan as a plain loop: the specification the other backends are tested against."""

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.phi import phi1


def selective_scan_reference(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, "b l d"],
    A: Float[Tensor, "d n"],
    B: Float[Tensor, "b l n"],
    C: Float[Tensor, "b l n"],
    D: Float[Tensor, " d"] | None,
    initial_state: Float[Tensor, "b d n"] | None,
    discretization: str,
) -> tuple[Float[Tensor, "b l d"], Float[Tensor, "b d n"]]:
    """Return y and the last state, one time step after another."""
    h = u.new_zeros(u.shape[0], *A.shape) if initial_state is None else initial_state
    y = []
    for k in range(u.shape[1]):
        step = delta[:, k, :, None]
        weight = step * phi1(step * A) if discretization == "zoh" else step
        h = torch.exp(step * A) * h + weight * B[:, k, None, :] * u[:, k, :, None]
        y.append((h * C[:, k, None, :]).sum(-1))
    out = torch.stack(y, 1)
    return (out if D is None else out + D * u), h
