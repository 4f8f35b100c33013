"""A sequence is answered for itself, whatever else is in its batch."""

from collections.abc import Iterator

import torch
from torch import Tensor

from timegrain.checks.model.compare import gap, largest, tolerance
from timegrain.checks.model.row import CheckRow, compared
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject
from timegrain.core.errors import ModelError

BATCH, TIME = 4, 77
LONG = 300  # samples from which on a convolution may be one transform of two sequences
QUIET = 2.0**-30


@torch.no_grad()
def check_batch(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare each row of a batch with the same sequence alone, also a quiet one by a loud one."""
    pair = subject.draw(2, subject.at_least(LONG), number=1)
    if pair.is_floating_point():
        pair[0] *= QUIET
    yield compared(
        largest(
            [*_apart(subject, subject.draw(BATCH, subject.at_least(TIME))), *_apart(subject, pair)]
        ),
        tolerance(subject.dtype, LONG),
        cure="normalising over channels instead of the batch, and axes (batch, time, channel): "
        "batch_first=True for recurrent torch modules",
    )


def _apart(subject: Subject, x: Tensor) -> Iterator[float]:
    y = subject(x)
    for i in range(len(x)):
        alone = subject(x[i : i + 1])
        if alone.shape != y[i : i + 1].shape:
            raise ModelError(
                "a sequence alone and in a batch have outputs of unlike shapes",
                got=f"{tuple(alone.shape)} and {tuple(y[i : i + 1].shape)}",
                hint="an output whose first axis is the batch, of one shape for one input",
            )
        yield gap(alone, y[i : i + 1])
