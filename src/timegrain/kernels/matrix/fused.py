"""The matrix scan on the CPU: compiled loops behind `torch.autograd`."""

from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import pad

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.matrix import numba_
from timegrain.kernels.plain import numpy_of, plain, saved
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lane_groups import TOGETHER
from timegrain.kernels.vectors.lanes import lane_count

TAPE = 1 << 21
"""Bytes of the states of one chunk, at most: more would leave the second-level cache."""


def matrix_scan_numba(
    q: Float[Tensor, "b l g i"],
    k: Float[Tensor, "b l g i"],
    v: Float[Tensor, "b l h j"],
    log_gate: Float[Tensor, "b l h"] | Float[Tensor, "b l h i"] | None,
    beta: Float[Tensor, "b l h"] | None,
    state: Float[Tensor, "b h i j"],
    chunk: int,
) -> tuple[Float[Tensor, "b l h j"], Float[Tensor, "b h i j"]]:
    """Return y and the last state; arguments are checked and of one dtype, float32 or float64."""
    rows, columns = state.shape[2:]
    more_rows, more_columns = -rows % TOGETHER, -columns % TOGETHER
    if more_rows or more_columns:
        # rows that no key writes, columns that nothing is written to
        q, k, v = pad(q, (0, more_rows)), pad(k, (0, more_rows)), pad(v, (0, more_columns))
        state = pad(state, (0, more_columns, 0, more_rows))
        if log_gate is not None and log_gate.ndim == 4:
            log_gate = pad(log_gate, (0, more_rows))
    tensors = (q, k, v, log_gate, beta, state)
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors):
        y, last = _MatrixScan.apply(*tensors, chunk)
    else:
        inputs = _inputs(*tensors[:5])
        y, last, *_ = _forward(inputs, plain(state), _span(state, chunk), keep=False)
    if more_rows or more_columns:
        y, last = y[..., :columns], last[..., :rows, :columns]
    return y, last


def _inputs(
    q: Tensor, k: Tensor, v: Tensor, log_gate: Tensor | None, beta: Tensor | None
) -> list[Tensor]:
    """Return the arguments as the loops read them: gates for their logarithms, none absent."""
    if log_gate is None:
        gate = v.new_ones(*v.shape[:3], 1)
    else:
        gate = plain(log_gate).exp()
        gate = gate if gate.ndim == 4 else gate.unsqueeze(-1)
    strength = v.new_empty(0, 0, 0) if beta is None else plain(beta)
    return [plain(q), plain(k), plain(v), gate, strength]


def _span(state: Tensor, chunk: int) -> int:
    """Return the steps between checkpoints."""
    rows, columns = state.shape[2:]
    of_one = max(1, rows * columns * state.element_size())
    return max(1, min(chunk, max(8, TAPE // of_one)))


class _MatrixScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple[Tensor, Tensor]:
        *given, state, chunk = args
        inputs, span = _inputs(*given), _span(state, chunk)
        y, last, errors, checkpoints = _forward(inputs, plain(state), span, keep=True)
        ctx.span, ctx.gated, ctx.delta = span, given[3] is not None, given[4] is not None
        ctx.save_for_backward(*inputs, errors, checkpoints)
        return y, last

    @staticmethod
    @first_only("matrix_scan")
    def backward(ctx: Any, gy: Tensor, g_last: Tensor) -> tuple[Tensor | None, ...]:
        *inputs, errors, checkpoints = saved(ctx)
        wrote = errors if ctx.delta else inputs[2]
        upstream = plain(gy), plain(g_last)
        q, k, v, gate, beta, state = _backward(
            inputs, wrote, checkpoints, upstream, ctx.span, gated=ctx.gated
        )
        return q, k, v, gate if ctx.gated else None, beta if ctx.delta else None, state, None


def _forward(
    inputs: list[Tensor], state: Tensor, span: int, *, keep: bool
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return y, the last state, the delta rule's errors, and checkpoints (none if not to keep)."""
    v, delta = inputs[2], inputs[4].numel() > 0
    batch, length, heads, columns = v.shape
    rows, lanes = state.shape[2], lane_count(v.numpy().dtype)
    chunks = -(-length // span) if keep else 0
    y, last = torch.empty_like(v), torch.empty_like(state)
    errors = v.new_empty(v.shape if keep and delta else (0, 0, 0, 0))
    states = -(-columns // lanes), rows // TOGETHER, TOGETHER * lanes
    checkpoints = v.new_empty(batch, heads, chunks, *states)
    read, written = numpy_of(*inputs), numpy_of(y, errors)
    before, after, kept = numpy_of(state, last, checkpoints)
    version = sources(vectors)

    def task(start: int, stop: int) -> None:
        scratch = numpy_of(v.new_empty(heads, *states), v.new_empty(-(-rows // lanes) * lanes))
        numba_.forward(start, stop, version, scratch, read, before, written, after, kept, span)

    run_shared(task, batch * heads, v.numel() * rows)
    return y, last, errors, checkpoints


def _backward(
    inputs: list[Tensor],
    wrote: Tensor,
    checkpoints: Tensor,
    upstream: tuple[Tensor, Tensor],
    span: int,
    *,
    gated: bool,
) -> tuple[Tensor, ...]:
    """Return the gradients of q, k, v, the gates' logarithms, beta and the state before."""
    q, _, v, gate, beta = inputs
    batch, length, heads, columns = v.shape
    groups, rows = q.shape[2:]
    wide = checkpoints.shape[5]
    slabs = -(-rows * TOGETHER // wide)
    to_q, to_k = (v.new_empty(batch, length, heads, rows) for _ in range(2))
    to_gate = v.new_empty(gate.shape if gated else (0, 0, 0, 0))
    to_v, to_beta, to_state = (torch.empty_like(t) for t in (v, beta, upstream[1]))
    grads = (to_q, to_k, to_v, to_gate, to_beta, to_state)
    read, written, given = numpy_of(*inputs), numpy_of(*grads), numpy_of(*upstream)
    record, kept = numpy_of(wrote, checkpoints)
    version = sources(vectors)

    def task(start: int, stop: int) -> None:
        shape = slabs, columns // TOGETHER, wide
        sizes = ((heads, *shape), (min(span, length) + 1, *shape), shape[1:], (2, columns))
        scratch = numpy_of(*(v.new_empty(size) for size in sizes))
        numba_.backward(start, stop, version, scratch, read, record, kept, given, written, span)

    run_shared(task, batch * heads, v.numel() * rows)
    if groups != heads:
        to_q, to_k = (t.unflatten(2, (groups, -1)).sum(3) for t in (to_q, to_k))
    if to_gate.shape[3] == 1:
        to_gate = to_gate.squeeze(-1)
    return to_q, to_k, to_v, to_gate, to_beta, to_state
