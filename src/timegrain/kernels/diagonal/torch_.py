"""The diagonal scan by blocks side by side, in torch operations."""

import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels.blocked import blocked_scan, split
from timegrain.kernels.phi import phi1


def diagonal_scan_torch(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    steps: Float[Tensor, "#b l"] | None,
    state: Complex[Tensor, "b d n"],
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b d n"]]:
    """Return y and the last state; memory is a few complex tensors `(b, l, d, n)`."""
    length = u.shape[1]
    z = delta.unsqueeze(-1) * Lambda
    ratios = split(u.new_ones(1, length) if steps is None else steps, 1)
    decays, pushes = [], []
    for ratio, x in zip(ratios.unbind(2), split(u, 1).unbind(2), strict=True):
        scaled = z * ratio[..., None, None]
        weight = delta.unsqueeze(-1) * ratio[..., None, None] * phi1(scaled)
        decays.append(torch.exp(scaled))
        pushes.append(weight * x.unsqueeze(-1))
    y, last = blocked_scan(
        decays,
        pushes,
        torch.exp(z * ratios.sum(2)[..., None, None]),
        state,
        lambda _, x: 2 * (C * x).sum(-1).real,
    )
    return y[:, :length], last
