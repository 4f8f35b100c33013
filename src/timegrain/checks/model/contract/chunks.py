"""A sequence in pieces is the sequence."""

from collections.abc import Iterator
from typing import Any

import torch

from timegrain.checks.model.compare import gap, same_bits, state_gap, tolerance
from timegrain.checks.model.row import CheckRow, compared, failed, not_applicable, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.state import kept, tensors
from timegrain.checks.model.subject import Subject

PIECES = (1, 99, 300, 7, 293)
FEW = (1, 9, 13, 7, 3)  # where so many outputs would fill memory
CURE = "starting from the state that is passed, and returning the one after the last sample"


@torch.no_grad()
def check_chunks(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare a scan in chunks with carried state with one scan, outputs and last state.

    A state that was passed stays what it was.
    """
    if subject.unscanned:
        yield not_applicable(subject.unscanned)
        return
    pieces = PIECES if sum(PIECES) <= subject.most else FEW
    x = subject.draw(2, sum(pieces))
    tau = 0.5 if subject.told else None
    whole, last = subject.scan(x, tau=tau)
    state: Any = None
    parts = []
    for piece in x.split(list(pieces), dim=1):
        y, state = subject.scan(piece, state, tau=tau)
        parts.append(y)
    allowed = tolerance(subject.dtype, sum(pieces))
    yield compared(gap(torch.cat(parts, dim=1), whole), allowed, case="outputs", cure=CURE)
    apart = state_gap(state, last)
    if not tensors(last):
        yield not_applicable(f"its state holds no tensor ({_kind(last)})", case="last state")
        return
    if apart is None:
        yield not_applicable("states of other forms, with the same outputs", case="last state")
    else:
        yield compared(apart, allowed, case="last state", cure=CURE)
    yield _passed_state(subject, last)


def _passed_state(subject: Subject, state: Any) -> CheckRow:
    """Check that a passed state stays what it was, so that several can go on from it."""
    case, before = "passed state", kept(state)
    more = subject.draw(2, PIECES[-2], number=1)
    subject.scan(more, state)
    writes = [] if _same(state, before) else ["scan"]
    if not subject.unstepped:
        state = kept(before)
        subject.step(more[:, 0], state)
        writes += [] if _same(state, before) else ["step"]
    if not writes:
        return passed(case=case, reason="left as it was")
    return failed(
        f"{' and '.join(writes)} changed the state that was passed",
        case=case,
        cure="returning a new state, state = state + ..., instead of writing into the one passed",
    )


def _same(one: Any, other: Any) -> bool:
    pairs = list(zip(tensors(one), tensors(other), strict=False))
    return len(tensors(one)) == len(tensors(other)) and all(same_bits(a, b) for a, b in pairs)


def _kind(state: Any) -> str:
    return "None" if state is None else type(state).__name__
