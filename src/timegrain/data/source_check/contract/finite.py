"""Every sample is a number, and what is missing is counted."""

from collections.abc import Iterator

import numpy as np

from timegrain.data.source_check.row import SourceRow, holds, noted, passed
from timegrain.data.source_check.subject import Subject


def check_finite_values(subject: Subject) -> Iterator[SourceRow]:
    """Look for infinite and missing samples, and for what a task makes of them."""
    data = subject.data
    if data.kind == "tokens":
        yield passed("tokens are whole numbers", case="samples")
    else:
        infinite = sum(int(np.isinf(s).sum()) for s in data.sequences)
        missing = sum(int(np.isnan(s).sum()) for s in data.sequences)
        made = subject.generator is not None
        yield holds(
            infinite == 0 and not (made and missing),
            f"{sum(s.size for s in data.sequences):,} numbers",
            wrong=f"{infinite:,} infinite and {missing:,} missing samples",
            case="samples",
            cure="a smaller step of the solution" if made else "NaN where a sample is missing",
        )
        if missing and not made:
            yield noted(f"{missing:,} samples are missing", case="missing")
    if subject.task is None:
        return
    for name in ("train", "validation", "test"):
        part = getattr(subject.task, name)
        if part is None:
            continue
        x, y = np.asarray(part.x), np.asarray(part.y)
        yield holds(
            bool(np.isfinite(x).all() and np.isfinite(y).all()),
            "finite inputs and answers",
            wrong="an input or an answer is not finite",
            case=name,
            cure="leaving out cases without a label",
        )
