"""The certificate of a time-invariant layer at one step."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.certificate.kernel_norm import absolute_integral
from timegrain.continuity.certificate.linear_system import Group, LinearSystem
from timegrain.continuity.certificate.moduli.base import Channels, Moduli, Samples


class Bound(NamedTuple):
    """What was proved at one step.

    Args:
        error: Bound of the error of each channel.
        rule: What the rule adds to that of exact integration; 0 for `zoh` and `foh`.
    """

    error: Channels
    rule: Channels


class _Step(NamedTuple):
    """One step: in time units, in training steps, and how many samples."""

    h: float
    tau: float
    n: int


def linear_bound(
    system: LinearSystem, moduli: Moduli, samples: Samples, *, dt: float, tau: float
) -> Bound:
    """Return the bound of a layer's outputs against its system in continuous time.

    Args:
        system: The layer.
        moduli: Of the signal.
        samples: Of the signal at this step.
        dt: Time of a training step.
        tau: Step, in training steps.
    """
    step = _Step(tau * dt, tau, samples.shape[1])
    error, added = np.zeros(system.channels), np.zeros(system.channels)
    for group in system.groups:
        opens = system.rule.opens
        exact = _linear(group, moduli, step) if opens else _held(group, moduli, samples, step)
        by_rule = _rule_part(system, group, moduli, step)
        rows = list(group.outputs)
        error[rows] += exact + by_rule
        added[rows] += by_rule
    return Bound(error, added)


def _held(group: Group, moduli: Moduli, samples: Samples, step: _Step) -> Channels:
    """Return the bound of zero-order hold: the smaller of two that hold for all times."""
    from timegrain.models.discretize import DISCRETIZATIONS

    inputs = list(group.inputs)
    modulus, jump = moduli.first(step.h)[inputs], np.abs(samples[:, 0]).max(0)[inputs]
    first = group.answer(DISCRETIZATIONS["zoh"], step.tau, step.n, late=False)
    apart = _norm(group, (step.n - 1) * step.tau) @ modulus + np.abs(first).max(-1) @ jump
    together = _norm(group, step.n * step.tau) @ np.maximum(modulus, jump)
    return np.minimum(apart, together)


def _linear(group: Group, moduli: Moduli, step: _Step) -> Channels:
    """Return the bound of the first-order hold, lines between samples."""
    missed = moduli.second(step.h)[list(group.inputs)]
    return _norm(group, (step.n - 1) * step.tau) @ missed


def _rule_part(system: LinearSystem, group: Group, moduli: Moduli, step: _Step) -> Channels:
    """Return `sum_l |k_l - k_l'| sup|u|`, k of exact integration and k' of the layer's rule."""
    from timegrain.models.discretize import DISCRETIZATIONS

    exact = DISCRETIZATIONS["foh" if system.rule.opens else "zoh"]
    if system.rule.name == exact.name:
        return np.zeros(len(group.outputs))
    now, late = (
        group.answer(system.rule, step.tau, step.n, late=late)
        - group.answer(exact, step.tau, step.n, late=late)
        for late in (False, True)
    )
    if not system.rule.opens:
        apart = np.abs(now).sum(-1)
    else:  # u_{k-l} meets lag l by its own step and lag l - 1 by the next; u_0 only the latter
        apart = np.abs(now[..., 0]) + np.abs(now[..., 1:-1] + late[..., :-2]).sum(-1)
        apart += np.abs(late[..., :-1]).max(-1)
    return apart @ moduli.largest()[list(group.inputs)]


def _norm(group: Group, window: float) -> Float64[np.ndarray, "out input"]:
    """Return bounds of the integrals of `|K_ij|` over a window in training steps."""
    weights = group.weights * group.rates
    if window == 0:
        return np.zeros(weights.shape[:2])
    flat = absolute_integral(group.poles, weights.reshape(-1, weights.shape[-1]), window)
    return flat.reshape(weights.shape[:2])
