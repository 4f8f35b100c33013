"""The diagonal scan on the CPU: compiled loops behind `torch.autograd`."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.diagonal import numba_
from timegrain.kernels.plain import numpy_of, plain, saved
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.held_step import FACTOR_ROWS, inverse_of
from timegrain.kernels.vectors.lanes import lane_count

CHUNK = 32
"""Steps between checkpoints: they are 1/32 of all states, and one chunk stays in the cache."""


def diagonal_scan_numba(
    u: Float[Tensor, "b l d"],
    delta: Float[Tensor, " d"],
    Lambda: Complex[Tensor, "d n"],
    C: Complex[Tensor, "d n"],
    steps: Float[Tensor, "#b l"] | None,
    state: Complex[Tensor, "b d n"],
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b d n"]]:
    """Return y and the last state; arguments are checked and of one precision."""
    steps = u.new_ones(1, u.shape[1]) if steps is None else steps
    # the weight of the input is delta times that of a step of length 1 with z = delta lambda
    tensors = (u * delta, steps, delta.unsqueeze(-1) * Lambda, C, state)
    if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
        y, last = _DiagonalScan.apply(*tensors)
        return y, last
    u, steps, z, C, state = (plain(t) for t in tensors)
    y, last, _ = _forward(u, steps, z, C, state, keep=False)
    return y, last


class _DiagonalScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple[Tensor, Tensor]:
        u, steps, z, C, state = (plain(t) for t in args)
        y, last, checkpoints = _forward(u, steps, z, C, state, keep=True)
        ctx.save_for_backward(u, steps, z, C, checkpoints)
        return y, last

    @staticmethod
    @first_only("diagonal_scan")
    def backward(ctx: Any, gy: Tensor, g_last: Tensor) -> tuple[Tensor | None, ...]:
        u, steps, z, C, checkpoints = saved(ctx)
        upstream = (plain(gy), plain(g_last))
        wanted = ctx.needs_input_grad[1]
        return _backward(u, steps, z, C, checkpoints, upstream, stepped=wanted)


def _forward(
    u: Tensor, steps: Tensor, z: Tensor, C: Tensor, state: Tensor, *, keep: bool
) -> tuple[Tensor, Tensor, Tensor]:
    """Return y, the last state, and the checkpoints (none of them if not to be kept)."""
    batch, length, width = u.shape
    states, count = z.shape[1], lane_count(u.numpy().dtype)
    blocks, chunks = -(-width // count), -(-length // CHUNK) if keep else 0
    y, last = torch.empty_like(u), torch.empty_like(state)
    checkpoints = u.new_empty(batch, blocks, chunks, states, 2, count)
    read, system = numpy_of(u, steps), numpy_of(z, inverse_of(z), C)
    (before,), written, (kept,) = numpy_of(state), numpy_of(y, last), numpy_of(checkpoints)
    version = sources(vectors)

    def task(start: int, stop: int) -> None:
        carry = np.empty((states, numba_.CARRY_ROWS, count), read[0].dtype)
        table = np.empty((1, states, FACTOR_ROWS, count), read[0].dtype)
        numba_.forward(
            start, stop, version, carry, table, read, system, before, written, kept, CHUNK
        )  # fmt: skip

    run_shared(task, batch * blocks, u.numel() * states)
    return y, last, checkpoints


def _backward(
    u: Tensor,
    steps: Tensor,
    z: Tensor,
    C: Tensor,
    checkpoints: Tensor,
    upstream: tuple[Tensor, Tensor],
    *,
    stepped: bool,
) -> tuple[Tensor | None, ...]:
    """Return the gradients of u, the steps (None if not wanted), z, C and the state before."""
    batch, length, _ = u.shape
    blocks, states, count = checkpoints.shape[1], z.shape[1], checkpoints.shape[5]
    to_u, to_state = torch.empty_like(u), torch.empty_like(upstream[1])
    to_z, to_C = torch.empty_like(to_state), torch.empty_like(to_state)
    to_steps = u.new_empty(*((blocks, batch, length) if stepped else (0, 0, 0)))
    read, system, (kept,) = (
        numpy_of(u, steps),
        numpy_of(z, inverse_of(z), C),
        numpy_of(checkpoints),
    )
    given, written = numpy_of(*upstream), numpy_of(to_u, to_steps, to_z, to_C, to_state)
    version = sources(vectors)

    def task(start: int, stop: int) -> None:
        span = min(CHUNK, length)
        scratch = (
            np.empty((states, numba_.CARRY_ROWS, count), read[0].dtype),
            np.empty((span, states, FACTOR_ROWS, count), read[0].dtype),
            np.empty((span + 1, states, 2, count), read[0].dtype),
            np.empty(span, np.int64),
        )
        numba_.backward(
            start, stop, version, scratch, read, system, kept, given, written, CHUNK
        )  # fmt: skip

    run_shared(task, batch * blocks, u.numel() * states)
    of_steps = to_steps.sum(0) if stepped else None
    if of_steps is not None and steps.shape[0] == 1:
        of_steps = of_steps.sum(0, keepdim=True)
    return to_u, of_steps, to_z.sum(0), 2 * to_C.sum(0).conj(), to_state
