"""The result of `model_continuity` and the rows it is made of."""

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

from timegrain._version import __version__
from timegrain.continuity.model.budget import ErrorBudget
from timegrain.continuity.model.options import nearest
from timegrain.continuity.model.refined import RefinedModel
from timegrain.continuity.model.roughness import is_rough, roughness_cure
from timegrain.core.outcome import Outcome


@dataclass(frozen=True, kw_only=True)
class ErrorRow:
    """Median relative error at one step: `||F_j - F*|| / ||F*||`, F* the reference.

    Args:
        amplitude: Factor of the input.
        tau: Step over the trained step, which is the working one unless an adapter says another.
        error: Median over pairs; None where the outputs have no limit and nothing else is known.
        layer: Name of the readout.
    """

    amplitude: float
    tau: float
    error: float | None
    layer: str


@dataclass(frozen=True, kw_only=True)
class OrderRow:
    """Median relative change from the step tau to half of it, and the order it shows.

    Args:
        amplitude: Factor of the input.
        tau: The coarser of the two steps over the trained step.
        difference: Median over pairs of `||F_j - F_{j+1}|| / ||F_J||`.
        order: `log2` of the ratio of this median to the next; None at the finest step and where a
            difference is zero.
        layer: Name of the readout.
    """

    amplitude: float
    tau: float
    difference: float
    order: float | None
    layer: str


@dataclass(frozen=True, kw_only=True)
class MemoryRow:
    """Median memory at one step.

    Args:
        amplitude: Factor of the input and of the bump.
        tau: Step over the trained step.
        memory: Median over pairs, in the time unit; None where outputs do not respond.
        layer: Name of the readout.
    """

    amplitude: float
    tau: float
    memory: float | None
    layer: str


@dataclass(frozen=True, kw_only=True)
class AmplitudeOutcome:
    """How the ladder ended at one amplitude.

    Args:
        amplitude: Factor of the input.
        outcome: From the median curves.
        order: Median over pairs of the last order; None if no pair has one.
        constant: Median over pairs of C in `error = C tau^p`; None where the law does not hold.
        in_law: Whether the amplitude's last order is near enough to the declared one to count.
    """

    amplitude: float
    outcome: Outcome
    order: float | None
    constant: float | None
    in_law: bool


