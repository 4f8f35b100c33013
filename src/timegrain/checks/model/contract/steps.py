"""One sample at a time is the sequence, too."""

from collections.abc import Iterator
from typing import Any

import torch

from timegrain.checks.model.compare import gap, largest, state_gap, tolerance
from timegrain.checks.model.row import CheckRow, compared, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.stopwatch import WAITING, Stopwatch
from timegrain.checks.model.subject import Subject
from timegrain.continuity.model.attempt import first_line
from timegrain.core.errors import ConfigError

FEWEST = 200  # steps, however much work they are
MOST = 2**26  # numbers that all steps together give, beyond which there are fewer: half a gigabyte
FEWEST_WAITED = 20  # steps, however long they wait
CURE = "one discretisation for step and scan, and a state that keeps its precision"


@torch.no_grad()
def check_steps(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare `step` over many samples with one `scan`, outputs and last state.

    A model whose steps are so slow that it runs out of patience is stepped through fewer, and the
    row says so.

    Math:
        At most `32 eps sqrt(L)` of `max |y|` in float32 and `1e-10` in float64.
    """
    if subject.unstepped:
        yield not_applicable(subject.unstepped)
        return
    own = (torch.float32, torch.float64) if subject.dtype == torch.float64 else (subject.dtype,)
    for dtype in own:
        yield _compare(subject.to(dtype), settings)
    if subject.told:
        yield _of_many_sizes(subject)


def _of_many_sizes(subject: Subject) -> CheckRow:
    case, batch, length = "of many sizes", 3, 50
    x, tau = subject.draw(batch, length), subject.place(subject.inputs.steps(batch, length))
    try:
        whole, last = subject.scan(x, tau=tau)
    except ConfigError as refusal:  # an option says so, such as form="conv"
        return not_applicable(first_line(refusal), case=case)
    state: Any = None
    apart = []
    for k in range(length):
        y, state = subject.step(x[:, k], state, tau=tau[:, k])
        apart.append(gap(y, whole[:, k]))
    apart.append(state_gap(state, last) or 0.0)
    cure = "giving the update that brings in sample k the ratio of the step that ends there"
    return compared(largest(apart), tolerance(subject.dtype, length), case=case, cure=cure)


def _compare(subject: Subject, settings: Settings) -> CheckRow:
    length = settings.steps
    x = subject.draw(1, length)
    tau = 0.5 if subject.told else None
    parts, state, watch = [], None, Stopwatch()
    for k in range(length):
        y, state = subject.step(x[:, k], state, tau=tau)
        parts.append(y)
        full = k >= FEWEST_WAITED and len(parts) * y.numel() >= MOST
        if k == 1:  # the first steps compile something, maybe
            watch = Stopwatch()
        late = k >= FEWEST and watch.worked() > settings.patience
        if full or late or (k >= FEWEST_WAITED and watch.waited() > settings.patience):
            break
    whole, last = subject.scan(x[:, : len(parts)], tau=tau)
    apart = [gap(torch.stack(parts, dim=1), whole), state_gap(state, last) or 0.0]
    said = f"{len(parts):,} steps"
    if len(parts) < length and full:
        said += f" of {length:,}, whose outputs of {y.numel():,} numbers each would fill memory"
    elif len(parts) < length:
        took = f"{settings.patience:g} s of processor time, or {WAITING * settings.patience:g} s"
        said += f" of {length:,}, which took {took} of waiting"
    return compared(
        largest(apart),
        tolerance(subject.dtype, len(parts)),
        case=str(subject.dtype).removeprefix("torch."),
        reason=said,
        cure=CURE,
    )
