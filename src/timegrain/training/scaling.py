"""How a task standardised its inputs and targets, for use on new data."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError
from timegrain.data.rows import ScaledRows
from timegrain.data.scale import held_scale

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
    # the arithmetic of the task itself, so that scaled raw values are its own bits
    found = held_scale(padded[task.train.index], task.dataset)
    return Scaling(center=tuple(found.center.tolist()), scale=tuple(found.scale.tolist()))


def check_scaling(targets: Scaling | None, task: "Task") -> None:
    """Check that targets can be standardised so.

    Args:
        targets: How; None for the training part.
        task: The task.

    Raises:
        ConfigError: If they are classes, or other values than these.
    """
    if targets is None:
        return
    if task.target_kind == "class":
        raise ConfigError(
            "classes are not standardised",
            got=f"targets={targets} on {task.name}",
            hint="leaving targets out",
        )
    widths = (len(targets.center), len(targets.scale))
    if widths != (task.d_output, task.d_output):
        raise ConfigError(
            "the scaling is of other values than those of the task",
            got=f"{widths[0]} centers and {widths[1]} scales",
            expected=f"{task.d_output} each",
        )


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
