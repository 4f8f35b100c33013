"""The linear recurrence in torch operations: any device, any dtype, differentiable twice."""

import torch
from jaxtyping import Complex
from torch import Tensor

from timegrain.kernels.blocked import block_count, split


def linear_scan_torch(
    decay: Complex[Tensor, " p"] | Complex[Tensor, "b l p"],
    drive: Complex[Tensor, "b l p"],
    state: Complex[Tensor, "b p"],
) -> Complex[Tensor, "b l p"]:
    """Return the states, by blocks side by side; memory is a few times `(b, l, p)`.

    Within a block the state is the block's own answer from rest, plus what is left of the state
    before it. The products of decays that this takes are at most a block long.
    """
    length = drive.shape[1]
    blocks, steps = block_count(length)
    decays = decay.expand(1, blocks, steps, -1) if decay.ndim == 1 else split(decay, 1)
    local, left = torch.zeros_like(drive[:, :1]), torch.ones_like(decays[:, :, 0])
    answers, remains = [], []
    for factor, push in zip(decays.unbind(2), split(drive, 1).unbind(2), strict=True):
        local, left = factor * local + push, factor * left
        answers.append(local)
        remains.append(left)
    before = []
    for end, rest in zip(local.unbind(1), left.expand_as(local).unbind(1), strict=True):
        before.append(state)
        state = rest * state + end
    states = torch.stack(answers, 2) + torch.stack(remains, 2) * torch.stack(before, 1)[:, :, None]
    return states.flatten(1, 2)[:, :length]
