"""No recording, group or stretch of time stands on both sides of the split."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from jaxtyping import Int64

from timegrain.data.dataset import Dataset
from timegrain.data.source_check.row import SourceRow, holds, not_applicable
from timegrain.data.source_check.subject import Subject
from timegrain.data.together import units


def check_recordings(subject: Subject) -> Iterator[SourceRow]:
    """Compare what the cases of the parts are of."""
    task = subject.task
    if task is None:
        yield not_applicable(subject.no_task)
        return
    data = task.dataset
    parts = [p.index for p in (task.train, task.validation, task.test) if p is not None]
    found = units(data)
    if found.way == "case":
        yield not_applicable("every case is of its own")
        return
    if found.way == "time":
        near = any(_overlap(data, a, b, task.ahead) for a, b in combinations(parts, 2))
        yield holds(
            not near,
            "windows of one recording, apart in time",
            wrong="windows of two parts share samples",
            case="time",
            cure="leaving out the windows in between",
        )
        return
    both = [
        set(found.of[a].tolist()) & set(found.of[b].tolist()) for a, b in combinations(parts, 2)
    ]
    n = len(set().union(*both))
    yield holds(
        n == 0,
        f"{found.count} of them, none on both sides",
        wrong=f"{n} of {found.count} stand on both sides",
        case=found.way,
        cure="a split by whole recordings, or groups",
    )


def _overlap(
    data: Dataset, one: Int64[np.ndarray, " a"], other: Int64[np.ndarray, " b"], ahead: int
) -> bool:
    """Return whether a window of one part has a sample, or a target, in one of the other."""
    starts = np.arange(len(data)) if data.starts is None else data.starts
    ends = starts + data.lengths + ahead
    order = np.argsort(starts[other], kind="stable")
    begin, end = starts[other][order], np.maximum.accumulate(ends[other][order])
    # the last of the others that begins before a window ends, and all before it
    last = np.searchsorted(begin, ends[one], side="left") - 1
    return bool(((last >= 0) & (end[np.maximum(last, 0)] > starts[one])).any())
