"""Gradients are those of the output."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.gradcheck import GradcheckError

from timegrain.checks.model.row import CheckRow, failed, not_applicable, passed
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.state import leaves, mapped
from timegrain.checks.model.subject import Subject
from timegrain.core.errors import ModelError
from timegrain.core.users_code import users_code

BATCH, TIME, LENGTHS = 2, 5, (5, 3)
SMALL = 400  # entries up to which each is checked, beyond along random directions
MOST = 4000  # numbers of output up to which each is, too: there is a backward pass for each of them
CURE = "a pass in float64 without detach(), .data, .item(), writes in place, or casts to float32"


def check_gradients(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare gradients with finite differences in float64, of input, parameters and state."""
    if subject.dtype != torch.float64 or subject.arrays:
        kind = "arrays" if subject.arrays else str(subject.dtype).removeprefix("torch.")
        yield not_applicable(f"it computes in {kind}, too coarse for finite differences")
        return
    if subject.module is not None and not subject.unscanned:
        _, state = subject.scan(subject.draw(BATCH, 3, number=1))
        start = [t.detach().clone() for t in leaves(state) if isinstance(t, Tensor)]
        yield _compare(subject.copy(), start, state)
    else:
        yield _compare(subject.copy(), [], None)


def _compare(subject: Subject, start: list[Tensor], state: Any) -> CheckRow:
    function, inputs = _function(subject, start, state)
    entries = sum(t.numel() for t in inputs)
    if not entries:
        return not_applicable("nothing here has a gradient")
    with torch.no_grad():
        outputs = sum(t.numel() for t in function(*inputs))
    fast = entries > SMALL or outputs > MOST
    said = f"{entries:,} entries" + (", along random directions" if fast else ", each")
    try:
        with users_code(subject.name, ModelError):
            torch.autograd.gradcheck(function, inputs, fast_mode=fast, nondet_tol=1e-12)
    except ModelError as error:
        if not isinstance(error.__cause__, GradcheckError):
            raise
        lines = str(error.__cause__).strip().splitlines()
        return failed(f"{said}: {lines[0] if lines else 'no match'}", cure=CURE)
    return passed(reason=said)


def _function(
    subject: Subject, start: list[Tensor], state: Any
) -> tuple[Callable[..., tuple[Tensor, ...]], tuple[Tensor, ...]]:
    """Return a function of tensors that have gradients, and the tensors."""
    x = subject.draw(BATCH, subject.at_least(TIME))
    sources = [] if subject.inputs.tokens else [x.requires_grad_()]
    carried = [t.requires_grad_() for t in start if _differs(t)]
    named = list(subject.parameters())
    weights = [p.detach().clone().requires_grad_() for _, p in named]
    call = _Call(subject)

    def function(*tensors: Tensor) -> tuple[Tensor, ...]:
        here = list(tensors)
        given = here.pop(0) if sources else x
        moved = iter([here.pop(0) for _ in carried])
        own = {f"model.{n}": t for (n, _), t in zip(named, here, strict=True)}
        before = iter([next(moved) if _differs(t) else t for t in start])
        arguments = (given, _rebuilt(state, before) if start else None)
        if subject.module is None:
            return tuple(call(*arguments))
        return tuple(torch.func.functional_call(call, own, arguments))

    return function, (*sources, *carried, *weights)


class _Call(nn.Module):
    """Calls a subject inside a module, so that its weights can be replaced."""

    def __init__(self, subject: Subject) -> None:
        super().__init__()
        self.subject = subject
        if subject.module is not None:
            self.model = subject.module
        self.tau = 0.7 if subject.told else None
        masked = subject.masks_scan and not subject.inputs.tokens
        self.lengths = torch.tensor(LENGTHS, device=subject.device) if masked else None

    def forward(self, x: Tensor, state: Any) -> list[Tensor]:
        if state is None:
            return [self.subject(x, self.tau)]
        y, after = self.subject.scan(x, state, tau=self.tau, lengths=self.lengths)
        parts = [y] if self.lengths is None else [y[i, :n] for i, n in enumerate(LENGTHS)]
        ends = [t for t in leaves(after) if isinstance(t, Tensor) and t.requires_grad]
        return [*parts, *(_real(t) for t in ends)]


def _differs(tensor: Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _real(tensor: Tensor) -> Tensor:
    return torch.view_as_real(tensor) if tensor.is_complex() else tensor


def _rebuilt(state: Any, tensors: Iterator[Tensor]) -> Any:
    """Return a state of the same form with other tensors."""
    return mapped(state, lambda leaf: next(tensors) if isinstance(leaf, Tensor) else leaf)
