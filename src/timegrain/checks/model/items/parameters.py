"""Every parameter does something, and so does every channel of the input."""

from collections.abc import Iterator

import torch
from torch import Tensor

from timegrain.checks.model.row import CheckRow, compared, failed, not_applicable, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject

BATCH, TIME = 2, 24
JITTER = 0.05
LISTED = 5


def check_parameters(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Look for parameters and channels of the input that the output does not depend on.

    Where a gradient is zero at the weights as they are, all weights are moved a little and it is
    looked for again: a gate that starts at zero hides what stands before it.
    """
    if subject.module is None:
        yield not_applicable("a function shows no parameters", case="weights")
    else:
        yield _weights(subject)
    if subject.inputs.tokens or subject.arrays:
        yield not_applicable("tokens, or arrays, have no gradient", case="input")
    else:
        yield _input(subject)


def _weights(subject: Subject) -> CheckRow:
    names = [name for name, _ in subject.parameters()]
    if not names:
        return not_applicable("it has no parameter that learns", case="weights")
    unused = _without_gradient(subject.copy())
    if unused:
        moved = subject.copy()
        _move(moved)
        unused = [name for name in _without_gradient(moved) if name in unused]
    if not unused:
        return passed(case="weights", reason=f"{len(names)} reach the output")
    listed = ", ".join(unused[:LISTED]) + (", ..." if len(unused) > LISTED else "")
    return failed(
        f"the output does not depend on {listed}",
        case="weights",
        cure=f"using {unused[0]} where the output is made, or removing it",
    )


def _without_gradient(subject: Subject) -> list[str]:
    named = list(subject.parameters())
    total = _total(subject, subject.draw(BATCH, TIME))
    if not total.requires_grad:
        return [name for name, _ in named]
    found = torch.autograd.grad(total, [p for _, p in named], allow_unused=True)
    return [n for (n, _), g in zip(named, found, strict=True) if g is None or not bool(g.any())]


def _total(subject: Subject, x: Tensor) -> Tensor:
    y = subject(x)
    return (y * subject.inputs.projection(y)).sum()


def _move(subject: Subject) -> None:
    random = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for _, parameter in subject.parameters():
            noise = torch.randn(parameter.shape, generator=random, dtype=torch.float64)
            parameter.add_(JITTER * noise.to(parameter))


def _input(subject: Subject) -> CheckRow:
    x = subject.draw(BATCH, TIME).requires_grad_()
    total = _total(subject, x)
    (found,) = (
        torch.autograd.grad(total, [x], allow_unused=True) if total.requires_grad else (None,)
    )
    reached = 0 if found is None else int(found.abs().amax((0, 1)).gt(0).sum())
    return compared(
        float(reached),
        float(x.shape[-1]),
        case="input",
        bound="at least",
        reason="channels that reach the output",
        cure="connecting every channel of the input",
    )
