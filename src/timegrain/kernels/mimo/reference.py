"""The shared state space as a plain loop: the specification."""

import torch
from jaxtyping import Complex, Float, Int
from torch import Tensor


def mimo_scan_reference(
    u: Float[Tensor, "b l d"],
    decay: Complex[Tensor, " p"],
    B: Complex[Tensor, "p d"],
    C: Complex[Tensor, "d p"],
    D: Float[Tensor, " d"] | None,
    state: Complex[Tensor, "b p"],
    counts: Int[Tensor, " b"] | None,
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b p"]]:
    """Return y and the state after `counts` samples, one time step after another."""
    y, last = [], state
    for k in range(u.shape[1]):
        state = decay * state + u[:, k].to(B.dtype) @ B.T
        y.append(2 * (state @ C.T).real + (0 if D is None else D * u[:, k]))
        last = state if counts is None else torch.where(counts[:, None] > k, state, last)
    return torch.stack(y, 1), last
