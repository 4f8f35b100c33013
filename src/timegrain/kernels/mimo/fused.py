"""The shared state space on the CPU: six matrix products and two compiled scans.

One function for `torch.autograd` instead of one an operation: the states overwrite the projected
inputs, their gradients overwrite what the projection back gives, and the direct term is added by
the products. Its two gradients are one pass over memory, which they would be three of.
"""

from typing import Any

import torch
from jaxtyping import Complex, Float, Int
from torch import Tensor

from timegrain.kernels.derivatives import first_only
from timegrain.kernels.linear.fused import adjoint, states_of
from timegrain.kernels.mimo import numba_
from timegrain.kernels.mimo.projections import last_of
from timegrain.kernels.plain import numpy_of, plain, saved
from timegrain.kernels.precision import full_precision
from timegrain.kernels.threads import run_shared

ROWS = 128
"""Samples that are summed one after another, before their sums are."""


def mimo_scan_numba(
    u: Float[Tensor, "b l d"],
    decay: Complex[Tensor, " p"],
    B: Complex[Tensor, "p d"],
    C: Complex[Tensor, "d p"],
    D: Float[Tensor, " d"] | None,
    state: Complex[Tensor, "b p"],
    counts: Int[Tensor, " b"] | None,
) -> tuple[Float[Tensor, "b l d"], Complex[Tensor, "b p"]]:
    """Return y and the state after `counts` samples; all of one precision."""
    tensors = (u, decay, B, C, D, state)
    if torch.is_grad_enabled() and any(t is not None and t.requires_grad for t in tensors):
        y, last = _MimoScan.apply(*tensors, counts)
        return y, last
    y, states, _ = _forward(u, decay, B, C, D, state)
    return y, last_of(states, state, counts)


class _MimoScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any) -> tuple[Tensor, Tensor]:
        u, decay, B, C, D, state, counts = args
        y, states, rows = _forward(u, decay, B, C, D, state)
        ctx.save_for_backward(u, decay, D, state, counts, states, *rows)
        ctx.set_materialize_grads(False)
        return y, last_of(states, state, counts)

    @staticmethod
    @first_only("mimo_scan")
    def backward(ctx: Any, gy: Tensor | None, g_last: Tensor | None) -> tuple[Tensor | None, ...]:
        tensors = saved(ctx)  # once: torch.utils.checkpoint gives them back one time
        u = tensors[0]
        gy = torch.zeros_like(u) if gy is None else gy
        with full_precision(u):
            return _backward(tensors, gy, g_last, wanted=ctx.needs_input_grad[1])


def _backward(
    tensors: list[Any], gy: Tensor, g_last: Tensor | None, *, wanted: bool
) -> tuple[Tensor | None, ...]:
    u, decay, D, state, counts, states, into, out_of = tensors
    batch, length, width = u.shape
    given, inputs = gy.reshape(-1, width), u.reshape(-1, width)
    to_out = given.T @ _real(states).view(batch * length, -1)
    upstream = torch.view_as_complex((given @ out_of).view(*states.shape, 2))
    to_state = _add_last(upstream, g_last, counts)
    to_decay, to_drive, before = adjoint(
        plain(decay),
        plain(state),
        states,
        upstream,
        wanted=wanted,
        into=upstream,
    )
    rows = _real(to_drive).view(batch * length, -1)
    to_into = rows.T @ inputs
    if D is None:
        to_u, to_D = rows @ into, None
    else:
        to_u, to_D = _direct(plain(given), plain(inputs), plain(D))
        to_u.addmm_(rows, into)
    to_B = torch.view_as_complex(to_into.view(-1, 2, width).mT.contiguous())
    to_C = (2 * torch.view_as_complex(to_out.view(width, -1, 2))).conj_physical()
    before = before if to_state is None else before + to_state
    return to_u.view_as(u), to_decay, to_B, to_C, to_D, before, None


def _direct(given: Tensor, inputs: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients of `weight * inputs` to both."""
    blocks = -(-len(given) // ROWS)
    to_inputs, to_weight = torch.empty_like(given), given.new_empty(blocks, len(weight))
    arrays = numpy_of(given, inputs, weight, to_inputs, to_weight)

    def task(start: int, stop: int) -> None:
        numba_.direct(start, stop, ROWS, *arrays)

    run_shared(task, blocks, given.numel())
    return to_inputs, to_weight.sum(0)


def _real(tensor: Tensor) -> Tensor:
    return torch.view_as_real(tensor).flatten(-2)


def _forward(
    u: Tensor, decay: Tensor, B: Tensor, C: Tensor, D: Tensor | None, state: Tensor
) -> tuple[Tensor, Tensor, tuple[Tensor, Tensor]]:
    """Return y, all states, and both matrices as rows of real numbers."""
    with torch.no_grad():
        batch, length, width = u.shape
        into = torch.view_as_real(B.resolve_conj()).mT.reshape(-1, width)
        out_of = _real((2 * C).conj_physical())
        inputs = u.reshape(-1, width)
        drive = torch.view_as_complex((inputs @ into.T).view(batch, length, -1, 2))
        states = states_of(plain(decay), drive, plain(state), into=drive)
        read = _real(states).view(batch * length, -1)
        # an output that is a view could not be changed in place
        y = u.new_empty(u.shape)
        rows = y.view(-1, width)
        if D is None:
            torch.mm(read, out_of.T, out=rows)
        else:
            torch.mul(inputs, D, out=rows).addmm_(read, out_of.T)
    return y, states, (into, out_of)


def _add_last(upstream: Tensor, g_last: Tensor | None, counts: Tensor | None) -> Tensor | None:
    """Add the gradient of the last state to that of its step; return that of the state before."""
    if g_last is None:
        return None
    if counts is None:
        upstream[:, -1].add_(g_last)
        return None
    there = counts[:, None] > 0
    rows = torch.arange(len(upstream), device=upstream.device)
    upstream[rows, (counts - 1).clamp(min=0)] += torch.where(there, g_last, 0)
    return torch.where(there, 0, g_last)
