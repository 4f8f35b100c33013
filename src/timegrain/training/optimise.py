"""The optimiser and its learning-rate schedule."""

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from timegrain.core.errors import ConfigError, ModelError
from timegrain.models.options import shown
from timegrain.training.feasible import check_rate
from timegrain.training.trainer.numbers import is_number

WARM_UP = 0.05
_FUSED = ("cpu", "cuda")


def make_optimiser(
    model: nn.Module, *, lr: float, dynamics_lr: float, weight_decay: float
) -> torch.optim.AdamW:
    """Return AdamW with the groups of `parameter_groups`.

    Args:
        model: This and all that follow as in `parameter_groups`.
        lr: Of the weights.
        dynamics_lr: Of the time scales.
        weight_decay: Of the weights.

    Raises:
        ConfigError: If a rate is outside its domain.
        ModelError: If the model has nothing to train.

    Source:
        Loshchilov, Hutter, Decoupled Weight Decay Regularization (ICLR 2019).
    """
    groups = parameter_groups(model, lr=lr, dynamics_lr=dynamics_lr, weight_decay=weight_decay)
    # one pass over memory a group in place of a dozen operations a tensor, which is what a step of
    # a small network consists of
    trained = [p for group in groups for p in group["params"]]
    fused = all(p.is_floating_point() and p.device.type in _FUSED for p in trained)
    return torch.optim.AdamW(groups, fused=fused)


def parameter_groups(
    model: nn.Module, *, lr: float, dynamics_lr: float = 1e-3, weight_decay: float = 0.0
) -> list[dict[str, Any]]:
    """Return the groups for an optimiser of torch: time scales, and all other parameters.

    `train` trains with these. A group without a parameter that is trained is left out.

    Args:
        model: A network or layer; `dynamics_parameters()`, where it has one, gives the first group.
        lr: Learning rate of the other parameters, > 0.
        dynamics_lr: Learning rate of the time scales, > 0; they never decay.
        weight_decay: Of the other parameters, >= 0.

    Raises:
        ConfigError: If a rate is outside its domain.
        ModelError: If the model has nothing to train.

    Source:
        Gu, Goel, Re, Efficiently Modeling Long Sequences with Structured State Spaces (ICLR 2022),
        appendix D.2: a lower rate for the state matrices; no decay, as in the authors' code.

    Example:
        >>> from timegrain.models import S4D
        >>> groups = parameter_groups(S4D(4), lr=0.01, weight_decay=0.1)
        >>> [(len(g["params"]), g["lr"], g["weight_decay"]) for g in groups]
        [(3, 0.001, 0.0), (2, 0.01, 0.1)]
    """
    check_rate("lr", lr)
    check_rate("dynamics_lr", dynamics_lr)
    check_decay(weight_decay)
    dynamics = [p for p in _dynamics(model) if p.requires_grad]
    known = {id(p) for p in dynamics}
    others = [p for p in model.parameters() if p.requires_grad and id(p) not in known]
    if not dynamics and not others:
        raise ModelError("the model has no parameter to train", got=type(model).__name__)
    groups = [
        {"params": dynamics, "lr": dynamics_lr, "weight_decay": 0.0},
        {"params": others, "lr": lr, "weight_decay": weight_decay},
    ]
    return [g for g in groups if g["params"]]


def check_decay(value: object) -> None:
    """Check how much the weights decay.

    Args:
        value: Of the option.

    Raises:
        ConfigError: If it is no number >= 0.
    """
    if not (is_number(value) and 0 <= value < math.inf):
        raise ConfigError(
            "weights cannot decay like this",
            got=f"weight_decay={shown(value)}",
            expected="a number, 0 or more",
        )


def _dynamics(model: nn.Module) -> list[nn.Parameter]:
    iterate = getattr(model, "dynamics_parameters", None)
    return [] if iterate is None else list(iterate())


def cosine(total: int) -> Callable[[int], float]:
    """Return the factor on every learning rate as a function of the step.

    It rises linearly over the first 5 % of the steps and falls to 0 on half a cosine: one
    schedule over all stages.

    Args:
        total: Steps of the whole training.

    Source:
        Loshchilov, Hutter, SGDR: Stochastic Gradient Descent with Warm Restarts (ICLR 2017),
        eq. (5), without restarts.

    Example:
        >>> factor = cosine(100)
        >>> [round(factor(step), 3) for step in (0, 4, 52, 99)]
        [0.2, 1.0, 0.508, 0.0]
    """
    warm = max(1, round(WARM_UP * total))

    def factor(step: int) -> float:
        if step < warm:
            return (step + 1) / warm
        return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, total - warm)))

    return factor
