"""Cases that are made as they are read are those that are held."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from timegrain.data.generated.lazy import lazy_dataset
from timegrain.data.source_check.row import SourceRow, holds, not_applicable
from timegrain.data.source_check.subject import Subject
from timegrain.data.tasks import make_task

# float32 inputs of a few deviations, scaled by means whose sums were rounded in another order
TOLERANCE = 1e-4


def check_lazily(subject: Subject) -> Iterator[SourceRow]:
    """Read the test part a stretch at a time and compare it with the one that is held."""
    if subject.generator is None or subject.task is None:
        yield not_applicable("its sequences are not made by number")
        return
    generator, held = subject.generator, subject.task
    data = lazy_dataset(generator, seed=subject.seed)
    task = make_task(data, seed=subject.seed, lazy=True, each_sample=generator.per_sample)
    rows: Any = task.test.x
    half = rows.shape[1] // 2
    every = np.arange(len(rows))
    read = np.concatenate(
        [rows.read(every, 0, half), rows.read(every, half, rows.shape[1])], axis=1
    )
    off = float(np.abs(read - np.asarray(held.test.x)).max())
    yield holds(
        off < TOLERANCE,
        f"within {off:.1g} of those that are held",
        wrong=f"{off:.3g} off, in deviations",
        case="samples",
        cure="cases that depend on their numbers alone",
    )
    same = np.array_equal(task.test.y, held.test.y) and np.array_equal(
        task.test.lengths, held.test.lengths
    )
    yield holds(
        same,
        "same answers and lengths",
        wrong="other answers or lengths",
        case="answers",
        cure="answers(...) that gives what make(...) gives",
    )
