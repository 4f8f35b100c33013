"""The models whose selection is looked at: newly seeded ones of a name, or one that was passed."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from timegrain.continuity.model.options import ModelOptions, nearest
from timegrain.continuity.model.plan import Measurement, plan
from timegrain.continuity.model.registered import as_subject, registered_model
from timegrain.continuity.model.result import ModelContinuity
from timegrain.continuity.model.subject import Subject
from timegrain.continuity.selective.held import Means, hold
from timegrain.continuity.selective.layers import Selected, selected

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True, eq=False)
class Population:
    """Models with the signals that they meet.

    Args:
        model: A registered name, or a module in float64.
        name: For results.
        options: Of the ladder.
        signal: As for `model_continuity`.
    """

    model: "str | torch.nn.Module"
    name: str
    options: ModelOptions
    signal: Any = None

    @cached_property
    def planned(self) -> Measurement:
        """The measurement of the models as they are, checked."""
        return plan(self.model, self.options, signal=self.signal, name=self.name)

    @property
    def n_pairs(self) -> int:
        """Pairs of a model and a signal."""
        planned = self.planned
        return self.options.seeds if planned.redrawn else planned.inputs.n_signals or 1

    @property
    def middle(self) -> float:
        """The amplitude nearest 1, at whose means parts are held."""
        return self.options.amplitudes[nearest(self.options.amplitudes)]

    def of_pair(self, pair: int) -> "torch.nn.Module":
        """Return the model of a pair."""
        return self._built(pair)[0] if isinstance(self.model, str) else self.model

    def selected(self, pair: int, amplitude: float) -> tuple[Selected, ...]:
        """Return what a pair's model selects for its signal on the working grid.

        Args:
            pair: Number of the pair.
            amplitude: Factor of the signal.
        """
        return selected(self.of_pair(pair), self._signals([pair], amplitude))

    def measure(self, parts: Sequence[str], discretization: str) -> ModelContinuity:
        """Return the ladder of the models with some parts of their selection held.

        Args:
            parts: Of `"delta"`, `"B"` and `"C"`.
            discretization: Of B.
        """
        if not isinstance(self.model, str):
            means = self._means(self.model, list(range(self.n_pairs)), discretization)
            held = hold(self.model, parts, means, discretization=discretization)
            return plan(held, self.options, signal=self.signal, name=self.name).run()

        def subject_of(pair: int) -> Subject:
            model, notes = self._built(pair)
            means = self._means(model, [pair], discretization)
            held = hold(model, parts, means, discretization=discretization)
            return as_subject(self.name, held, notes)

        return dataclasses.replace(self.planned, first=subject_of(0), subject_of=subject_of).run()

    @cached_property
    def _built(self) -> Any:
        name, inputs, opts = str(self.model), self.planned.inputs, self.options

        @cache
        def build(pair: int) -> "tuple[torch.nn.Module, tuple[str, ...]]":
            return registered_model(
                name,
                scope=opts.scope,
                d_model=opts.d_model,
                d_input=inputs.n_channels,
                options=opts.options,
                seed=opts.seed,
                pair=pair,
            )

        return build

    def _means(self, model: "torch.nn.Module", pairs: list[int], discretization: str) -> Means:
        live = hold(model, (), {}, discretization=discretization)
        return {s.name: s.means() for s in selected(live, self._signals(pairs, self.middle))}

    def _signals(self, pairs: list[int], amplitude: float) -> np.ndarray:
        return amplitude * np.stack([self.planned.inputs.values(pair, 0) for pair in pairs])
