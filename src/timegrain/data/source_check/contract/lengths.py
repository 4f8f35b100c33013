"""Sequences are as long as is said, and nothing stands behind their ends."""

from collections.abc import Iterator

import numpy as np

from timegrain.data.source_check.row import SourceRow, holds, not_applicable
from timegrain.data.source_check.subject import Subject


def check_lengths(subject: Subject) -> Iterator[SourceRow]:
    """Compare lengths with arrays, and look at the padding."""
    known = subject.data.lengths
    right = bool((known >= 2).all())
    yield holds(
        right,
        f"{known.min()} to {known.max()} samples",
        wrong=f"a sequence of {known.min()} samples",
        case="dataset",
        cure="two samples or more",
    )
    cases = subject.cases
    if cases is None:
        yield not_applicable("its sequences are not made by number", case="cases")
    else:
        time = cases.sequences.shape[1]
        inside = bool(((cases.known >= 2) & (cases.known <= time)).all())
        behind = np.arange(time) >= cases.known[:, None]
        yield holds(
            inside and not cases.sequences[behind].any(),
            "padded with 0" if behind.any() else "none is padded",
            wrong=f"lengths {cases.known.min()}..{cases.known.max()} of {time}, or numbers behind "
            "the end",
            case="cases",
            cure="lengths= with the samples that exist, and 0 behind them",
        )
    if subject.task is None:
        return
    for name in ("train", "validation", "test"):
        part = getattr(subject.task, name)
        if part is None:
            continue
        behind = np.arange(part.x.shape[1]) >= part.lengths[:, None]
        yield holds(
            not np.asarray(part.x)[behind].any() and bool((part.lengths >= 1).all()),
            f"{part.lengths.min()} to {part.lengths.max()} samples",
            wrong="numbers stand behind the end of a sequence",
            case=name,
            cure="0 behind the end",
        )
