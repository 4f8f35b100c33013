"""Free response and final state of a diagonal linear system, beside the convolution form."""

import math

import torch
from jaxtyping import Complex, Float, Int
from torch import Tensor
from torch.nn import functional as F

from timegrain.kernels.precision import full_precision


def free_response(
    state: Complex[Tensor, "batch channel mode"],
    delta_lambda: Complex[Tensor, "channel mode"],
    C: Complex[Tensor, "channel mode"],
    length: int,
) -> Float[Tensor, "batch time channel"]:
    r"""Return the output that the initial state alone causes, at `length` steps.

    Math:
        `y_k = 2 Re sum_n C_n exp(delta_lambda_n (k + 1)) x_n`, since the step that brings in
        sample 0 already moves the state.
    """
    fine, coarse = _square(length)
    starts = _powers(delta_lambda, torch.arange(coarse, device=state.device) * fine + 1)
    within = _powers(delta_lambda, torch.arange(fine, device=state.device))
    weighted = (C * state).transpose(0, 1)[:, :, None] * starts.mT[:, None]
    # Re(w p), as one real product of twice the width
    left = torch.cat([weighted.real, -weighted.imag], -1).flatten(1, 2)
    right = torch.cat([within.real, within.imag], 1)
    with full_precision(left):
        y = 2 * torch.bmm(left, right)
    return y.view(len(y), state.shape[0], -1)[..., :length].permute(1, 2, 0)


def final_state(
    u: Float[Tensor, "batch time channel"],
    state: Complex[Tensor, "batch channel mode"] | None,
    delta_lambda: Complex[Tensor, "channel mode"],
    weight: Complex[Tensor, "channel mode"],
    lengths: Int[Tensor, " batch"] | None,
) -> Complex[Tensor, "batch channel mode"]:
    r"""Return the state after the last valid sample of each sequence.

    Args:
        u: Input, zero on padding.
        state: State before the first sample; None is rest.
        delta_lambda: Exponent of one step.
        weight: Input weight of one step.
        lengths: Valid samples, `(batch,)`; None when all are.

    Math:
        `x = exp(delta_lambda l) x_0 + sum_{k<l} exp(delta_lambda (l - 1 - k)) weight u_k`.
    """
    batch, time, channel = u.shape
    if lengths is not None:
        u = _right_aligned(u, lengths)
    fine, coarse = _square(time)
    within = _powers(delta_lambda, torch.arange(fine - 1, -1, -1, device=u.device))
    ages = torch.arange(coarse - 1, -1, -1, device=u.device) * fine
    # zeros before the first sample leave rest at rest
    rows = F.pad(u, (0, 0, coarse * fine - time, 0)).permute(2, 0, 1)
    rows = rows.reshape(channel, batch * coarse, fine).to(within.real.dtype)
    with full_precision(rows):
        sums = torch.bmm(rows, torch.cat([within.real, within.imag], 1).mT)
    ends = torch.complex(*sums.view(channel, batch, coarse, -1).chunk(2, -1))
    total = (ends * _powers(delta_lambda, ages).mT[:, None]).sum(2)
    forced = total.transpose(0, 1) * weight
    if state is None:
        return forced
    elapsed = time if lengths is None else lengths[:, None, None]
    return forced + _power(delta_lambda, elapsed) * state


def _square(length: int) -> tuple[int, int]:
    """Return the samples of a row and the rows, of which there are about as many."""
    fine = math.isqrt(length - 1) + 1
    return fine, -(-length // fine)


def _powers(
    delta_lambda: Complex[Tensor, "channel mode"], steps: Int[Tensor, " time"]
) -> Complex[Tensor, "channel mode time"]:
    return _power(delta_lambda[..., None], steps)


def _power(delta_lambda: Complex[Tensor, "..."], steps: int | Tensor) -> Complex[Tensor, "..."]:
    """Return `exp(delta_lambda * steps)`, the phase in float64 where the device has it.

    The phase reaches thousands of radians, of which float32 would keep three digits.
    """
    wide = delta_lambda if delta_lambda.device.type == "mps" else delta_lambda.to(torch.complex128)
    return torch.exp(wide * steps).to(delta_lambda.dtype)


def _right_aligned(
    u: Float[Tensor, "batch time channel"], lengths: Int[Tensor, " batch"]
) -> Float[Tensor, "batch time channel"]:
    """Shift every sequence so that its last valid sample stands last."""
    time = u.shape[1]
    source = torch.arange(time, device=u.device) - (time - lengths[:, None])
    moved = torch.gather(u, 1, source.clamp(min=0)[..., None].expand_as(u))
    return moved.masked_fill((source < 0)[..., None], 0.0)
