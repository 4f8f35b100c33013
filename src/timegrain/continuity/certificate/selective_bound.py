"""The certificate of S6 at one step."""

from typing import Any

import numpy as np

from timegrain.continuity.certificate.linear_bound import Bound
from timegrain.continuity.certificate.moduli.base import Moduli, Samples
from timegrain.continuity.certificate.selective_system import selections


def selective_bound(
    layer: Any, moduli: Moduli, samples: Samples, *, dt: float, tau: float
) -> Bound:
    r"""Return the bound of an S6's outputs against its system in continuous time.

    Args:
        layer: The layer, in float64.
        moduli: Of the signal.
        samples: Of the signal at this step.
        dt: Time of a training step.
        tau: Step, in training steps.

    Math:
        With `d_k = exp(-|lambda| Delta_k tau)` and `H_k` a bound of `|h|` up to `t_k`,
        `E_k = d_k E_{k-1} + (1 - d_k)/|lambda| (w_Delta (|lambda| H_k + sup|b|)/Delta_k + w_b)`
        (the ratio of `1 - d_k` and `Delta_k` is that of `tau |lambda|` where both vanish),
        `E_0 = |h_0|` of the layer, and `|y_k - y(t_k)| <= sum_n |C_kn| E_kn`.
    """
    seen = selections(layer, moduli, samples, tau * dt)
    state = gap = np.zeros((len(samples), *seen.rates.shape))
    elapsed = np.zeros(seen.delta[:, 0].shape)  # bounds the integral of Delta from t_0
    error = rule = np.zeros(len(seen.delta_swing))
    for k in range(samples.shape[1]):
        step = tau * seen.delta[:, k, :, None]
        z = seen.rates * step
        kept = -np.expm1(-z)
        if k == 0:
            state = kept / seen.rates * np.abs(seen.drive[:, 0])
        else:
            elapsed = elapsed + tau * (seen.delta[:, k] + seen.delta_swing)
            # |lambda| times a bound of the state: from rest it cannot pass the largest drive
            pull = seen.drive_size * -np.expm1(-seen.rates * elapsed[..., None])
            spent = tau * np.divide(kept, z, out=np.ones_like(z), where=z > 0)
            state = (1 - kept) * state + kept / seen.rates * seen.drive_swing
            state += spent * seen.delta_swing[:, None] * (pull + seen.drive_size)
        if seen.euler:
            gap = (1 - kept) * gap + (step - kept / seen.rates) * seen.drive[:, k]
        C = seen.C[:, k, None, :]
        by_rule = np.abs((C * gap).sum(-1))
        total = (np.abs(C) * state).sum(-1) + by_rule
        error, rule = np.maximum(error, total.max(0)), np.maximum(rule, by_rule.max(0))
    return Bound(error, rule)
