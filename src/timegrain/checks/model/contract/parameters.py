"""Every parameter does something, and so does every channel of the input."""

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn

from timegrain.checks.model.row import CheckRow, compared, failed, not_applicable, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject

TIME = 24
JITTER = 0.05
# whether weights are moved, loudness, sequences: a unit of a rectifier that none wakes is no fault
TRIES = ((False, 1.0, 2), (True, 1.0, 2), (True, 10.0, 2), *((True, 3.0, 32),) * 4)
FEATURES = (nn.Linear, nn.Conv1d)
LISTED = 5


def check_parameters(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Look for parameters and channels of the input that the output does not depend on.

    Where a gradient is zero at the weights as they are, all weights are moved a little, and then
    the input is made louder, and other, and it is looked for again: a gate that starts at zero
    hides what stands before it, and a rectifier what is small or of the other sign. Weights of
    linear and convolution layers are looked at row by row, since one matrix may make several
    things, of which one is lost.
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
    alive: dict[str, Tensor] = {}
    for number, (moved, loudness, batch) in enumerate(TRIES):
        here = subject.copy()
        if moved:
            _move(here, number)
        x = here.draw(batch, here.at_least(TIME), number=number)
        x = x if here.inputs.tokens else loudness * x
        for name, reached in _reached(here, x).items():
            alive[name] = alive[name] | reached if name in alive else reached
        if all(bool(reached.all()) for reached in alive.values()):
            break
    if not alive:
        return not_applicable("it has no parameter that learns", case="weights")
    unused = [_named(name, reached) for name, reached in alive.items() if not bool(reached.all())]
    if not unused:
        return passed(case="weights", reason=f"{len(alive)} reach the output")
    listed = ", ".join(unused[:LISTED]) + (", ..." if len(unused) > LISTED else "")
    return failed(
        f"the output does not depend on {listed}",
        case="weights",
        cure=f"using {unused[0]} where the output is made, or removing it",
    )


def _reached(subject: Subject, x: Tensor) -> dict[str, Tensor]:
    """Return for each parameter whether it has a gradient; for features of a layer, each row."""
    named = dict(subject.parameters())
    total = _total(subject, x)
    found: Sequence[Tensor | None] = [None] * len(named)
    if total.requires_grad and named:
        found = torch.autograd.grad(total, list(named.values()), allow_unused=True)
    rows = _feature_weights(subject)
    return {
        name: _has_gradient(torch.zeros_like(p) if g is None else g, apart=name in rows)
        for (name, p), g in zip(named.items(), found, strict=True)
    }


def _has_gradient(gradient: Tensor, *, apart: bool) -> Tensor:
    nonzero = gradient.detach() != 0
    return nonzero.flatten(1).any(1) if apart else nonzero.any()[None]


def _feature_weights(subject: Subject) -> set[str]:
    """Return the weights whose rows each make one feature, as where one matrix makes B and C."""
    modules = subject.module.named_modules() if subject.module is not None else ()
    return {f"{n}.weight".removeprefix(".") for n, m in modules if isinstance(m, FEATURES)}


def _named(name: str, reached: Tensor) -> str:
    if len(reached) == 1 or not bool(reached.any()):
        return name
    rows = [int(row) for row in (~reached).nonzero()[:, 0]]
    span = f"{rows[0]} to {rows[-1]}" if len(rows) > 1 else f"{rows[0]}"
    return f"{len(rows)} of {len(reached)} rows of {name} ({span})"


def _total(subject: Subject, x: Tensor) -> Tensor:
    y = subject(x)
    y = torch.view_as_real(y) if y.is_complex() else y
    return (y * subject.inputs.projection(y)).sum()


def _move(subject: Subject, number: int) -> None:
    random = torch.Generator().manual_seed(number)
    with torch.no_grad():
        for _, parameter in subject.parameters():
            noise = torch.randn(parameter.shape, generator=random, dtype=torch.float64)
            parameter.add_(JITTER * noise.to(parameter))


def _input(subject: Subject) -> CheckRow:
    x = subject.draw(2, subject.at_least(TIME)).requires_grad_()
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
