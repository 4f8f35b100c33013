"""How a running study says where it is."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from timegrain.training.run import EpochRow
    from timegrain.training.stages import StageRow


@dataclass(frozen=True, kw_only=True)
class TrainingMoment:
    """A moment of a training.

    Args:
        stages: Its stages in order.
        taus: What the network is told in each.
        metric: Of the scores.
        row: The epoch that has just ended; None before the first has.
    """

    stages: "tuple[StageRow, ...]"
    taus: tuple[float, ...]
    metric: str
    row: "EpochRow | None" = None


@dataclass(frozen=True, kw_only=True)
class ProgressEvent:
    """A moment of a study.

    Args:
        step: Number of the step under way, 1 for the first.
        steps: How many there are.
        label: What the step is, such as `"s4d on OSULeaf, full, seed 0"`.
        detail: How far it is, such as `"epoch 3 of 15: accuracy 0.52"`; empty at its start.
        seconds_left: What is expected of this step, None when unknown.
        training: Where the step is a training, where that is.
    """

    step: int
    steps: int
    label: str
    detail: str = ""
    seconds_left: float | None = None
    training: TrainingMoment | None = None


Progress = Callable[[ProgressEvent], None]


def ignore(event: ProgressEvent) -> None:
    """Do nothing: the default of every `progress` argument."""
