"""From what all pairs show at every site to one row per module, and to the first that loses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from timegrain.continuity.localisation.ascent import Ascent
from timegrain.continuity.localisation.result import ModuleRow
from timegrain.continuity.localisation.sites import Site, Sites
from timegrain.continuity.model.amplitude import amplitude_constant, amplitude_slope
from timegrain.continuity.model.convergence import (
    NO_LIMIT,
    Convergence,
    classify,
    convergence_outcome,
    last_order,
    nearest_whole,
)
from timegrain.continuity.model.curves import Curves
from timegrain.continuity.model.introspect import declared_order
from timegrain.continuity.model.medians import median_interval, median_or_none
from timegrain.continuity.model.options import ModelOptions, nearest
from timegrain.continuity.model.refined import ratio_text
from timegrain.continuity.model.scripted import class_name
from timegrain.core.outcome import Outcome
from timegrain.core.table import number

Pairs = Sequence[Mapping[Site, list[Ascent]]]


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How a sequence ends at the amplitude nearest 1: as a model does, and memory aside."""

    outcome: Outcome
    convergence: Outcome

    @property
    def collapses(self) -> bool:
        """Whether its memory does."""
        return self.outcome is Outcome.MEMORY_COLLAPSES

    @property
    def unlimited(self) -> bool:
        """Whether its values have no limit."""
        return self.convergence in NO_LIMIT


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Makes rows.

    Args:
        sites: What was followed.
        named: The modules by name.
        pairs: What each pair shows.
        opts: What was asked for.
        window: T, in time units.
        eps: Relative spacing below which differences are rounding.
    """

    sites: Sites
    named: Mapping[str, Any]
    pairs: Pairs
    opts: ModelOptions
    window: float
    eps: float

    def rows(self) -> tuple[ModuleRow, ...]:
        """Return the rows of modules that all pairs could follow."""
        known = [name for name, site in self.sites.outputs.items() if self._known(site)]
        return tuple(self._row(name, position) for position, name in enumerate(known, start=1))

    def _known(self, site: Site) -> bool:
        return all(site in pair for pair in self.pairs)

    def _row(self, name: str, position: int) -> ModuleRow:
        site, module = self.sites.outputs[name], self.named[name]
        declared, main = declared_order(module), nearest(self.opts.amplitudes)
        ladders = [[a.climb.convergence for a in pair[site]] for pair in self.pairs]
        lasts = [last_order(ladder[main].differences, self.eps) for ladder in ladders]
        order = median_or_none(np.array(lasts))
        theory = declared or nearest_whole(np.nan if order is None else order)
        standing = self._standing(site, declared)
        memory = Curves.of([pair[site][main].climb for pair in self.pairs]).memory
        first, last = (None, None) if memory is None else (_finite(m) for m in memory[[0, -1]])
        return ModuleRow(
            position=position,
            module=name,
            type=class_name(module),
            shape=site.shape,
            outcome=standing.outcome,
            convergence=standing.convergence,
            order=order,
            interval=median_interval(np.array(lasts, dtype=np.float64)),
            change=median_or_none(np.array([pair[site][main].change for pair in self.pairs])),
            memory=first,
            memory_finest=last,
            memory_ratio=last / first if first and last is not None else None,
            amplitude_exponent=self._exponent(ladders, theory),
            loses=self._loss(name, standing),
        )

    def _exponent(
        self, ladders: Sequence[Sequence[Convergence]], theory: int | None
    ) -> float | None:
        """Return the median slope over pairs, where two amplitudes follow the law at least."""
        if theory is None:
            return None
        constants = np.array(
            [[amplitude_constant(x, order=theory, eps=self.eps) for x in pair] for pair in ladders]
        )
        if (np.isfinite(constants).mean(axis=0) >= 0.5).sum() < 2:
            return None
        slopes = [amplitude_slope(self.opts.amplitudes, row) for row in constants]
        return median_or_none(np.array(slopes))

    def _standing(self, site: Site, declared: int | None) -> Standing:
        main = nearest(self.opts.amplitudes)
        curves = Curves.of([pair[site][main].climb for pair in self.pairs])
        return Standing(
            outcome=classify(
                curves.differences,
                curves.cosines,
                curves.memory,
                window=self.window,
                declared=declared,
                eps=self.eps,
                noise=curves.noise,
            ),
            convergence=convergence_outcome(
                curves.differences, curves.cosines, declared=declared, eps=self.eps
            ),
        )

    def _loss(self, name: str, standing: Standing) -> str:
        before = [self._standing(s, None) for s in self.sites.inputs[name] if self._known(s)]
        if standing.collapses and not any(s.collapses for s in before):
            return "memory"
        if standing.unlimited and not any(s.unlimited for s in before):
            return "convergence"
        return ""


def first_loss(rows: Sequence[ModuleRow]) -> ModuleRow | None:
    """Return the first module that loses continuity, in the order in which calls end."""
    return next((row for row in rows if row.loses), None)


def because(
    first: ModuleRow | None, rows: Sequence[ModuleRow], *, tau: float, levels: int, unit: str
) -> str:
    """Return why a module is named, in a sentence.

    Args:
        first: The module; None if there is none.
        rows: All modules measured.
        tau: Of the working grid.
        levels: J.
        unit: Time unit.
    """
    if first is None:
        return "No module that was measured loses its memory or its limit."
    if first.loses == "memory":
        text = (
            f"its memory falls from {number(first.memory)} {_time_unit(unit)} at tau "
            f"{ratio_text(tau)} to {number(first.memory_finest, 2)} at tau "
            f"{ratio_text(tau / 2**levels)}, and that of what it takes "
            "does not collapse"
        )
    else:
        text = (
            f"{first.convergence.message} ({first.convergence.name}), and what it takes has a limit"
        )
    prefix = f"{first.module}." if first.module else ""
    within = any(r.module.startswith(prefix) and r is not first for r in rows)
    where = (
        "; none of its submodules that were measured does this by itself, so that it is lost in "
        "what the module computes beside them, or in one that was skipped"
    )
    return f"{text[:1].upper()}{text[1:]}{where if within else ''}."


def _time_unit(unit: str) -> str:
    return "time units" if unit == "sample" else unit


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
