"""One step after another: the specification of the scan, and so of the kernel."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor


def dplr_step(
    state: Complex[Tensor, "b d n"],
    u: Float[Tensor, "b d"],
    step: Float[Tensor, "#b d"],
    Lambda: Complex[Tensor, "d n"],
    P: Complex[Tensor, "d n"],
    B: Complex[Tensor, "d n"],
) -> Complex[Tensor, "b d n"]:
    """Return the state after one step, in a number of operations proportional to the modes."""
    half = step.unsqueeze(-1) / 2
    resolvent = 1 / (1 - half * Lambda)
    moved = resolvent * (state + half * B * u.unsqueeze(-1))
    across = 2 * (P.conj() * moved).sum(-1, keepdim=True).real
    own = 2 * (P.abs().square() * resolvent.real).sum(-1, keepdim=True)
    middle = moved - half * across / (1 + half * own) * (resolvent * P)
    after: Tensor = 2 * middle - state
    return after


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
