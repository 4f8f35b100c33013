"""Perfect answers score 1, and trivial ones what the task says they do."""

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float64

from timegrain.data.source_check.contract.labels import flat_answers
from timegrain.data.source_check.row import SourceRow, holds, not_applicable
from timegrain.data.source_check.subject import Subject
from timegrain.data.task import Task

# answers are float32, rounded by at most 6e-8 of themselves and 1e-4 of their deviation
TOLERANCE = 1e-3


def check_metric(subject: Subject) -> Iterator[SourceRow]:
    """Score right answers, and those of one who knows the training answers alone."""
    task = subject.task
    if task is None:
        yield not_applicable(subject.no_task)
        return
    perfect, trivial = _scores(task)
    yield holds(
        abs(perfect - 1) < TOLERANCE,
        f"{task.metric} 1",
        wrong=f"{task.metric} {perfect:.6g}",
        case="perfect",
        cure="answers of the test part that vary",
    )
    yield holds(
        abs(trivial - task.trivial_score) < TOLERANCE * max(1.0, abs(trivial)),
        f"{task.metric} {task.trivial_score:.4f}",
        wrong=f"{task.metric} {trivial:.6g}, where the task says {task.trivial_score:.6g}",
        case="trivial",
        cure="trivial_score(...) of the answers that are scored",
    )
    yield holds(
        task.trivial_score < 1 - TOLERANCE,
        "there is something to learn",
        wrong="one who looks at no sequence is right throughout",
        case="range",
        cure="answers that vary",
    )


def _scores(task: Task) -> tuple[float, float]:
    train, test = (flat_answers(p, task.n_outputs) for p in (task.train, task.test))
    if task.metric == "accuracy":
        values, counts = np.unique(train, return_counts=True)
        commonest = values[counts.argmax()]
        return float(np.mean(test == test)), float(np.mean(test == commonest))
    train, test = (y.astype(np.float64).reshape(len(y), -1) for y in (train, test))
    unit = np.where(train.std(axis=0) > 0, train.std(axis=0), 1.0)
    learnt = np.broadcast_to(train.mean(axis=0), test.shape)
    return _r2(test / unit, test / unit), _r2(learnt / unit, test / unit)


def _r2(
    answers: Float64[np.ndarray, "case value"], truth: Float64[np.ndarray, "case value"]
) -> float:
    possible = float(np.sum((truth - truth.mean(axis=0)) ** 2))
    lost = float(np.sum((answers - truth) ** 2))
    return 1 - lost / possible if possible > 0 else float("nan")
