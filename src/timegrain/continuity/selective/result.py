"""The result of `selectivity` and the rows it is made of."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from timegrain.core.outcome import Outcome
from timegrain.core.references import GRIDS, PAPER
from timegrain.core.result import Result


@dataclass(frozen=True, kw_only=True)
class DistributionRow:
    """How a quantity is distributed at one amplitude; medians over pairs of quantiles.

    Args:
        layer: Name of the selective layer in the model.
        quantity: `"delta"`, the step that is selected, over samples and channels; `"stiffness"`,
            `|lambda| Delta`, over samples, channels and states; `"memory"`, its inverse in time
            units; `"swing"`, over channels, the 95th over the 5th percentile of `Delta` in time.
        amplitude: Factor of the input.
        low: 5th percentile.
        lower: 25th.
        median: 50th.
        upper: 75th.
        high: 95th.
        above_one: Share above 1 of a stiffness, whose mode a step does not resolve; else None.
    """

    layer: str
    quantity: str
    amplitude: float
    low: float
    lower: float
    median: float
    upper: float
    high: float
    above_one: float | None = None


@dataclass(frozen=True, kw_only=True)
class ChannelRow:
    """The steps that one channel of the first pair's model selects, at the amplitude nearest 1.

    Args:
        layer: Name of the selective layer.
        channel: Its number.
        low: 5th percentile of `Delta` over time.
        median: 50th.
        high: 95th.
    """

    layer: str
    channel: int
    low: float
    median: float
    high: float


@dataclass(frozen=True, kw_only=True)
class HeldRow:
    """What is left of the amplitude law when a part of the selection is held.

    Args:
        discretization: Of B.
        held: `"nothing"`, `"delta"`, `"B"`, `"C"` or `"all"`.
        order: Median over pairs of the last order at the amplitude nearest 1.
        exponent: Slope of log C on log amplitude; None where the law does not hold.
        exponent_low: Lower end of its 95 % interval; None with fewer than 20 pairs.
        exponent_high: Upper end.
        theory: The exponent that theory gives; None where it gives none.
        reason: Why there is no exponent; empty if there is one.
    """

    discretization: str
    held: str
    order: float | None
    exponent: float | None
    exponent_low: float | None
    exponent_high: float | None
    theory: float | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True)
class HeldError:
    """Error and memory at one amplitude when a part of the selection is held.

    Args:
        discretization: Of B.
        held: As in `HeldRow`.
        amplitude: Factor of the input.
        error: At tau = 1, relative to the limit of the same held model.
        memory: At tau = 1, by twin inputs, in time units.
        finest_memory: At the finest step.
        outcome: How the ladder ended.
    """

    discretization: str
    held: str
    amplitude: float
    error: float | None
    memory: float | None
    finest_memory: float | None
    outcome: Outcome


@dataclass(frozen=True, kw_only=True, repr=False)
class Selectivity(Result):
    """What selective layers select, and which part of it their errors come from.

    A part is held at its mean over the signal at the amplitude nearest 1, for all amplitudes and
    steps, and the model is refined as in `model_continuity`. An error is relative to the limit of
    the model it belongs to: what is compared is how each converges, not where to.

    Args:
        scope: `"layer"`, `"network"`, or `"model"` for a module that was passed.
        norm: `"sup"` or `"rms"`.
        signal: What the input is.
        options: Options of a registered layer.
        dt: Working step, at which tau = 1.
        unit: Time unit.
        length: Samples of the working grid.
        levels: Halvings of the step.
        n_pairs: Pairs of a model and a signal.
        amplitudes: Factors of the input.
        own_discretization: The one of the model as it was built, whose numbers the distributions
            are.
        distributions: Of steps, stiffness and memory.
        channels: Steps by channel.
        attribution: The amplitude law by what is held.
        errors: Errors and memory by what is held and amplitude.
    """

    kind: ClassVar[str] = "selectivity"
    schema_version: ClassVar[int] = 1

    scope: str
    norm: str
    signal: str
    options: Mapping[str, object] = field(default_factory=dict)
    dt: float
    unit: str
    length: int
    levels: int
    n_pairs: int
    amplitudes: tuple[float, ...]
    own_discretization: str
    distributions: tuple[DistributionRow, ...]
    channels: tuple[ChannelRow, ...]
    attribution: tuple[HeldRow, ...]
    errors: tuple[HeldError, ...]

    @property
    def discretizations(self) -> tuple[str, ...]:
        """The discretisations of B that were measured, the model's own first."""
        return tuple(dict.fromkeys(row.discretization for row in self.attribution))

    @property
    def layers(self) -> tuple[str, ...]:
        """Names of the selective layers, the first that is called first."""
        return tuple(dict.fromkeys(row.layer for row in self.distributions))

    @property
    def time_unit(self) -> str:
        """The unit of times and of memory, for people."""
        return "time units" if self.unit == "sample" else self.unit

    def law(self, discretization: str, held: str) -> HeldRow:
        """Return what is left of the amplitude law when a part is held.

        Args:
            discretization: Of B.
            held: As in `HeldRow`.
        """
        rows = (r for r in self.attribution if (r.discretization, r.held) == (discretization, held))
        return next(rows)

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper, of orders of convergence, and of the selective layer."""
        return (PAPER, *GRIDS, "gu2023mamba")

    def rows(self) -> list[dict[str, object]]:
        """Return the distributions, then channels, then errors with the law of what is held."""
        table: list[dict[str, object]] = [
            {"part": "distribution", **vars(row)} for row in self.distributions
        ]
        table += [{"part": "channel", **vars(row)} for row in self.channels]
        for error in self.errors:
            law = vars(self.law(error.discretization, error.held))
            table.append({"part": "held", **vars(error), **law, "outcome": error.outcome.name})
        columns = dict.fromkeys(name for row in table for name in row)
        return [{"name": self.name, **{c: row.get(c) for c in columns}} for row in table]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the lines people read."""
        from timegrain.continuity.selective.summary import summary_lines

        return summary_lines(self)
