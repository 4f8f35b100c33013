"""Free response and final state of a diagonal linear system, beside the convolution form."""

import torch
from jaxtyping import Complex, Float, Int
from torch import Tensor

# Powers of the modes are held for so many steps at once: (channel, mode, BLOCK) numbers.
BLOCK = 256


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
    powers = _powers(delta_lambda, min(BLOCK, length))
    parts = []
    for start in range(0, length, BLOCK):
        count = min(BLOCK, length - start)
        weighted = (C * _power(delta_lambda, start + 1) * state).transpose(0, 1)
        parts.append(2 * torch.bmm(weighted, powers[..., :count]).real)
    return torch.cat(parts, dim=-1).permute(1, 2, 0)


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
    powers = _powers(delta_lambda, min(BLOCK, time))
    total = u.new_zeros((channel, batch, delta_lambda.shape[1]), dtype=delta_lambda.dtype)
    for start in range(0, time, BLOCK):
        block = u[:, start : start + BLOCK].permute(2, 0, 1).to(delta_lambda.dtype)
        count = block.shape[-1]
        ages = powers[..., :count].flip(-1).transpose(1, 2)
        total = total * _power(delta_lambda, count)[:, None] + torch.bmm(block, ages)
    forced = total.transpose(0, 1) * weight
    if state is None:
        return forced
    elapsed = time if lengths is None else lengths[:, None, None]
    return forced + _power(delta_lambda, elapsed) * state


def _powers(
    delta_lambda: Complex[Tensor, "channel mode"], count: int
) -> Complex[Tensor, "channel mode time"]:
    return _power(delta_lambda[..., None], torch.arange(count, device=delta_lambda.device))


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
