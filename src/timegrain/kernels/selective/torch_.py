"""The selective scan in torch operations: any device, any dtype, differentiable twice."""

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.blocked import blocked_scan, split
from timegrain.kernels.phi import phi1


def selective_scan_torch(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, "b l d"],
    A: Float[Tensor, "d n"],
    B: Float[Tensor, "b l n"],
    C: Float[Tensor, "b l n"],
    D: Float[Tensor, " d"] | None,
    initial_state: Float[Tensor, "b d n"] | None,
    discretization: str,
) -> tuple[Float[Tensor, "b l d"], Float[Tensor, "b d n"]]:
    """Return y and the last state, by blocks side by side; memory is a few times `(b, l, d, n)`."""
    steps = split(delta, 1)
    decays, pushes = [], []
    for step, x, b in zip(
        steps.unbind(2), split(u, 1).unbind(2), split(B, 1).unbind(2), strict=True
    ):
        z = step.unsqueeze(-1) * A
        weight = step * x
        push = weight.unsqueeze(-1) * b.unsqueeze(2)
        decays.append(torch.exp(z))
        pushes.append(push * phi1(z) if discretization == "zoh" else push)
    weights = split(C, 1)
    state = u.new_zeros(u.shape[0], *A.shape) if initial_state is None else initial_state
    y, last = blocked_scan(
        decays,
        pushes,
        torch.exp(steps.sum(2).unsqueeze(-1) * A),
        state,
        lambda i, h: (h @ weights[:, :, i].unsqueeze(-1)).squeeze(-1),
    )
    y = y[:, : u.shape[1]]
    return (y if D is None else y + D * u), last
