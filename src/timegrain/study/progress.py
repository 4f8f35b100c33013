"""How a running study says where it is."""

from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class ProgressEvent:
    """A moment of a study.

    Args:
        step: Number of the step under way, 1 for the first.
        steps: How many there are.
        label: What the step is, such as `"s4d on OSULeaf, full, seed 0"`.
        detail: How far it is, such as `"epoch 3 of 15: accuracy 0.52"`; empty at its start.
        seconds_left: What is expected of this step, None when unknown.
    """

    step: int
    steps: int
    label: str
    detail: str = ""
    seconds_left: float | None = None


Progress = Callable[[ProgressEvent], None]


def ignore(event: ProgressEvent) -> None:
    """Do nothing: the default of every `progress` argument."""
