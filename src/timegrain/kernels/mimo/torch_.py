"""The shared state space in torch operations, and as the loop that specifies it."""

from collections.abc import Callable

from jaxtyping import Complex, Float, Int
from torch import Tensor

from timegrain.kernels.linear.torch_ import linear_scan_torch
from timegrain.kernels.mimo.projections import last_of, project, read

Recurrence = Callable[[Tensor, Tensor, Tensor], Tensor]


def mimo_scan_torch(
    u: Float[Tensor, "b l d"],
    decay: Complex[Tensor, " p"],
    B: Complex[Tensor, "p d"],
    C: Complex[Tensor, "d p"],
    D: Float[Tensor, " d"] | None,
    state: Complex[Tensor, "b p"],
    counts: Int[Tensor, " b"] | None,
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b p"]]:
    """Return y and the state after `counts` samples."""
    return around(linear_scan_torch, u, decay, (B, C, D), state, counts)


def around(
    recurrence: Recurrence,
    u: Tensor,
    decay: Tensor,
    matrices: tuple[Tensor, Tensor, Tensor | None],
    state: Tensor,
    counts: Tensor | None,
) -> tuple[Tensor, Tensor]:
    """Return y and the last state, with a linear recurrence between the projections."""
    B, C, D = matrices
    states = recurrence(decay, project(u, B), state)
    y = read(states, C)
    return y if D is None else y + D * u, last_of(states, state, counts)