@dataclass(frozen=True, kw_only=True, repr=False)
class ModelContinuity(RefinedModel):
    """Whether a model's outputs converge as its time grid is refined, and whether it remembers.

    A model is continuous in time if it converges **and** its memory, in time units, does not
    collapse: a recurrence that counts samples converges too, to something memoryless.
    The numbers hold for the signals measured; they say nothing about accuracy on a task.
    How it was measured stands in the fields of `RefinedModel`.

    Args:
        declared_order: Order that the model declares; None if it declares none.
        order: Median over pairs of the last observed order, at the amplitude nearest 1.
        interval: Its 95 % interval.
        levels_used: On how many of the finest levels the median orders agree.
        gci: Grid convergence index of the median differences: a bound for the relative error on
            the finest grid.
        errors: Errors by amplitude and step.
        orders: Differences and orders by amplitude and step.
        memory: Memory by amplitude and step, of the output, or of what a model that pools pools:
            its `"features"`, or a `"pooled"` sequence found in it; None if it cannot be reached.
        amplitude_exponent: Median over pairs of the slope of log C on log amplitude.
        amplitude_interval: Its 95 % interval.
        outcomes: How each amplitude ended.
        layers: Names of the readouts in the rows.
        error_budget: Errors of the numbers themselves.
        reference: What errors are against: `"ladder"`, the Richardson limit of the outputs, or
            `"ode"`, the solution of the layer's own differential equation.
        advice: What to do about the outcome, where the model says more than that does.
    """

    kind: ClassVar[str] = "model-continuity"
    schema_version: ClassVar[int] = 1

    declared_order: int | None
    order: float | None
    interval: tuple[float, float] | None
    levels_used: int
    gci: float | None
    errors: tuple[ErrorRow, ...]
    orders: tuple[OrderRow, ...]
    memory: tuple[MemoryRow, ...] | None
    amplitude_exponent: float | None
    amplitude_interval: tuple[float, float] | None
    outcomes: tuple[AmplitudeOutcome, ...]
    layers: tuple[str, ...]
    error_budget: ErrorBudget
    reference: str = "ladder"
    advice: str = ""

    @property
    def memory_seen(self) -> bool:
        """Whether the memory is known at the amplitude nearest 1."""
        main = self.amplitudes[nearest(self.amplitudes)]
        here = [row.memory for row in self.memory or () if row.amplitude == main]
        return bool(here) and None not in here

    @property
    def rough(self) -> bool:
        """Whether no order settled, or a low one, on an input rough enough to be the cause."""
        return is_rough(self.signal_order, self.outcome, self.order)

    @property
    def message(self) -> str:
        """What happened, in one clause; it promises nothing where the memory was not seen."""
        if self.outcome is Outcome.CONVERGES and not self.memory_seen:
            return (
                "outputs converge; memory was not seen, so this does not say that the model "
                "survives another rate"
            )
        if self.rough:
            return f"{self.outcome.message}; the input is rough, which limits the order"
        return self.outcome.message

    @property
    def cure(self) -> str:
        """What to do about it, in one clause."""
        if self.outcome is Outcome.CONVERGES and self.memory is None:
            return (
                "give the model a method features(x) that returns what it pools, (batch, time, "
                "channel)"
            )
        if self.rough:
            return roughness_cure(self.refine)
        return self.advice or self.outcome.cure

    @property
    def discretization(self) -> str | None:
        """How a registered layer turns its equation into steps; None where it leaves no choice.

        The layer's default is known only for results of this version.
        """
        asked = self.options.get("discretization")
        if asked is not None or self.scope == "model" or self.provenance.timegrain != __version__:
            return None if asked is None else str(asked)
        from timegrain.models import layer_options, models

        default = layer_options(self.name).get("discretization") if self.name in models else None
        return None if default is None else str(default)

    def local_exponents(self) -> tuple[tuple[float, float, float], ...]:
        """Return the slope of log C on log amplitude between neighbouring amplitudes.

        Returns:
            `(lower amplitude, higher amplitude, slope)`; amplitudes at which the law does not hold
            are left out.
        """
        known = sorted((o.amplitude, o.constant) for o in self.outcomes if o.constant)
        return tuple(
            (a, b, math.log(d / c) / math.log(b / a)) for (a, c), (b, d) in pairwise(known)
        )

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the base's, of what errors are against, and of intervals."""
        limit = "richardson1911approximate" if self.reference == "ladder" else "prince1981high"
        spread = () if self.interval is None else ("hettmansperger1986confidence",)
        return (*super().sources(), limit, *spread)

    def rows(self) -> list[dict[str, object]]:
        """Return one row per amplitude, step and readout: error, difference, order, memory."""
        table: dict[tuple[float, float, str], dict[str, object]] = {}
        parts: tuple[ErrorRow | OrderRow | MemoryRow, ...]
        parts = (*self.errors, *self.orders, *(self.memory or ()))
        for row in parts:
            key = (row.amplitude, row.tau, row.layer)
            blank = {"error": None, "difference": None, "order": None, "memory": None}
            dt = row.tau * self.dt / self.working_tau
            head = {"name": self.name, "amplitude": row.amplitude, "tau": row.tau, "dt": dt}
            entry = table.setdefault(key, {**head, "layer": row.layer, **blank})
            entry.update({k: getattr(row, k) for k in blank if hasattr(row, k)})
        return list(table.values())

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the lines people read."""
        from timegrain.continuity.model.summary import summary_lines

        return summary_lines(self)

    def at(self, amplitude: float) -> AmplitudeOutcome:
        """Return how the ladder ended at the measured amplitude nearest to `amplitude`."""
        return self.outcomes[nearest([o.amplitude for o in self.outcomes], amplitude)]
