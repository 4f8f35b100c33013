"""A ratio is the same whether it is one number, one a sequence, or one a sample."""

from collections.abc import Iterator

import torch

from timegrain.checks.model.compare import gap, largest, tolerance
from timegrain.checks.model.row import CheckRow, compared, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject
from timegrain.continuity.model.attempt import first_line
from timegrain.core.errors import ConfigError

BATCH, TIME = 3, 40


@torch.no_grad()
def check_tau_forms(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare a float, `(batch,)` and `(batch, time)` of one value, for values below and above 1.

    A model that says `takes_tau = False` has to take any tau, and answer as without.
    """
    time = subject.at_least(TIME)
    x = subject.draw(BATCH, time)
    if subject.refuses:
        forms = (0.25, torch.full((BATCH,), 2.0), torch.full((BATCH, time), 3.0))
        apart = [gap(subject(x, _placed(subject, tau)), subject(x)) for tau in forms]
        yield compared(
            largest(apart),
            0.0,
            case="ignored",
            reason="takes_tau = False",
            cure="ignoring tau altogether, or setting takes_tau = True",
        )
        return
    if not subject.told:
        yield not_applicable(subject.untold)
        return
    allowed = tolerance(subject.dtype, TIME)
    for case, shape in (("per sequence", (BATCH,)), ("per sample", (BATCH, time))):
        try:
            apart = [
                gap(subject(x, _placed(subject, torch.full(shape, tau))), subject(x, tau))
                for tau in (0.25, 3.0)
            ]
        except ConfigError as refusal:  # an option says so, such as form="conv"
            yield not_applicable(first_line(refusal), case=case)
            continue
        cure = f"broadcasting tau of shape {shape} over the input's axes"
        yield compared(largest(apart), allowed, case=case, cure=cure)


def _placed(subject: Subject, tau: float | torch.Tensor) -> float | torch.Tensor:
    return tau.to(subject.device, subject.dtype) if isinstance(tau, torch.Tensor) else tau
