"""What carries a state answers without the future."""

from collections.abc import Iterator

import torch

from timegrain.checks.model.compare import gap, tolerance
from timegrain.checks.model.row import CheckRow, compared, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject

TIME, CHANGED = 40, 25


@torch.no_grad()
def check_causal(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Check that other samples from one time on leave all earlier outputs as they were."""
    if subject.unscanned:
        yield not_applicable(subject.unscanned)
        return
    x, other = subject.draw(2, TIME), subject.draw(2, TIME, number=1)
    mixed = torch.cat([x[:, :CHANGED], other[:, CHANGED:]], 1)
    before, after = subject.scan(x)[0], subject.scan(mixed)[0]
    yield compared(
        gap(after[:, :CHANGED], before[:, :CHANGED]),
        tolerance(subject.dtype, TIME),
        cure="setting steps = False, if outputs are meant to see later samples",
    )
