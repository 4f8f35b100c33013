"""The linear recurrence on the CPU: compiled loops behind `torch.autograd`."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Complex
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.linear import numba_
from timegrain.kernels.plain import plain, real_numpy, saved
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.lanes import lane_count

CARRY = 5
"""Vectors that a vector of modes keeps from step to step."""


def linear_scan_numba(
    decay: Complex[Tensor, " p"] | Complex[Tensor, "b l p"],
    drive: Complex[Tensor, "b l p"],
    state: Complex[Tensor, "b p"],
) -> Complex[Tensor, "b l p"]:
    """Return the states; arguments are checked and of one dtype, complex64 or complex128."""
    tensors = (decay, drive, state)
    if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
        states: Tensor = _LinearScan.apply(*tensors)
        return states
    return states_of(*(plain(t) for t in tensors))


class _LinearScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any) -> Tensor:
        decay, drive, state = (plain(t) for t in args)
        states = states_of(decay, drive, state)
        ctx.save_for_backward(decay, state, states)
        return states

    @staticmethod
    @first_only("linear_scan")
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        decay, state, states = saved(ctx)
        wanted = ctx.needs_input_grad[0]
        return adjoint(decay, state, states, plain(upstream), wanted=wanted)


def _decays(decay: Tensor) -> tuple[Any, Any, bool | None]:
    """The constant decay, those of each step, and which of the two there is."""
    if decay.ndim == 1:
        return real_numpy(decay), real_numpy(decay.new_empty(0, 0, 0)), None
    return real_numpy(decay.new_empty(0)), real_numpy(decay), True


def _carry(real: Any) -> Any:
    """Scratch memory for one thread; made without torch, whose grad mode is the thread's own."""
    count = lane_count(real.dtype)
    return np.empty((-(-real.shape[2] // count), CARRY, count), real.dtype)


def states_of(decay: Tensor, drive: Tensor, state: Tensor, *, into: Tensor | None = None) -> Tensor:
    """Return the states, written over `into` if given, which may be the drive itself."""
    states = torch.empty_like(drive) if into is None else into
    decay_, decays, varying = _decays(decay)
    inputs, outputs = (decay_, decays, real_numpy(drive), real_numpy(state)), real_numpy(states)
    version = sources(vectors)

    def task(start: int, stop: int) -> None:
        numba_.forward(start, stop, version, _carry(outputs), *inputs, outputs, varying)

    run_shared(task, drive.shape[0], drive.numel())
    return states


def adjoint(
    decay: Tensor,
    state: Tensor,
    states: Tensor,
    upstream: Tensor,
    *,
    wanted: bool,
    into: Tensor | None = None,
) -> tuple[Tensor | None, Tensor, Tensor]:
    """Return the gradients of the decay (None if not wanted), the drive and the state before.

    That of the drive is written over `into` if given, which may be `upstream` itself.
    """
    to_drive = torch.empty_like(upstream) if into is None else into
    to_before = torch.empty_like(state)
    decay_, decays, varying = _decays(decay)
    to_decay = torch.empty_like(state) if varying is None else state.new_empty(0, 0)
    to_decays = torch.empty_like(states) if varying and wanted else states.new_empty(0, 0, 0)
    grads = tuple(real_numpy(t) for t in (to_drive, to_before, to_decay, to_decays))
    inputs = (decay_, decays, real_numpy(state), real_numpy(states), real_numpy(upstream))
    version = sources(vectors)

    def task(start: int, stop: int) -> None:
        numba_.backward(
            start, stop, version, _carry(grads[0]), *inputs, grads, wanted, varying
        )  # fmt: skip

    run_shared(task, states.shape[0], states.numel())
    if not wanted:
        return None, to_drive, to_before
    return to_decay.sum(0) if varying is None else to_decays, to_drive, to_before
