"""What a model is told of time shows in its output, where it belongs."""

import contextlib
from collections.abc import Iterator

import torch
from torch import Tensor

from timegrain.checks.model.compare import gap, largest, tolerance
from timegrain.checks.model.row import CheckRow, compared, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject
from timegrain.continuity.model.attempt import first_line
from timegrain.core.errors import ConfigError, TimegrainError

BATCH, TIME = 3, 40
SHOWS = 1e-6  # relative: above the rounding of float32, below any effect of twice the step
CURE = "passing tau on to the kernel, or setting takes_tau = False"


@torch.no_grad()
def check_tau_reaches(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Check that another tau changes the output, of its own sequence alone, and at its sample."""
    if not subject.told:
        yield not_applicable(subject.untold)
        return
    time = subject.at_least(TIME)
    x = subject.draw(BATCH, time)
    y = subject(x, 1.0)
    shown, reason = gap(subject(x, 4.0), y), "tau 4 against 1"
    if shown < SHOWS:
        # An average over time is the same at any even step.
        uneven = torch.ones(BATCH, time, dtype=subject.dtype, device=subject.device)
        uneven[:, ::2] = 4.0
        with contextlib.suppress(ConfigError):  # a model may take one ratio alone
            shown, reason = gap(subject(x, uneven), y), "uneven steps against even ones"
    yield compared(shown, SHOWS, bound="at least", reason=reason, cure=CURE)
    told = torch.ones(BATCH, dtype=subject.dtype, device=subject.device)
    told[0] = 4.0
    try:
        mixed = subject(x, told)
    except ConfigError as refusal:
        yield not_applicable(first_line(refusal), case="own sequence")
        return
    yield compared(
        largest([gap(mixed[1:], y[1:]), gap(mixed[:1], subject(x[:1], 4.0))]),
        tolerance(subject.dtype, TIME),
        case="own sequence",
        cure="keeping the ratios of a batch apart, each with its own sequence",
    )
    if shown >= SHOWS:  # else it is told nothing at all
        yield _at_its_sample(subject, x)


def _at_its_sample(subject: Subject, x: Tensor) -> CheckRow:
    """Check that the same ratios in another order change the output: no mean stands for them."""
    case = "own sample"
    early = torch.ones(x.shape[:2], dtype=subject.dtype, device=subject.device)
    early[:, : x.shape[1] // 2] = 4.0
    try:
        moved = gap(subject(x, early.flip(1)), subject(x, early))
    except TimegrainError as refusal:  # tau-forms says what a model takes, and fails where it must
        return not_applicable(first_line(refusal), case=case)
    return compared(
        moved,
        SHOWS,
        case=case,
        bound="at least",
        reason="long steps early against late",
        cure="giving each sample the ratio of its own step: no mean, no first one for all",
    )
