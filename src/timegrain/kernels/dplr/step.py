"""One step of a diagonal plus low rank state space, by its own bilinear rule."""

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
