"""The linear recurrence as a plain loop: the specification."""

import torch
from jaxtyping import Complex
from torch import Tensor


def linear_scan_reference(
    decay: Complex[Tensor, " p"] | Complex[Tensor, "b l p"],
    drive: Complex[Tensor, "b l p"],
    state: Complex[Tensor, "b p"],
) -> Complex[Tensor, "b l p"]:
    """Return the states, one time step after another."""
    states = []
    for k in range(drive.shape[1]):
        state = (decay if decay.ndim == 1 else decay[:, k]) * state + drive[:, k]
        states.append(state)
    return torch.stack(states, 1)
