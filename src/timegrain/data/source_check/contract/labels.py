"""Labels are numbers of classes that exist, or values that vary."""

from collections.abc import Iterator

import numpy as np

from timegrain.data.per_sample import existing_answers
from timegrain.data.source_check.row import SourceRow, holds, not_applicable, noted
from timegrain.data.source_check.subject import Subject
from timegrain.data.task import Part


def check_labels(subject: Subject) -> Iterator[SourceRow]:
    """Look at the answers of every part."""
    task = subject.task
    if task is None:
        if subject.data.labels is None:
            yield not_applicable(subject.no_task)
        else:
            yield holds(
                False,
                "",
                wrong=subject.no_task,
                case="task",
                cure="two classes or more, values that vary, or no labels at all",
            )
        return
    for name in ("train", "validation", "test"):
        part = getattr(task, name)
        if part is None:
            continue
        y = flat_answers(part, task.n_outputs)
        if task.n_classes is not None:
            inside = y.dtype == np.int64 and y.min() >= 0 and y.max() < task.n_classes
            yield holds(
                bool(inside),
                f"{len(np.unique(y))} of {task.n_classes} classes",
                wrong=f"{y.dtype} {y.min()}..{y.max()} for {task.n_classes} classes",
                case=name,
                cure="int64 numbers from 0, one a name",
            )
        else:
            spread = np.ptp(y, axis=0)
            yield holds(
                bool(np.isfinite(y).all() and (spread > 0).all()),
                f"{y.min():.3g} to {y.max():.3g}",
                wrong="a value is not finite, or the same throughout",
                case=name,
                cure="values that vary",
            )
    if task.n_classes is not None:
        seen = np.unique(flat_answers(task.train, 1))
        asked = np.unique(flat_answers(task.test, 1))
        unseen = np.setdiff1d(asked, seen)
        if len(unseen):
            yield noted(f"{len(unseen)} classes of the test part are not in training", case="seen")


def flat_answers(part: Part, width: int) -> np.ndarray:
    """Return the answers of a part, `(answer,)` or `(answer, value)`, padding left out."""
    y = np.asarray(part.y)
    if width == 1 and y.ndim == 2 and y.shape == tuple(part.x.shape[:2]):
        return existing_answers(y, part.lengths)
    return y
