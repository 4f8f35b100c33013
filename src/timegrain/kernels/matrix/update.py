"""One step of the matrix state, for tensors that are checked and of one dtype."""

from jaxtyping import Float
from torch import Tensor


def update(
    q: Float[Tensor, "b g i"],
    k: Float[Tensor, "b g i"],
    v: Float[Tensor, "b h j"],
    log_gate: Float[Tensor, "b h"] | Float[Tensor, "b h i"] | None,
    beta: Float[Tensor, "b h"] | None,
    state: Float[Tensor, "b h i j"],
) -> tuple[Float[Tensor, "b h j"], Float[Tensor, "b h i j"]]:
    """Return y and the state after one sample."""
    q, k = (per_head(t, v.shape[1], axis=1).unsqueeze(-1) for t in (q, k))
    if log_gate is not None:
        gate = log_gate.exp().reshape(*log_gate.shape[:2], -1, 1)
        state = gate * state
    if beta is not None:
        v = beta.unsqueeze(-1) * (v - (k * state).sum(-2))
    state = state + k * v.unsqueeze(-2)
    return (q * state).sum(-2), state


def per_head(tensor: Tensor, heads: int, *, axis: int) -> Tensor:
    """Return q or k with one row for each head of v: consecutive heads share a group.

    Example:
        >>> import torch
        >>> per_head(torch.tensor([[1, 2]]), 4, axis=1)
        tensor([[1, 1, 2, 2]])
    """
    groups = tensor.shape[axis]
    return tensor if groups == heads else tensor.repeat_interleave(heads // groups, axis)
