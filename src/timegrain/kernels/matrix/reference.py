"""The matrix scan as a plain loop: the specification the other backends are tested against."""

import torch
from jaxtyping import Float
from torch import Tensor

from timegrain.kernels.matrix.update import update


def matrix_scan_reference(
    q: Float[Tensor, "b l g i"],
    k: Float[Tensor, "b l g i"],
    v: Float[Tensor, "b l h j"],
    log_gate: Float[Tensor, "b l h"] | Float[Tensor, "b l h i"] | None,
    beta: Float[Tensor, "b l h"] | None,
    state: Float[Tensor, "b h i j"],
    chunk: int,
) -> tuple[Float[Tensor, "b l h j"], Float[Tensor, "b h i j"]]:
    """Return y and the last state, one time step after another; `chunk` changes nothing."""
    absent = (None,) * v.shape[1]
    # the gradient of a slice would be of the size of the whole sequence, at every step
    samples = (absent if t is None else t.unbind(1) for t in (q, k, v, log_gate, beta))
    y = []
    for q_t, k_t, v_t, gate, strength in zip(*samples, strict=True):
        out, state = update(q_t, k_t, v_t, gate, strength, state)
        y.append(out)
    return torch.stack(y, 1), state
