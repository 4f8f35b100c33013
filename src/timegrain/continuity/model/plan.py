"""A measurement with everything checked before any of it is run."""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.localisation.advice import where_to_look
from timegrain.continuity.model.adapters import adapt
from timegrain.continuity.model.assemble import assemble
from timegrain.continuity.model.budget import error_budget
from timegrain.continuity.model.convergence import relative
from timegrain.continuity.model.given import as_source
from timegrain.continuity.model.inputs import Inputs
from timegrain.continuity.model.introspect import input_width
from timegrain.continuity.model.ladder import Climb, climb
from timegrain.continuity.model.options import ModelOptions, nearest
from timegrain.continuity.model.registered import registered_subject
from timegrain.continuity.model.result import ModelContinuity
from timegrain.continuity.model.roughness import median_order
from timegrain.continuity.model.sources import make_inputs
from timegrain.continuity.model.subject import Subject
from timegrain.continuity.ode.reference import TOLERANCE, OwnEquation, own_equation
from timegrain.core.errors import LayoutError
from timegrain.core.outcome import Outcome
from timegrain.core.signal import Signal
from timegrain.data.signals import SignalFamily
from timegrain.data.systems.system import System
from timegrain.stats.norms import time_norm


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """What will be measured.

    Args:
        first: The first pair's model, already called on two short inputs if it is a user's.
        subject_of: The model of a pair.
        inputs: The signals.
        options: What was asked for.
        redrawn: Whether each pair has a model or a signal of its own.
        equation: What errors are taken against; None for the limit of the outputs themselves.
        model: What was passed.
        given: The signal that was, or what signals are drawn of.
    """

    first: Subject
    subject_of: Callable[[int], Subject]
    inputs: Inputs
    options: ModelOptions
    redrawn: bool
    equation: OwnEquation | None = None
    model: Any = None
    given: Any = None

    def run(self) -> ModelContinuity:
        """Return the result.

        Raises:
            ModelError: If the model fails on a finer grid.
        """
        first, inputs, opts = self.first, self.inputs, self.options
        rescale = opts.protocol == "rescale" and first.told
        pairs = range(opts.seeds if self.redrawn else inputs.n_signals or 1)
        climbs, orders = [], []
        for pair in pairs:
            climbs.append(self._climb(pair, rescale=rescale))
            orders.append(inputs.own_order(pair))  # while its samples are at hand
        budget = error_budget(first, inputs, climbs, opts=opts, rescale=rescale)
        if self.equation is not None:
            budget = dataclasses.replace(budget, reference=self._looseness(self.equation))
        found = assemble(
            first,
            inputs,
            climbs,
            budget=budget,
            signal_order=median_order(orders),
            opts=opts,
            rescale=rescale,
        )
        if found.outcome is Outcome.MEMORY_COLLAPSES and rescale:
            return dataclasses.replace(found, advice=where_to_look(self.model, dt=inputs.grid.dt))
        return found

    def _climb(self, pair: int, *, rescale: bool) -> list[Climb]:
        subject = self.first if pair == 0 else self.subject_of(pair)
        heights = self.options.amplitudes
        known = None if self.equation is None else self.equation.outputs(subject, pair, heights)
        return climb(
            subject,
            self.inputs,
            pair=pair,
            amplitudes=heights,
            rescale=rescale,
            norm=self.options.norm,
            limits=known,
        )

    def _looseness(self, equation: OwnEquation) -> float:
        """Return how far the first solution moves when its tolerance is ten times as loose."""
        main, norm = self.options.amplitudes[nearest(self.options.amplitudes)], self.options.norm
        loose, close = (
            equation.outputs(self.first, 0, (main,), tolerance=t)[0]
            for t in (10 * TOLERANCE, TOLERANCE)
        )
        return float(relative(time_norm(loose - close, norm=norm), time_norm(close, norm=norm)))


def plan(
    model: Any, options: ModelOptions, *, signal: Any = None, name: str | None = None
) -> Measurement:
    """Return the measurement of a model: all that can be checked beforehand is.

    Args:
        model: As for `model_continuity`.
        options: What is asked for.
        signal: As for `model_continuity`.
        name: What a model that is no registered name is called; None for its own name.

    Raises:
        TimegrainError: As `model_continuity` raises.
    """
    given = as_source(signal, dt=options.dt, length=options.length)
    inputs = _inputs(model, given, options)
    subject_of = _subjects(model, inputs, options, name)
    first = subject_of(0)
    return Measurement(
        first=first,
        subject_of=subject_of,
        equation=own_equation(given, inputs, first, options),
        inputs=inputs,
        options=options,
        redrawn=isinstance(model, str) or inputs.n_signals is None,
        model=model,
        given=given,
    )


def _inputs(model: Any, given: Signal | SignalFamily | System, opts: ModelOptions) -> Inputs:
    channels = given.values.shape[2] if isinstance(given, Signal) else None
    if isinstance(model, str):
        width = opts.d_input or (opts.d_model if opts.scope == "layer" else 1)
    elif isinstance(model, ModelAdapter):
        own = opts.d_input or (model.d_input if channels is None else None)
        width = input_width(model.model, d_input=own, from_signal=channels)
    else:
        width = input_width(model, d_input=opts.d_input, from_signal=channels)
    if channels is not None and opts.d_input not in (None, channels):
        raise LayoutError(
            "the signal does not fit the model",
            got=f"{channels} channels",
            expected=f"d_input={opts.d_input}",
        )
    return make_inputs(
        given,
        dt=opts.dt,
        length=opts.length,
        levels=opts.levels,
        refine=opts.refine,
        n_channels=width,
        seed=opts.seed,
        decimator=opts.decimator,
    )


def _subjects(
    model: Any, inputs: Inputs, opts: ModelOptions, name: str | None
) -> Callable[[int], Subject]:
    if not isinstance(model, str):
        samples = inputs.values(0, 0)[None].copy(), inputs.values(0, 1)[None].copy()
        subject = adapt(model, samples, name=name, dt=inputs.grid.dt)
        return lambda pair: subject
    return lambda pair: registered_subject(
        model,
        scope=opts.scope,
        d_model=opts.d_model,
        d_input=inputs.n_channels,
        options=opts.options,
        seed=opts.seed,
        pair=pair,
    )
