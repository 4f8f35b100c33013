"""A linear recurrence in about `2 BLOCK + l/BLOCK` sequential steps instead of `l`."""

from collections.abc import Callable

import torch
from torch import Tensor

BLOCK = 64
"""Steps in a block. Fixed, so that appending steps which change nothing leaves the blocks alone."""


def block_count(length: int, size: int = BLOCK) -> tuple[int, int]:
    """Return the number of blocks and the steps in each, at most `size`, for `length` steps.

    Example:
        >>> block_count(10), block_count(130)
        ((1, 10), (3, 64))
    """
    steps = min(size, length)
    return -(-length // steps), steps


def split(values: Tensor, axis: int, size: int = BLOCK) -> Tensor:
    """Return `values` with its time axis cut into `(block, step)`, filled up with zeros.

    Args:
        values: Any tensor.
        axis: Which axis is time.
        size: Steps in a block, at most.

    Example:
        >>> import torch
        >>> split(torch.ones(2, 130, 5), 1).shape
        torch.Size([2, 3, 64, 5])
    """
    blocks, steps = block_count(values.shape[axis], size)
    missing = blocks * steps - values.shape[axis]
    pad = [0, 0] * (values.ndim - 1 - axis) + [0, missing]
    return torch.nn.functional.pad(values, pad).unflatten(axis, (blocks, steps))


def blocked_scan(
    decays: list[Tensor],
    pushes: list[Tensor],
    block_decay: Tensor,
    state: Tensor,
    read: Callable[[int, Tensor], Tensor],
) -> tuple[Tensor, Tensor]:
    """Run `h = decay * h + push` over blocks side by side, twice: from zero, then from their state.

    A step with decay 1 and push 0 changes nothing; padding must be such steps.

    Args:
        decays: For each step in a block, `(b, blocks, d, n)` or something that broadcasts to it.
        pushes: For each step in a block, `(b, blocks, d, n)`.
        block_decay: The product of the decays of each block, `(b, blocks, d, n)` or broadcasting.
        state: State before the first step, `(b, d, n)`.
        read: From the step's number and the states `(b, blocks, d, n)` after it to what is kept.

    Returns:
        What was read, blocks and steps joined to a time axis (still padded), and the last state.
    """
    local = torch.zeros_like(pushes[0])
    for decay, push in zip(decays, pushes, strict=True):
        local = decay * local + push
    blocks = local.shape[1]
    block_decay = block_decay.expand(block_decay.shape[0], blocks, *local.shape[2:])
    before = []
    for decay, end in zip(block_decay.unbind(1), local.unbind(1), strict=True):
        before.append(state)
        state = decay * state + end
    h = torch.stack(before, 1)
    kept = []
    for step, (decay, push) in enumerate(zip(decays, pushes, strict=True)):
        h = decay * h + push
        kept.append(read(step, h))
    return torch.stack(kept, 2).flatten(1, 2), state
