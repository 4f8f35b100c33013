"""A model that cures are tried on: measured once before, and after each."""

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from timegrain.continuity.adapter.model_adapter import ModelAdapter
from timegrain.continuity.localisation.find import check_levels, find
from timegrain.continuity.localisation.result import Localisation
from timegrain.continuity.model.convergence import relative
from timegrain.continuity.model.how_refined import how_refined
from timegrain.continuity.model.medians import few_pairs
from timegrain.continuity.model.options import nearest
from timegrain.continuity.model.plan import Measurement, plan
from timegrain.continuity.model.registered import as_subject, registered_model
from timegrain.continuity.model.result import ModelContinuity
from timegrain.continuity.model.subject import Subject
from timegrain.continuity.remedies.adapted import cured_adapter
from timegrain.continuity.remedies.cures import check_cures, cured
from timegrain.continuity.remedies.dilatable import check_module, dilatable
from timegrain.continuity.remedies.result import Remedied, Remedy
from timegrain.continuity.remedies.rows import model_row, module_rows, remedy_errors
from timegrain.models.dilated import Dilated
from timegrain.stats.norms import time_norm


@dataclass(frozen=True)
class Seen:
    """What the instrument says of a model, and of the modules in it."""

    whole: ModelContinuity
    parts: Localisation


class Patient:
    """A model, what is to be measured of it, and what it shows untreated.

    Args:
        model: As for `model_continuity`, with modules in it.
        measurement: Of it, as `plan` returns it.
        signal: That it was planned with.

    Raises:
        ConfigError: If there are fewer than three levels.
    """

    def __init__(self, model: Any, measurement: Measurement, *, signal: Any = None) -> None:
        check_levels(measurement.options.levels)
        self.model, self.measurement, self.signal = model, measurement, signal
        self.opts = measurement.options

    @cached_property
    def before(self) -> Seen:
        """What is measured untreated."""
        return _seen(self.measurement)

    def check(self, cure: str, *, delta_max: float) -> None:
        """Raise as `treated` does where a cure does not apply, and measure nothing."""
        self._measurement(_names(cure), delta_max)

    def treated(self, cure: str, *, delta_max: float) -> Remedied:
        """Return the cured copy, and what was measured before and after.

        Args:
            cure: A name, or several with `+` between.
            delta_max: Of the cure `"clamp"`.

        Raises:
            ConfigError: If a cure is unknown or does not go with another.
            ModelError: If a cure does not apply.
        """
        names = _names(cure)
        measurement, model, changed = self._measurement(names, delta_max)
        before, after = self.before, _seen(measurement)
        own = model.model if isinstance(model, ModelAdapter) else model
        wrapped = "model." if isinstance(own, Dilated) else ""
        effect = Remedy(
            **self._how(measurement, after.whole, cure=cure, delta_max=delta_max),
            outcome=after.whole.outcome,
            cure="+".join(names),
            does=tuple(c.does for c in check_cures(names)),
            delta_max=delta_max if "clamp" in names else None,
            changed=changed,
            stages=(
                model_row("before", before.whole),
                *module_rows("before", before.parts, changed),
                model_row("after", after.whole),
                *module_rows("after", after.parts, changed, prefix=wrapped),
            ),
            errors=remedy_errors(before.whole, after.whole),
            shift=_shift(self.measurement, measurement),
            protocol_before=before.whole.protocol,
            reasons=few_pairs(after.whole.n_pairs, redrawn=self.measurement.redrawn),
            notes=tuple(_notes(before.whole, after.whole, own)),
        )
        return Remedied(model, effect)

    def _how(
        self, cured_one: Measurement, seen: ModelContinuity, *, cure: str, delta_max: float
    ) -> dict[str, Any]:
        """Return the fields that say how the cured model was measured."""
        own = self.measurement.first  # a result is of the model that was passed
        first = dataclasses.replace(
            cured_one.first, name=own.name, source=own.source, settings=own.settings
        )
        rescale = seen.protocol == "rescale"
        shared = how_refined(
            first,
            cured_one.inputs,
            self.opts,
            rescale=rescale,
            n_pairs=seen.n_pairs,
            signal_order=seen.signal_order,
        )
        asked = {"cure": cure, "delta_max": delta_max, **shared["provenance"].parameters}
        return shared | {"provenance": dataclasses.replace(shared["provenance"], parameters=asked)}

    def _measurement(
        self, names: list[str], delta_max: float
    ) -> tuple[Measurement, Any, tuple[str, ...]]:
        if isinstance(self.model, str):
            return self._named(names, delta_max)
        adapter = self.model if isinstance(self.model, ModelAdapter) else None
        own = check_module(self.model)
        if "dilate" in names:
            dilatable(self.model, dt=self.measurement.inputs.grid.dt)
        given: Any
        if adapter is None:
            given, changed = cured(own, names, delta_max=delta_max)
        else:
            given, changed = cured_adapter(adapter, names, delta_max=delta_max)
        name = self.measurement.first.name
        measurement = plan(given, self.opts, signal=self.signal, name=name)
        return measurement, given, changed

    def _named(
        self, names: list[str], delta_max: float
    ) -> tuple[Measurement, Any, tuple[str, ...]]:
        opts, inputs, layer = self.opts, self.measurement.inputs, self.model

        def treated(pair: int) -> tuple[Any, tuple[str, ...], tuple[str, ...]]:
            model, notes = registered_model(
                layer,
                scope=opts.scope,
                d_model=opts.d_model,
                d_input=inputs.n_channels,
                options=opts.options,
                seed=opts.seed,
                pair=pair,
            )
            return (*cured(model, names, delta_max=delta_max), notes)

        def subject_of(pair: int) -> Subject:
            model, _, notes = treated(pair)
            return as_subject(layer, model, notes)

        model, changed, notes = treated(0)
        measurement = dataclasses.replace(
            self.measurement, first=as_subject(layer, model, notes), subject_of=subject_of
        )
        return measurement, model, changed


def _seen(measurement: Measurement) -> Seen:
    return Seen(measurement.run(), find(measurement))


def _notes(before: ModelContinuity, after: ModelContinuity, own: Any) -> Iterator[str]:
    """Iterate what a reader has to see; what holds of one of the two measurements says of which."""
    yield from (note for note in before.notes if note in after.notes)
    yield from (f"Before: {note}" for note in before.notes if note not in after.notes)
    yield from (f"After: {note}" for note in after.notes if note not in before.notes)
    if isinstance(own, Dilated) and not own.tells and before.protocol != after.protocol:
        yield "After: the convolutions alone are told the step, not the rest of the model."


def _names(cure: str) -> list[str]:
    names = [word.strip() for word in cure.split("+")]
    check_cures(names)
    return names


def _shift(before: Measurement, after: Measurement) -> float:
    """Return how far the cured model's output on the working grid is from the model's."""
    amplitudes = before.options.amplitudes
    amplitude = amplitudes[nearest(amplitudes)]
    x = amplitude * before.inputs.values(0, 0)[None]
    was, now = (m.first.run(x, 1.0)["output"] for m in (before, after))
    norm = before.options.norm
    size = time_norm(was, norm=norm)
    return float(relative(time_norm(now - was, norm=norm), size)[0])
