"""A sequence is answered for itself, whatever else is in its batch."""

from collections.abc import Iterator

import torch

from timegrain.checks.model.compare import gap, largest, tolerance
from timegrain.checks.model.row import CheckRow, compared
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject

BATCH, TIME = 4, 77


@torch.no_grad()
def check_batch(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare each row of a batch with the same sequence alone."""
    x = subject.draw(BATCH, TIME)
    y = subject(x)
    apart = [gap(subject(x[i : i + 1]), y[i : i + 1]) for i in range(BATCH)]
    yield compared(
        largest(apart),
        tolerance(subject.dtype, TIME),
        cure="normalising over channels instead of the batch, and axes (batch, time, channel): "
        "batch_first=True for recurrent torch modules",
    )
