"""How a task standardised its inputs and targets, for use on new data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from timegrain.data.task import Task


@dataclass(frozen=True, kw_only=True)
class Scaling:
    """A map to standardised numbers, `(value - center) / scale`, one pair a channel.

    Args:
        center: Means of the training part.
        scale: Standard deviations of the training part, positive.
    """

    center: tuple[float, ...]
    scale: tuple[float, ...]


def input_scaling(task: "Task") -> Scaling | None:
    """Return how the task standardised its inputs; None for tokens, which are not scaled.

    Args:
        task: The task.
    """
    if task.dataset.kind == "tokens":
        return None
    raw = np.concatenate([task.dataset.sequences[i] for i in task.train.index])
    center, scale = np.nanmean(raw, axis=0), np.nanstd(raw, axis=0)
    # a spread at rounding level is a constant channel, which tasks leave unscaled
    rounding = 8 * np.finfo(np.float64).eps * np.nanmax(np.abs(raw), axis=0)
    scale = np.where(scale > rounding, scale, 1.0)
    return Scaling(center=tuple(center.tolist()), scale=tuple(scale.tolist()))


def target_scaling(task: "Task") -> Scaling | None:
    """Return how `train` standardises the targets; None for classes.

    Args:
        task: The task.
    """
    from timegrain.training.objective import Objective

    if task.target_kind == "class":
        return None
    objective = Objective.of(task)
    return Scaling(center=tuple(objective.center.tolist()), scale=tuple(objective.scale.tolist()))
