"""Whether a model has an output at all on ordinary input, before anything is asked of it."""

import torch
from torch import Tensor

from timegrain.checks.model.row import CheckRow, failed
from timegrain.checks.model.subject import Subject
from timegrain.core.errors import TimegrainError

TIME = 300
CURE = "weights that are finite, no division by 0, and exponents that cannot grow"


@torch.no_grad()
def unsound_row(subject: Subject) -> CheckRow | None:
    """Return the failure of a model that answers noise with NaN or infinity; None if it does not.

    Nothing else can be measured on such outputs, and what the other checks would advise is wrong.
    """
    case, time = "ordinary input", subject.at_least(TIME)
    try:
        with torch.random.fork_rng(devices=[]):
            y = subject.copy()(subject.draw(2, time))
    except (TimegrainError, MemoryError):  # the checks say so, each in its place
        return None
    wrong = int((~torch.isfinite(y)).sum())
    if not wrong:
        return None
    kind = "tokens" if subject.inputs.tokens else "noise of amplitude 1"
    said = f"NaN or infinity in {wrong:,} of {y.numel():,} numbers, for {time} samples of {kind}"
    where = _where(subject)
    return failed(f"{said}; {where}" if where else said, case=case, cure=CURE).of("finite")


def _where(subject: Subject) -> str:
    """Return which weight is not finite, if one is."""
    module = subject.module
    named: list[tuple[str, Tensor]] = []
    if module is not None:
        named = [*module.named_parameters(), *module.named_buffers()]
    found = [name for name, t in named if not bool(torch.isfinite(t).all())]
    return f"{found[0]} is not finite either" if found else ""
