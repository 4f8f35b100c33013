"""The held scan on the CPU: compiled loops behind `torch.autograd`."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Complex, Float
from torch import Tensor

from timegrain.kernels import vectors
from timegrain.kernels.cache_key import sources
from timegrain.kernels.derivatives import first_only
from timegrain.kernels.held import numba_
from timegrain.kernels.plain import plain, real_numpy, saved
from timegrain.kernels.threads import run_shared
from timegrain.kernels.vectors.held_step import FACTOR_ROWS, inverse_of
from timegrain.kernels.vectors.lanes import lane_count


def held_scan_numba(
    drive: Complex[Tensor, "b l p"],
    z: Complex[Tensor, " p"],
    steps: Float[Tensor, "#b l"],
    state: Complex[Tensor, "b p"],
) -> Complex[Tensor, "b l p"]:
    """Return the states; arguments are checked and of one precision."""
    tensors = (drive, z, steps, state)
    if torch.is_grad_enabled() and any(t.requires_grad for t in tensors):
        states: Tensor = _HeldScan.apply(*tensors)
        return states
    return _forward(_Call(*(plain(t) for t in tensors)))


class _Call:
    """The arguments as the compiled loops take them."""

    def __init__(self, drive: Tensor, z: Tensor, steps: Tensor, state: Tensor) -> None:
        self.drive, self.state = drive, state
        system = real_numpy(z), real_numpy(inverse_of(z))
        self.inputs = real_numpy(drive), steps.numpy(), system, real_numpy(state)
        self.version = sources(vectors)

    def scratch(self) -> tuple[Any, Any]:
        """Memory for one thread; made without torch, whose grad mode is the thread's own."""
        dtype = self.inputs[1].dtype
        count = lane_count(dtype)
        groups = -(-self.drive.shape[2] // count)
        carry = np.empty((groups, numba_.CARRY_ROWS, count), dtype)
        return carry, np.empty((1, groups, FACTOR_ROWS, count), dtype)


class _HeldScan(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, *args: Any) -> Tensor:
        drive, z, steps, state = (plain(t) for t in args)
        states = _forward(_Call(drive, z, steps, state))
        ctx.save_for_backward(drive, z, steps, state, states)
        return states

    @staticmethod
    @first_only("held_scan")
    def backward(ctx: Any, upstream: Tensor) -> tuple[Tensor | None, ...]:
        drive, z, steps, state, states = saved(ctx)
        return _backward(_Call(drive, z, steps, state), states, plain(upstream))


def _forward(call: _Call) -> Tensor:
    states = torch.empty_like(call.drive)
    written = real_numpy(states)

    def task(start: int, stop: int) -> None:
        carry, table = call.scratch()
        numba_.forward(start, stop, call.version, carry, table, *call.inputs, written)

    run_shared(task, states.shape[0], states.numel())
    return states


def _backward(call: _Call, states: Tensor, upstream: Tensor) -> tuple[Tensor | None, ...]:
    """Return the gradients of the drive, z, the steps and the state before."""
    to_drive, to_before = torch.empty_like(upstream), torch.empty_like(call.state)
    to_z = torch.empty_like(call.state)
    to_steps = torch.view_as_real(states).new_empty(states.shape[:2])
    grads = real_numpy(to_drive), to_steps.numpy(), real_numpy(to_z), real_numpy(to_before)
    read = real_numpy(states), real_numpy(upstream)

    def task(start: int, stop: int) -> None:
        carry, table = call.scratch()
        numba_.backward(start, stop, call.version, carry, table, *call.inputs, *read, grads)

    run_shared(task, states.shape[0], states.numel())
    if call.inputs[1].shape[0] == 1:
        to_steps = to_steps.sum(0, keepdim=True)
    return to_drive, to_z.sum(0), to_steps, to_before
