"""A sequence in pieces is the sequence."""

from collections.abc import Iterator
from typing import Any

import torch

from timegrain.checks.model.compare import gap, state_gap, tolerance
from timegrain.checks.model.row import CheckRow, compared, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject

PIECES = (1, 99, 300, 7, 293)
CURE = "starting from the state that is passed, and returning the one after the last sample"


@torch.no_grad()
def check_chunks(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare a scan in chunks with carried state with one scan, outputs and last state."""
    if subject.unscanned:
        yield not_applicable(subject.unscanned)
        return
    x = subject.draw(2, sum(PIECES))
    tau = 0.5 if subject.told else None
    whole, last = subject.scan(x, tau=tau)
    state: Any = None
    parts = []
    for piece in x.split(list(PIECES), dim=1):
        y, state = subject.scan(piece, state, tau=tau)
        parts.append(y)
    allowed = tolerance(subject.dtype, sum(PIECES))
    yield compared(gap(torch.cat(parts, dim=1), whole), allowed, case="outputs", cure=CURE)
    apart = state_gap(state, last)
    if apart is None:
        yield not_applicable("states of other forms, with the same outputs", case="last state")
    else:
        yield compared(apart, allowed, case="last state", cure=CURE)
