"""Nothing stands in two parts: no case, no equal case, and no case moves when a part grows."""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from timegrain.data.generated.generator import Generator
from timegrain.data.generated.parts import case_numbers
from timegrain.data.source_check.digest import digest
from timegrain.data.source_check.row import SourceRow, failed, holds, not_applicable, noted
from timegrain.data.source_check.subject import Subject
from timegrain.data.task import Task


def check_splits(subject: Subject) -> Iterator[SourceRow]:
    """Compare the cases of every two parts, by number and by their samples."""
    task = subject.task
    if task is None:
        yield not_applicable(subject.no_task)
        return
    parts = {n: getattr(task, n) for n in ("train", "validation", "test")}
    index = {n: set(p.index.tolist()) for n, p in parts.items() if p is not None}
    twice = [f"{a} and {b}" for a, b in combinations(index, 2) if index[a] & index[b]]
    yield holds(
        not twice,
        ", ".join(f"{len(i)} {n}" for n, i in index.items()),
        wrong=f"a sequence is in {' and in '.join(twice)}",
        case="numbers",
        cure="parts that share no sequence",
    )
    yield _equal_cases(subject, task, index)
    if subject.generator is not None:
        yield _others_stay(subject.generator, subject.seed)


def _equal_cases(subject: Subject, task: Task, index: dict[str, set[int]]) -> SourceRow:
    words = {
        name: {digest(task.dataset.sequences[i]) for i in numbers}
        for name, numbers in index.items()
    }
    shared = {
        f"{a} and {b}": len(words[a] & words[b])
        for a, b in combinations(words, 2)
        if words[a] & words[b]
    }
    said = ", ".join(f"{n} in {where}" for where, n in shared.items())
    if not shared:
        return holds(True, "no two are equal", wrong="", case="equal cases", cure="")
    if subject.generator is None and task.dataset.n_train is not None:
        # a published split is what results elsewhere are of: it is told, not changed
        return noted(
            f"equal sequences stand on both sides as published: {said}", case="equal cases"
        )
    return failed(
        f"equal sequences: {said}",
        case="equal cases",
        cure="part_of(index), with which a generator gives each part cases of its own; or dropping "
        "what stands twice",
    )


def _others_stay(generator: Generator, seed: int) -> SourceRow:
    more = generator.turned(n_train=generator.n_train + 1, n_validation=generator.n_validation + 1)
    index = case_numbers("test", min(generator.n_test, 16))
    one, other = (g.cases(index, seed=seed) for g in (generator, more))
    same = [digest(a) == digest(b) for a, b in zip(one.sequences, other.sequences, strict=True)]
    return holds(
        bool(np.all(same)),
        "test cases stay when there are more to train on",
        wrong="test cases change with the number to train on",
        case="sizes",
        cure="cases that depend on their numbers alone",
    )
