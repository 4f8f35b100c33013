"""Outputs converge as fast as the model says when the grid is refined."""

import itertools
import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import torch
from torch import Tensor

from timegrain.checks.model.row import CheckRow, compared, not_applicable
from timegrain.checks.model.settings import Settings
from timegrain.checks.model.subject import Subject
from timegrain.continuity.model.introspect import declared_order
from timegrain.core.seeds import stream
from timegrain.models.card import discretizations
from timegrain.stats.orders import observed_orders

LENGTH, WAVES = 64, 5
FURTHER = 5  # levels, where the order has not settled
NEAR = 0.1  # the next term of the error, of size tau = 2^-5 beside 1, and its constant
CURE = "an input weight for the discretisation that is named, or the order that it has"


@torch.no_grad()
def check_order(subject: Subject, settings: Settings) -> Iterator[CheckRow]:
    """Measure the order on halved steps, for every discretisation that a named layer has.

    The input is a sum of sines, not zero at its start: order 2 then needs a start of order 2, where
    the first sample opens the first interval.
    """
    if not subject.told:
        yield not_applicable(subject.untold)
        return
    if subject.inputs.tokens or subject.arrays:
        yield not_applicable("tokens, or arrays, are not refined here")
        return
    for case, one in _each(subject):
        if one.order is None:
            yield not_applicable(
                "it declares no order (a whole number named order); model_continuity measures one",
                case=case,
            )
        else:
            yield _compare(one, case, settings.levels)


def _each(subject: Subject) -> Iterator[tuple[str, Subject]]:
    """Yield a subject for each discretisation; one without its skip term, which has no memory."""
    built = subject.built
    if built is None:
        yield "", subject
        return
    asked = built.options.get("discretization")
    names = [str(asked)] if asked else discretizations(built.layer, d_model=built.d_model)
    for name in names or [""]:
        given = {"discretization": name} if name else {}
        layer = built.make(**given, skip=False)
        one = replace(subject, model=layer, order=declared_order(layer))
        yield name, one.to(torch.float64)


def _compare(subject: Subject, case: str, levels: int) -> CheckRow:
    """Compare the order of the last level; fast modes need more of them to settle.

    An order that passes the declared one on its way to another is there for one level alone.
    """
    declared = subject.order or 0
    outputs = [_output(subject, level) for level in range(levels)]
    measured = math.nan
    for level in range(levels, levels + FURTHER + 1):
        outputs.append(_output(subject, level))
        before, measured = _orders(outputs[-4:])
        if max(abs(before - declared), abs(measured - declared)) <= NEAR:
            break
    reason = f"order {measured:.2f} at tau {2.0 ** -(len(outputs) - 1):.2g}, declared {declared}"
    return compared(abs(measured - declared), NEAR, case=case, reason=reason, cure=CURE)


def _output(subject: Subject, level: int) -> Tensor:
    y = subject(subject.place(_signal(subject, level)), 2.0**-level)
    return y[:, :: 2**level].clone() if y.ndim > 2 else y  # a view would keep all samples


def _orders(outputs: list[Tensor]) -> tuple[float, float]:
    """Return the last order but one and the last, of four levels."""
    gaps = [float((b - a).abs().max()) for a, b in itertools.pairwise(outputs)]
    before, last = observed_orders(np.array(gaps)).tolist()
    return before, last


def _signal(subject: Subject, level: int) -> Tensor:
    """Return sums of sines on a grid of step `2^-level`, `(1, time, channel)`."""
    random = stream(subject.inputs.seed, "signal")
    shape = (subject.inputs.width, WAVES)
    height = torch.from_numpy(random.standard_normal(shape)) / WAVES**0.5
    frequency = torch.from_numpy(random.uniform(0.5, 4.5, shape))
    phase = torch.from_numpy(random.uniform(0, 2 * math.pi, shape))
    t = torch.arange((LENGTH - 1) * 2**level + 1, dtype=torch.float64) / 2**level
    angle = 2 * math.pi * frequency * t[:, None, None] / LENGTH + phase
    return (height * torch.sin(angle)).sum(-1)[None]
