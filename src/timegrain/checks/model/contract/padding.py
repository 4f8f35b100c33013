"""What lies beyond a sequence's length is not there."""

from collections.abc import Iterator

import torch
from torch import Tensor

from timegrain.checks.model.compare import gap, largest, state_gap, tolerance
from timegrain.checks.model.row import CheckRow, compared, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.state import row_of, tensors
from timegrain.checks.model.subject import Subject

TIME, SHORTER = 50, (17, 1)
POISONS = {"NaN": float("nan"), "infinite": float("inf"), "huge": 1e30}
CURE = "masking by lengths before anything mixes in time, and stopping the state there"


def check_padding(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare padded sequences with the same ones alone: outputs, gradients and states."""
    if subject.unmasked:
        yield not_applicable(subject.unmasked)
        return
    lengths = torch.tensor(_lengths(subject), device=subject.device)
    x = subject.draw(len(_lengths(subject)), _time(subject))
    with torch.no_grad():
        alone = [subject(x[i : i + 1, :n]) for i, n in enumerate(_lengths(subject))]
        poisons = {"": 0.0} if subject.inputs.tokens else POISONS
        for case, poison in poisons.items():
            padded = subject.inputs.poisoned(x, lengths, poison)
            apart = _apart(subject, padded, lengths, alone)
            yield compared(apart, _allowed(subject), case=case, cure=CURE)
    yield _gradients(subject, x, lengths)
    yield from _states(subject, x, lengths)


def _time(subject: Subject) -> int:
    return max(TIME, 2 * subject.fewest)


def _lengths(subject: Subject) -> tuple[int, ...]:
    return (_time(subject), *(subject.at_least(n) for n in SHORTER))


def _allowed(subject: Subject) -> float:
    return tolerance(subject.dtype, _time(subject))


def _apart(subject: Subject, padded: Tensor, lengths: Tensor, alone: list[Tensor]) -> float:
    return largest(
        gap(_valid(y[None], n, padded.shape[1]), y_alone)
        for y, n, y_alone in zip(
            subject(padded, lengths=lengths), _lengths(subject), alone, strict=True
        )
    )


def _valid(y: Tensor, n: int, time: int) -> Tensor:
    """Return the valid samples of an output; one that is pooled has no axis of time."""
    return y[:, :n] if y.ndim > 2 and y.shape[1] == time else y


def _gradients(subject: Subject, x: Tensor, lengths: Tensor) -> CheckRow:
    """Check that nothing beyond the lengths has a gradient, nor makes that of a weight NaN."""
    case = "gradients"
    if subject.inputs.tokens or subject.module is None:
        return not_applicable("tokens, or a function without weights", case=case)
    subject = subject.copy()
    padded = subject.inputs.poisoned(x, lengths, float("nan")).requires_grad_()
    y = subject(padded, lengths=lengths)
    total = sum(
        _valid(y[i : i + 1], n, _time(subject)).abs().square().sum()
        for i, n in enumerate(_lengths(subject))
    )
    wanted = [padded, *(p for _, p in subject.parameters())]
    found = torch.autograd.grad(total, wanted, allow_unused=True)  # type: ignore[arg-type]
    here = found[0]
    parts = [] if here is None else [here[i, n:].abs() for i, n in enumerate(_lengths(subject))]
    beyond = largest(float(part.max()) for part in parts if part.numel())
    bad = any(g is not None and not bool(torch.isfinite(g).all()) for g in found)
    return compared(
        float("nan") if bad else beyond,
        0.0,
        case=case,
        cure="putting zeros into padding before the first weight: NaN times 0 is NaN",
    )


@torch.no_grad()
def _states(subject: Subject, x: Tensor, lengths: Tensor) -> Iterator[CheckRow]:
    if not subject.masks_scan:
        reason = subject.unscanned or "its scan has no parameter named lengths"
        yield not_applicable(reason, case="state")
        return
    padded = x if subject.inputs.tokens else subject.inputs.poisoned(x, lengths, float("nan"))
    _, state = subject.scan(padded, lengths=lengths)
    if state is not None and not tensors(state):
        kind = type(state).__name__
        reason = f"its state holds no tensor ({kind}), and cannot be cut into sequences"
        yield not_applicable(reason, case="state")
        yield _not_begun(subject, padded)
        return
    more = subject.draw(len(_lengths(subject)), _time(subject), number=1)
    onward, _ = subject.scan(more, state)
    apart = []
    for i, n in enumerate(_lengths(subject)):
        _, own = subject.scan(x[i : i + 1, :n])
        apart.append(state_gap(row_of(state, i), own) or 0.0)
        apart.append(gap(onward[i : i + 1], subject.scan(more[i : i + 1], own)[0]))
    yield compared(largest(apart), _allowed(subject), case="state", cure=CURE)
    yield _ended(subject, padded, state)
    yield _not_begun(subject, padded)


def _ended(subject: Subject, x: Tensor, state: object) -> CheckRow:
    """Check that a sequence of no sample keeps its state bit for bit."""
    lengths = torch.tensor([_time(subject), 0, _time(subject)], device=subject.device)
    more = subject.draw(len(_lengths(subject)), _time(subject), number=2)
    _, after = subject.scan(more, state, lengths=lengths)
    ahead = subject.draw(1, _time(subject), number=3)
    apart = gap(subject.scan(ahead, row_of(after, 1))[0], subject.scan(ahead, row_of(state, 1))[0])
    kept = largest([state_gap(row_of(after, 1), row_of(state, 1)) or 0.0, apart])
    cure = "leaving the state of a sequence that has ended as it is"
    return compared(kept, _allowed(subject), case="no sample", cure=cure)


def _not_begun(subject: Subject, x: Tensor) -> CheckRow:
    """Check that a batch in which no sequence has a sample yet is at rest."""
    none = torch.zeros(len(_lengths(subject)), dtype=torch.long, device=subject.device)
    _, state = subject.scan(x, lengths=none)
    ahead = subject.draw(len(_lengths(subject)), _time(subject), number=3)
    apart = [gap(subject.scan(ahead, state)[0], subject.scan(ahead)[0])]
    if not subject.unstepped:
        apart.append(gap(subject.step(ahead[:, 0], state)[0], subject.step(ahead[:, 0])[0]))
    cure = "a state of rest where no sequence has had a sample"
    return compared(largest(apart), _allowed(subject), case="no sample yet", cure=cure)
