"""Forward gives what scan gives, which all checks of states are about."""

from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from timegrain.checks.model.compare import gap, tolerance
from timegrain.checks.model.row import CheckRow, compared, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject
from timegrain.continuity.model.introspect import has_parameter
from timegrain.core.errors import ModelError
from timegrain.core.users_code import users_code

BATCH, TIME = 2, 60
CURE = "returning scan(x)[0] from forward, or self.head of it"

Way = Callable[[Tensor], Tensor]
POOLS: dict[str, Way] = {"mean": lambda s: s.mean(1), "last": lambda s: s[:, -1]}


@torch.no_grad()
def check_forward(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Compare `forward` with `scan`, through `head` and a mean or last sample where it has such.

    A model that pools otherwise, or puts other layers behind its scan, is not compared, unless it
    gives an output of the scan's shape.
    """
    if subject.unscanned:
        yield not_applicable(subject.unscanned)
        return
    x = subject.draw(BATCH, subject.at_least(TIME))
    tau = 0.5 if subject.told and has_parameter(subject.model.scan, "tau") else None
    y, scanned = subject(x, tau), subject.scan(x, tau=tau)[0]
    allowed = tolerance(subject.dtype, x.shape[1])
    found = {said: gap(other, y) for said, other in _alike(subject, scanned, y)}
    if not found:
        shapes = f"forward gives {tuple(y.shape)}, scan {tuple(scanned.shape)}"
        yield not_applicable(f"{shapes}, with no head that makes one of the other")
        return
    # a NaN is further away than any number
    said = min(found, key=lambda way: (found[way] != found[way], found[way]))
    pooled = y.shape[:2] != scanned.shape[:2]
    if pooled and found[said] > allowed and getattr(subject.model, "pooling", None) not in POOLS:
        yield not_applicable("it pools neither the mean of what scan gives nor the last sample")
        return
    yield compared(found[said], allowed, reason=said, cure=CURE)


def _alike(subject: Subject, scanned: Tensor, y: Tensor) -> Iterator[tuple[str, Tensor]]:
    """Yield what can be made of a scan in the shape of an output, with how it was made."""
    head, pooling = getattr(subject.model, "head", None), getattr(subject.model, "pooling", None)
    parts = {f"the {name} of scan": pool(scanned) for name, pool in POOLS.items()}
    if pooling in POOLS:
        parts = {said: part for said, part in parts.items() if f" {pooling} " in said}
    else:
        parts = {"scan": scanned, **parts}
    for said, part in parts.items():
        if part.shape == y.shape:
            yield said, part
        through = _through(subject, head, part) if callable(head) else None
        if through is not None and through.shape == y.shape:
            yield f"{said}, through head", through


def _through(subject: Subject, head: Callable[..., Any], part: Tensor) -> Tensor | None:
    try:
        with users_code(subject.name, ModelError):
            made = head(part)
    except ModelError:  # its head is for something else
        return None
    return made if isinstance(made, Tensor) else None
