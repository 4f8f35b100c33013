"""The same again is the same, to the bit."""

from collections.abc import Iterator

import torch
from torch import Tensor

from timegrain.checks.model.row import CheckRow, failed, not_applicable, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Built, Subject

BATCH, TIME = 2, 100


@torch.no_grad()
def check_determinism(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare two passes, and two models of one seed, bit for bit."""
    x, other = subject.draw(BATCH, TIME), subject.draw(BATCH, TIME, number=1)
    first = subject(x)
    subject(other)
    if _same(subject(x), first):
        yield passed(case="two passes", reason="same bits")
    else:
        yield failed(
            "two passes over one input differ",
            case="two passes",
            cure="no randomness in eval mode, and no state kept from call to call",
        )
    if subject.built is None:
        yield not_applicable("it came built, without a seed", case="one seed")
    elif _same_weights(subject.built):
        yield passed(case="one seed", reason="same bits")
    else:
        yield failed(
            "two layers of one seed differ",
            case="one seed",
            cure="drawing every weight from torch's global generator",
        )


def _same(one: Tensor, other: Tensor) -> bool:
    return torch.equal(one, other)


def _same_weights(built: Built) -> bool:
    one, other = (built.make().state_dict() for _ in range(2))
    return one.keys() == other.keys() and all(_same(one[k], other[k]) for k in one)
