"""Time has one step, or instants that increase."""

from collections.abc import Iterator

import numpy as np

from timegrain.data.source_check.row import SourceRow, holds
from timegrain.data.source_check.subject import Subject


def check_grid(subject: Subject) -> Iterator[SourceRow]:
    """Look at the step, its unit and the instants of all sequences."""
    data = subject.data
    yield holds(
        bool(np.isfinite(data.dt) and data.dt > 0 and data.unit),
        f"{data.dt:g} {data.unit}",
        wrong=f"dt={data.dt}, unit={data.unit!r}",
        case="step",
        cure="dt > 0 and a unit",
    )
    if data.times is not None:
        rising = all(bool((np.diff(t) > 0).all()) for t in data.times)
        fits = [len(t) for t in data.times] == data.lengths.tolist()
        yield holds(
            rising and fits,
            "one instant a sample, increasing",
            wrong="instants do not increase, or are not one a sample",
            case="times",
            cure="sorting the samples by time",
        )
    if subject.task is not None:
        same = subject.task.dt == data.dt and subject.task.unit == data.unit
        yield holds(
            same,
            "the task has the step of its data",
            wrong=f"the task has a step of {subject.task.dt:g} {subject.task.unit}",
            case="task",
            cure="one step for both",
        )
