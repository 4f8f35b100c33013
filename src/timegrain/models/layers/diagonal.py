"""What a diagonal system answers by any discretisation: convolved, scanned, or after one step."""

from typing import Any

import torch
from jaxtyping import Complex, Float, Int
from torch import Tensor
from torch.nn import functional as F

from timegrain.kernels.linear.scan import linear_scan
from timegrain.kernels.lti.convolution import lti_conv
from timegrain.kernels.lti.kernel import s4d_kernel
from timegrain.kernels.precision import full_precision
from timegrain.models.discretize import Discretization
from timegrain.models.layer import Sequences
from timegrain.models.layers.lti import final_state, free_response
from timegrain.models.second_order_start import Opened, opened, samples_before
from timegrain.models.state import State

Modes = Complex[Tensor, "channel mode"]


def convolved(
    rule: Discretization,
    x: Sequences,
    state: Any,
    system: tuple[Float[Tensor, " channel"], Modes, Modes],
    lengths: Int[Tensor, " batch"] | None,
    *,
    return_state: bool,
) -> tuple[Sequences, State | None]:
    """Return the outputs for equal steps, and the state after the last valid sample if asked.

    Args:
        rule: The discretisation.
        x: Input, zero on padding.
        state: As an earlier call returned it; None is rest.
        system: Step of each channel, poles, output weights (input weights are 1).
        lengths: Valid samples, `(batch,)`; None when all are.
        return_state: Whether the state is wanted.

    Math:
        With `K` and `L` the kernels of the weights `now` and `before`, a sequence that has begun
        gives `y_k = sum_j K_j u_{k-j} + L_j u_{k-1-j}`: one convolution with `K_j + L_{j-1}`, to
        which `L_k u_{-1}` is added. A first sample only opens a step: what K makes of it is taken
        away.
    """
    dt, modes, C = system
    exponent = modes * dt[:, None]
    decay, now = rule.log_decay(exponent), rule.now(exponent, dt[:, None])
    carried = state.system if isinstance(state, Opened) else state
    kernel = s4d_kernel(decay, C * now, x.shape[1])
    if rule.before is None:
        y = lti_conv(x, kernel)
    else:
        before = rule.before(exponent, dt[:, None])
        late = s4d_kernel(decay, C * before, x.shape[1])
        shifted, begun = samples_before(x, state)
        y = lti_conv(x, kernel + F.pad(late, (1, 0))[:, :-1])
        y = y + shifted[:, :1] * late.mT - ((1 - begun) * x[:, 0])[:, None] * kernel.mT
    if carried is not None:
        y = y + free_response(carried, decay, C, x.shape[1])
    if not return_state:
        return y.to(x.dtype), None
    if rule.before is None:
        return y.to(x.dtype), final_state(x, carried, decay, now, lengths)
    opening = torch.cat([(x[:, 0] * begun)[:, None], x[:, 1:]], 1)
    last = final_state(opening, carried, decay, now, lengths)
    last = last + final_state(shifted, None, decay, before, lengths)
    return y.to(x.dtype), opened(last, x, lengths, state)


def scanned(
    rule: Discretization,
    x: Sequences,
    state: Any,
    system: tuple[Float[Tensor, " channel"], Modes, Modes],
    ratios: Float[Tensor, "batch time"],
    lengths: Int[Tensor, " batch"] | None,
) -> tuple[Sequences, State]:
    """Return the outputs for steps of any size, and the state after the last valid sample.

    Args:
        rule: The discretisation.
        x: Input, zero on padding.
        state: As an earlier call returned it; None is rest.
        system: As in `convolved`.
        ratios: Step ratios, zero on padding.
        lengths: As in `convolved`.
    """
    if not rule.opens:
        y, states = _states(rule, x, None, state, system, ratios)
        return y, states[:, -1]
    shifted, begun = samples_before(x, state)
    # a first sample takes no time: it opens a step
    ratios = torch.cat([ratios[:, :1] * begun.to(ratios.dtype), ratios[:, 1:]], 1)
    carried = None if state is None else state.system
    y, states = _states(rule, x, shifted, carried, system, ratios)
    return y, opened(states[:, -1], x, lengths, state)


def _states(
    rule: Discretization,
    x: Sequences,
    shifted: Sequences | None,
    state: Tensor | None,
    system: tuple[Tensor, Modes, Modes],
    ratios: Tensor,
) -> tuple[Sequences, Complex[Tensor, "batch time channel mode"]]:
    dt, modes, C = system
    with full_precision(x):
        step = (ratios.to(dt.dtype)[..., None] * dt)[..., None]
        exponent = modes * step
        drive = rule.now(exponent, step) * x.to(dt.dtype)[..., None]
        if rule.before is not None and shifted is not None:
            drive = drive + rule.before(exponent, step) * shifted.to(dt.dtype)[..., None]
        states = linear_scan(
            rule.decay(exponent).flatten(2),
            drive.to(exponent.dtype).flatten(2),
            initial_state=None if state is None else state.flatten(1),
        ).view(drive.shape)
        return (2 * (C * states).sum(-1).real).to(x.dtype), states


def advanced(
    rule: Discretization,
    x_t: Float[Tensor, "batch channel"],
    state: Any,
    system: tuple[Float[Tensor, " channel"], Modes, Modes],
    ratio: Tensor,
) -> tuple[Float[Tensor, "batch channel"], State]:
    """Return the output of one step and the state after it; `ratio` is `()` or `(batch, 1)`."""
    ratios = ratio.expand(len(x_t), 1)
    y, after = scanned(rule, x_t[:, None], state, system, ratios, None)
    return y[:, 0], after
