"""The selective scan on the CPU: compiled loops behind `torch.autograd`."""

from collections.abc import Sequence
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import pad

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.plain import numpy_of, plain, saved
from timegrain.kernels.selective import numba_
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lane_groups import TOGETHER
from timegrain.kernels.vectors.lanes import lane_count

CHUNK = 16
"""Steps between checkpoints: they are 1/16 of all states, and one chunk stays in the cache."""
MEMBERS = 8
"""Most blocks of a task: their sums and steps of one chunk stay in the cache too."""


def selective_scan_numba(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, "b l d"],
    A: Float[Tensor, "d n"],
    B: Float[Tensor, "b l n"],
    C: Float[Tensor, "b l n"],
    D: Float[Tensor, " d"] | None,
    initial_state: Float[Tensor, "b d n"] | None,
    discretization: str,
) -> tuple[Float[Tensor, "b l d"], Float[Tensor, "b d n"]]:
    """Return y and the last state; arguments are checked and of one dtype, float32 or float64."""
    states = A.shape[1]
    if lack := -states % TOGETHER:
        # states that nothing drives and nothing reads
        A, B, C = (pad(t, (0, lack)) for t in (A, B, C))
        initial_state = None if initial_state is None else pad(initial_state, (0, lack))
    tensors = (u, delta, A, B, C, D, initial_state)
    zoh = True if discretization == "zoh" else None
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors):
        y, last = _SelectiveScan.apply(*tensors, zoh)
    else:
        inputs, others = _plain(tensors[:5]), _plain(tensors[5:])
        y, last, _ = _forward(inputs, others[0], others[1], zoh, keep=False)
    return y, last[..., :states] if lack else last


class _SelectiveScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple[Tensor, Tensor]:
        *inputs, D, state = _plain(args[:7])
        y, last, checkpoints = _forward(inputs, D, state, args[7], keep=True)
        ctx.zoh, ctx.has_state = args[7], state is not None
        ctx.save_for_backward(*inputs, D, checkpoints)
        return y, last

    @staticmethod
    @first_only("selective_scan")
    def backward(ctx: Any, gy: Tensor, g_last: Tensor) -> tuple[Tensor | None, ...]:
        *inputs, D, checkpoints = saved(ctx)
        upstream = _plain([gy, g_last])
        *grads, g_D, g_state = _backward(inputs, D, checkpoints, upstream, ctx.zoh)
        wanted = None if D is None else g_D, g_state if ctx.has_state else None
        return (*grads, *wanted, None)


def _plain(tensors: Sequence[Tensor | None]) -> list[Any]:
    return [None if t is None else plain(t) for t in tensors]


def _forward(
    inputs: list[Tensor], D: Tensor | None, state: Tensor | None, zoh: bool | None, *, keep: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return y, the last state, and the checkpoints (none of them if not to be kept)."""
    u, states = inputs[0], inputs[2].shape[1]
    batch, length, width = u.shape
    count = lane_count(u.numpy().dtype)
    blocks, chunks = -(-width // count), -(-length // CHUNK) if keep else 0
    y, last = torch.empty_like(u), u.new_empty(batch, width, states)
    together = TOGETHER
    groups, wide = states // together, together * count
    checkpoints = u.new_empty(batch, blocks, chunks, groups, wide)
    state = u.new_zeros(batch, width, states) if state is None else state
    read, written = numpy_of(*inputs), numpy_of(y, last)
    skip, before, kept = numpy_of(u.new_empty(0) if D is None else D, state, checkpoints)
    version = sources(vectors)

    def task(start: int, stop: int) -> None:
        carry = u.new_empty(groups, numba_.CARRY_ROWS, wide).numpy()
        numba_.forward(
            start, stop, version, carry, read, skip, before, written, kept, CHUNK, zoh
        )  # fmt: skip

    run_shared(task, batch * blocks, u.numel() * states)
    return y, last, checkpoints


def _backward(
    inputs: list[Tensor],
    D: Tensor | None,
    checkpoints: Tensor,
    upstream: list[Tensor],
    zoh: bool | None,
) -> tuple[Tensor, ...]:
    """Return the gradients of u, delta, A, B, C, D and the initial state."""
    u, states = inputs[0], inputs[2].shape[1]
    batch, length, width = u.shape
    blocks, count = checkpoints.shape[1], checkpoints.shape[4] // TOGETHER
    # few blocks of a sequence go together, and fewer where there are more threads than sequences;
    # the sums over channels are then rounded in another order
    tasks = max(-(-torch.get_num_threads() // batch), -(-blocks // MEMBERS))
    members = -(-blocks // min(blocks, tasks))
    groups = -(-blocks // members)
    g_u, g_delta, g_state = torch.empty_like(u), torch.empty_like(u), torch.empty_like(upstream[1])
    g_A, g_D = u.new_empty(batch, width, states), u.new_empty(batch, 0 if D is None else width)
    g_B, g_C = (u.new_empty(groups, batch, length, states) for _ in range(2))
    read, given = numpy_of(*inputs), numpy_of(*upstream)
    written = numpy_of(g_u, g_delta, g_A, g_B, g_C, g_D, g_state)
    skip, kept = numpy_of(u.new_empty(0) if D is None else D, checkpoints)
    version = sources(vectors)

    def task(start: int, stop: int) -> None:
        carries = u.new_empty(members, checkpoints.shape[3], numba_.CARRY_ROWS, kept.shape[4])
        tape = u.new_empty(min(CHUNK, length) + 1, numba_.TAPE_ROWS, count)
        through = u.new_empty(members, min(CHUNK, length) + 1, 2, count)
        memory = numpy_of(carries, tape, through)
        work = (start, stop, version, *memory, read, skip, kept, given, written, CHUNK, zoh)
        numba_.backward(*work)

    run_shared(task, batch * groups, u.numel() * states)
    summed = (g[0] if len(g) == 1 else g.sum(0) for g in (g_A, g_B, g_C, g_D))
    return g_u, g_delta, *summed, g_state
