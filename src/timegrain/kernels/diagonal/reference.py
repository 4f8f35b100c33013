"""The diagonal scan as a plain loop: the specification."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.phi import phi1


def diagonal_scan_reference(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    steps: Float[Tensor, "#b l"] | None,
    state: Complex[Tensor, "b d n"],
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b d n"]]:
    """Return y and the last state, one time step after another."""
    y = []
    for k in range(u.shape[1]):
        step = delta if steps is None else steps[:, k, None] * delta
        z = step.unsqueeze(-1) * Lambda
        weight = step.unsqueeze(-1) * phi1(z)
        state = torch.exp(z) * state + weight * u[:, k, :, None]
        y.append(2 * (C * state).sum(-1).real)
    return torch.stack(y, 1), state
