"""How a task standardised its inputs and targets, for use on new data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from timegrain.data.rows import ScaledRows

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
    if isinstance(task.train.x, ScaledRows):
        rows = task.train.x
        return Scaling(center=tuple(rows.center.tolist()), scale=tuple(rows.scale.tolist()))
    padded, _ = task.dataset.stacked()
    samples = padded[task.train.index].reshape(-1, task.dataset.n_channels)
    # the arithmetic of the task itself, in its order, so that scaled raw values are its own bits
    counts = (~np.isnan(samples)).sum(axis=0)
    lowest = np.nanmin(samples, axis=0)
    above = samples - lowest
    rise = np.nansum(above, axis=0) / counts
    center, scale = lowest + rise, np.sqrt(np.nansum((above - rise) ** 2, axis=0) / counts)
    # a spread at rounding level is a constant channel, which tasks leave unscaled
    rounding = 8 * np.finfo(np.float64).eps * np.nanmax(np.abs(samples), axis=0)
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
