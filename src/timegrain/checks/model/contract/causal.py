"""What carries a state answers without the future; of any other it is said whether it does."""

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from timegrain.checks.model.compare import gap, tolerance
from timegrain.checks.model.row import CheckRow, compared, not_applicable, noted
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject

TIME, CHANGED = 40, 23  # not a multiple of the pieces that a model may cut a sequence into
CURE = "reading no later sample, or setting steps = False where outputs are meant to see them"


@torch.no_grad()
def check_causal(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Check that other samples from one time on leave all earlier outputs as they were.

    That is asked of `scan`, and of `forward` where it gives a sequence. What carries no state
    promises nothing: there the row says what it does, and neither passes nor fails.
    """
    if not subject.unscanned:
        yield compared(
            _moved(subject, lambda x: subject.scan(x)[0]),
            tolerance(subject.dtype, TIME),
            cure=CURE,
        )
    case = "" if subject.unscanned else "forward"
    if (refusal := _no_sequence(subject)) is not None:
        yield not_applicable(refusal, case=case)
        return
    moved, allowed = _moved(subject, subject), tolerance(subject.dtype, TIME)
    if not subject.unscanned:
        yield compared(moved, allowed, case=case, cure=CURE)
    elif moved <= allowed:
        yield noted("sees later samples: no", measured=moved)
    else:
        yield noted(
            f"sees later samples: yes, they move earlier outputs by {moved:.1e} of the largest; "
            "right for labels of whole sequences, a leak in a forecast or on a stream",
            measured=moved,
        )


def _moved(subject: Subject, call: Callable[[Tensor], Tensor]) -> float:
    """Return how far other samples from one time on move the outputs before it, relative."""
    time = subject.at_least(TIME)
    x, other = subject.draw(2, time), subject.draw(2, time, number=1)
    mixed = torch.cat([x[:, :CHANGED], other[:, CHANGED:]], 1)
    return gap(call(mixed)[:, :CHANGED], call(x)[:, :CHANGED])


def _no_sequence(subject: Subject) -> str | None:
    """Return why no output stands at a sample; None if one does."""
    time = subject.at_least(TIME)
    for length in (time, time + 1):
        y = subject(subject.draw(2, length))
        if y.ndim < 2 or y.shape[1] != length:
            return f"it gives {tuple(y.shape)} for {length} samples, not one output a sample"
    return None
