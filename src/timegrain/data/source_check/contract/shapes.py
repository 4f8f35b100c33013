"""Arrays have the shapes and types that were promised."""

from collections.abc import Iterator

import numpy as np

from timegrain.data.generated.cases import Cases
from timegrain.data.generated.generator import Generator
from timegrain.data.source_check.row import SourceRow, holds, not_applicable, passed
from timegrain.data.source_check.subject import Subject


def check_shapes(subject: Subject) -> Iterator[SourceRow]:
    """Look at what a generator hands over, and at a task's arrays beside each other."""
    data = subject.data
    yield passed(data.describe().removeprefix(f"{data.name}: "), case="dataset")
    if subject.generator is None or subject.cases is None:
        yield not_applicable("its sequences are not made by number", case="cases")
    else:
        yield _cases(subject.generator, subject.cases)
    if subject.task is None:
        yield not_applicable(subject.no_task, case="task")
        return
    for name in ("train", "validation", "test"):
        part = getattr(subject.task, name)
        if part is None:
            continue
        n = len(part)
        right = (
            part.x.dtype == np.float32
            and part.x.shape[2] == subject.task.d_input
            and len(part.lengths) == len(part.y) == len(part.index) == n > 0
        )
        yield holds(
            right,
            f"{part.x.shape}, {part.y.shape}",
            wrong=f"x {part.x.shape} {part.x.dtype}, y {part.y.shape}, {len(part.lengths)} lengths",
            case=name,
            cure="one row a case in all arrays",
        )


def _cases(generator: Generator, cases: Cases) -> SourceRow:
    wrong = _wrong_sequences(generator, cases) or _wrong_labels(generator, cases)
    return holds(
        not wrong,
        f"{cases.sequences.dtype} {cases.sequences.shape}",
        wrong=wrong,
        case="cases",
        cure="the arrays that Cases describes",
    )


def _wrong_sequences(generator: Generator, cases: Cases) -> str:
    x = cases.sequences
    wanted = (2, np.dtype(np.int64)) if generator.kind == "tokens" else (3, np.dtype(np.float64))
    if (x.ndim, x.dtype) != wanted:
        return f"sequences are {x.dtype} of {x.ndim} axes"
    if generator.kind == "tokens" and (x.min() < 0 or x.max() >= generator.n_symbols):
        return f"tokens {x.min()}..{x.max()} of {generator.n_symbols} symbols"
    names = generator.channel_names
    if generator.kind == "real" and names and len(names) != x.shape[2]:
        return f"{x.shape[2]} channels, {len(names)} names"
    return ""


def _wrong_labels(generator: Generator, cases: Cases) -> str:
    y, classes = cases.labels, generator.target.startswith("class")
    if y.dtype != (np.int64 if classes else np.float64):
        return f"labels are {y.dtype}"
    if generator.per_sample:
        return "" if y.shape == cases.sequences.shape[:2] else f"labels have the shape {y.shape}"
    if classes:
        return "" if y.ndim == 1 else f"labels have the shape {y.shape}"
    width = 1 if y.ndim == 1 else y.shape[1]
    names = generator.value_names
    return f"{width} values, {len(names)} names" if names and len(names) != width else ""
