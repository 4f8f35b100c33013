"""One step after another: the specification of the scan, and so of the kernel."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.dplr.step import dplr_step


def dplr_scan_reference(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    P: Complex[Tensor, "d n"],
    B: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    steps: Float[Tensor, "#b l"],
    state: Complex[Tensor, "b d n"],
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b d n"]]:
    """Return y and the last state."""
    y = []
    for k in range(u.shape[1]):
        state = dplr_step(state, u[:, k], steps[:, k, None] * delta, Lambda, P, B)
        y.append(2 * (C * state).sum(-1).real)
    return torch.stack(y, 1), state
