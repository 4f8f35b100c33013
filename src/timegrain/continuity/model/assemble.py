"""From what every pair shows to one `ModelContinuity`."""

import dataclasses
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.model.amplitude import amplitude_law
from timegrain.continuity.model.budget import ErrorBudget
from timegrain.continuity.model.convergence import (
    NEAR,
    asymptotic_levels,
    classify,
    last_order,
    nearest_whole,
)
from timegrain.continuity.model.curves import Curves, error_rows, gci_of, memory_rows, order_rows
from timegrain.continuity.model.how_refined import how_refined
from timegrain.continuity.model.inputs import Inputs
from timegrain.continuity.model.ladder import Climb
from timegrain.continuity.model.medians import median_interval, median_or_none
from timegrain.continuity.model.options import ModelOptions, nearest
from timegrain.continuity.model.result import AmplitudeOutcome, ModelContinuity
from timegrain.continuity.model.subject import Subject
from timegrain.continuity.model.words import gap_words, notes, reasons
from timegrain.core.outcome import Outcome


def assemble(
    first: Subject,
    inputs: Inputs,
    climbs: Sequence[Sequence[Climb]],
    *,
    budget: ErrorBudget,
    signal_order: float | None,
    opts: ModelOptions,
    rescale: bool,
) -> ModelContinuity:
    """Return the result.

    Args:
        first: The first pair's model.
        inputs: The signals.
        climbs: What each pair shows at each amplitude.
        budget: Errors of the numbers themselves.
        signal_order: Of the input itself, median over pairs.
        opts: What was asked for.
        rescale: Whether the model was told its step.
    """
    amplitudes, eps = opts.amplitudes, first.eps
    tau = inputs.grid.dt / (first.trained_dt or inputs.grid.dt)
    main = nearest(amplitudes)
    curves = [Curves.of(list(column)) for column in zip(*climbs, strict=True)]
    lasts = _last_orders(climbs, eps)
    order = median_or_none(lasts[:, main])
    theory = first.declared_order or nearest_whole(np.nan if order is None else order)
    ladders = [[c.convergence for c in pair] for pair in climbs]
    law = amplitude_law(ladders, amplitudes, theory=theory, eps=eps)
    outcomes = tuple(
        _ending(
            first, inputs, curve, last, amplitude=a, constant=_per(tau, c, theory), theory=theory
        )
        for a, curve, last, c in zip(amplitudes, curves, lasts.T, law.constants, strict=True)
    )
    errors = error_rows(
        amplitudes,
        curves,
        declared=first.declared_order,
        eps=eps,
        tau=tau,
        given=opts.reference != "ladder",
    )
    limit = any(row.error is not None for row in errors if row.amplitude == amplitudes[main])
    result = ModelContinuity(
        **how_refined(
            first, inputs, opts, rescale=rescale, n_pairs=len(climbs), signal_order=signal_order
        ),
        outcome=outcomes[main].outcome,
        declared_order=first.declared_order,
        order=order,
        interval=median_interval(lasts[:, main]),
        levels_used=asymptotic_levels(curves[main].differences, theory, eps),
        gci=gci_of(curves[main], theory=theory, eps=eps),
        errors=errors,
        orders=order_rows(amplitudes, curves, tau=tau),
        memory=memory_rows(amplitudes, curves, layer=first.memory_layer, tau=tau),
        amplitude_exponent=law.exponent,
        amplitude_interval=law.interval,
        outcomes=outcomes,
        layers=tuple(dict.fromkeys(n for n in ("output", first.memory_layer) if n)),
        error_budget=budget if limit else dataclasses.replace(budget, reference=None),
        reference=opts.reference,
    )
    return dataclasses.replace(
        result,
        reasons=reasons(result, first, law, redrawn=opts.named or inputs.n_signals is None),
        notes=tuple(
            filter(
                None,
                (
                    inputs.remark(theory),
                    *notes(result, first, law, opts, theory),
                    gap_words(climbs, main),
                ),
            )
        ),
    )


def _ending(
    first: Subject,
    inputs: Inputs,
    curve: Curves,
    last: Float64[np.ndarray, " pair"],
    *,
    amplitude: float,
    constant: float | None,
    theory: int | None,
) -> AmplitudeOutcome:
    order = median_or_none(last)
    outcome = classify(
        curve.differences,
        curve.cosines,
        curve.memory,
        window=inputs.window,
        declared=first.declared_order,
        eps=first.eps,
        noise=curve.noise,
    )
    return AmplitudeOutcome(
        amplitude=amplitude,
        outcome=Outcome.UNRESPONSIVE if first.constant else outcome,
        order=order,
        constant=constant,
        in_law=theory is not None and order is not None and abs(order - theory) <= NEAR,
    )


def _per(tau: float, constant: float | None, order: int | None) -> float | None:
    """Return C of `error = C tau^p`, from that of the ratio to the working step."""
    return None if constant is None or order is None else constant / tau**order


def _last_orders(
    climbs: Sequence[Sequence[Climb]], eps: float
) -> Float64[np.ndarray, "pair amplitude"]:
    return np.array([[last_order(c.convergence.differences, eps) for c in pair] for pair in climbs])
