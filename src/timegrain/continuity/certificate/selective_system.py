"""What the theorem on S6 needs: a signal's selections at samples, and bounds between them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.certificate.moduli.base import Channels, Moduli, Samples

States = Float64[np.ndarray, "channel state"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Selections:
    """An S6 on one signal at one step.

    Args:
        rates: `|lambda|`, so that `h' = Delta (-rates h + b)`, `b = B u`.
        delta: `Delta` at the samples, per training step, `(batch, time, channel)`.
        drive: b there, `(batch, time, channel, state)`.
        C: Output weights there, `(batch, time, state)`.
        delta_swing: Bound of `|Delta(t) - Delta(s)|` within a step.
        drive_swing: Bound of `|b(t) - b(s)|` within a step.
        drive_size: Bound of `|b|` at all times.
        euler: Whether the layer weighs b by the step alone instead of integrating it exactly.
    """

    rates: States
    delta: Samples
    drive: Float64[np.ndarray, "batch time channel state"]
    C: Float64[np.ndarray, "batch time state"]
    delta_swing: Channels
    drive_swing: States
    drive_size: States
    euler: bool


def selections(layer: Any, moduli: Moduli, samples: Samples, h: float) -> Selections:
    """Return the selections of an S6 in float64.

    Args:
        layer: The layer.
        moduli: Of the signal.
        samples: Of the signal at this step.
        h: Step, in the signal's time unit.

    Math:
        `Delta = softplus(p)`, `p = V W u + bias`: softplus has a slope below that at the largest p,
        the sigmoid of it. `b = B u`: a product changes by at most
        `sup|B| w_u + sup|u| w_B`. Every time is within h of a sample, so that a supremum is at most
        the largest sample plus a modulus.
    """
    import torch

    with torch.no_grad():
        delta, B, C = (part.numpy() for part in layer.select(torch.from_numpy(samples)))
    weight = layer.x_proj.weight.detach().numpy()
    to_delta = layer.dt_proj.weight.detach().numpy() @ weight[: layer.rank]
    bias = layer.dt_proj.bias.detach().numpy()
    into = moduli.image(weight[layer.rank : layer.rank + layer.n_state])
    raw = moduli.image(to_delta).first(h)
    steepest = 1 / (1 + np.exp(-((samples @ to_delta.T + bias).max((0, 1)) + raw)))
    size, swing = moduli.largest(), moduli.first(h)
    B_size = np.abs(B).max((0, 1)) + into.first(h)
    drive = B[:, :, None, :] * samples[..., None]
    drive_swing = swing[:, None] * B_size + size[:, None] * into.first(h)
    drive_size = np.minimum(size[:, None] * B_size, np.abs(drive).max((0, 1)) + drive_swing)
    return Selections(
        rates=layer.A_log.detach().exp().numpy(),
        delta=delta,
        drive=drive,
        C=C,
        delta_swing=steepest * raw,
        drive_swing=drive_swing,
        drive_size=drive_size,
        euler=layer.discretization == "euler_b",
    )
