"""Measure the study `paper-continuity`."""

from dataclasses import replace

import numpy as np

from timegrain.continuity.model.reference_errors import ReferenceErrors, reference_errors
from timegrain.continuity.model.reference_systems import (
    DISCRETIZATIONS,
    KINDS,
    STATES,
    ReferenceSystems,
)
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.stats.norms import NORMS
from timegrain.study.presets.paper_continuity.result import (
    ErrorCell,
    GrowthCell,
    OrderCell,
    PaperContinuity,
)
from timegrain.study.presets.paper_continuity.settings import SETTLED, PaperContinuitySettings
from timegrain.study.presets.paper_continuity.tabulate import (
    Curves,
    error_cells,
    growth_cell,
    order_cells,
)
from timegrain.study.progress import Progress, ProgressEvent, ignore

BLOCK = 1000  # systems times amplitudes stepped at once: arrays of 33 MB on the finest grid


def measure(settings: PaperContinuitySettings, progress: Progress = ignore) -> PaperContinuity:
    """Return the errors of random systems on ever finer grids.

    Args:
        settings: What is measured.
        progress: Called at the start of each family and discretisation, and within.
    """
    errors: list[ErrorCell] = []
    orders: list[OrderCell] = []
    growths: list[GrowthCell] = []
    kinds = [(family, rule) for family in KINDS for rule in DISCRETIZATIONS]
    for number, (family, rule) in enumerate(kinds, start=1):
        event = ProgressEvent(
            step=number, steps=len(kinds), label=f"{settings.systems} {family} systems, {rule}"
        )
        found = _errors(family, rule, settings, event, progress)
        for i, norm in enumerate(NORMS):
            curves = Curves(
                family=family,
                discretization=rule,
                norm=norm,
                errors=found.errors[i],
                reference=found.reference[i],
            )
            errors += error_cells(curves, settings)
            orders += order_cells(curves, settings)
            growths.append(growth_cell(curves, settings))
    return _result(settings, tuple(errors), tuple(orders), tuple(growths))


def _errors(
    family: str,
    rule: str,
    settings: PaperContinuitySettings,
    event: ProgressEvent,
    progress: Progress,
) -> ReferenceErrors:
    systems = ReferenceSystems(
        kind=family, count=settings.systems, seed=settings.seed, discretization=rule
    )
    size = max(1, BLOCK // settings.systems)
    found = []
    for start in range(0, len(settings.amplitudes), size):
        heights = settings.amplitudes[start : start + size]
        progress(replace(event, detail=f"amplitude {heights[0]:.3g} to {heights[-1]:.3g}"))
        found.append(
            reference_errors(systems, settings.steps, amplitude=np.array(heights), norms=NORMS)
        )
    return ReferenceErrors(
        errors=np.concatenate([f.errors for f in found], axis=-2),
        reference=np.concatenate([f.reference for f in found], axis=-2),
    )


def _result(
    settings: PaperContinuitySettings,
    errors: tuple[ErrorCell, ...],
    orders: tuple[OrderCell, ...],
    growths: tuple[GrowthCell, ...],
) -> PaperContinuity:
    known = [o.order for o in orders if o.order is not None]
    settled = all(abs(p - 1) <= SETTLED for p in known) and len(known) == len(orders)
    reasons = {}
    if any(c.error is None for c in errors):
        reasons["error"] = "the output of every system underflows to zero"
    if any(c.low is None for c in errors):
        reasons["low"] = "fewer than six systems have no 95 % interval of their median"
    return PaperContinuity(
        name="random S4 and S6 systems",
        outcome=Outcome.CONVERGES if settled else Outcome.PRE_ASYMPTOTIC,
        provenance=Provenance.collect(
            seed=settings.seed,
            parameters={
                "systems": settings.systems,
                "amplitudes": list(settings.amplitudes),
                "taus": list(settings.taus),
            },
        ),
        reasons=reasons,
        n_systems=settings.systems,
        n_states=STATES,
        errors=errors,
        orders=orders,
        growths=growths,
    )
