"""The result of `certify`."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.references import PAPER
from timegrain.core.result import Result
from timegrain.core.table import number
from timegrain.models.sources import layer_sources


@dataclass(frozen=True, kw_only=True)
class BoundRow:
    """What was proved of one channel at one step.

    Args:
        tau: Step, `dt / dt_trained`.
        channel: Number of the output channel.
        bound: Of `|y_k - y(t_k)|` at every sample, in the unit of the outputs.
        rule: The part of it that the layer's rule adds to exact integration; 0 for `zoh`, `foh`.
        size: Largest `|y_k|` of the layer, its skip term left out; the bound beside it says more
            than alone.
    """

    tau: float
    channel: int
    bound: float
    rule: float
    size: float


@dataclass(frozen=True, kw_only=True, repr=False)
class Certificate(Result):
    """Bounds of the error of a layer's sampled outputs against its system in continuous time.

    Args:
        theorem: Which one bounds the error, in words.
        dt: Step at which tau = 1, in `unit`.
        unit: Time unit.
        window: From the first to the last instant, in `unit`.
        proved: Whether the moduli of the signal are bounds; else they are estimates, and the
            certificate holds if they do.
        moduli: Where the moduli come from.
        bounds: One row a step and channel.
    """

    kind: ClassVar[str] = "certificate"

    theorem: str
    dt: float
    unit: str
    window: float
    proved: bool
    moduli: str
    bounds: tuple[BoundRow, ...]

    @property
    def taus(self) -> tuple[float, ...]:
        """The steps that were asked about."""
        return tuple(dict.fromkeys(row.tau for row in self.bounds))

    def bound(self, tau: float) -> float:
        """Return the largest bound over channels at one step, one of `taus`."""
        return max(row.bound for row in self.bounds if row.tau == tau)

    def relative(self, tau: float) -> float | None:
        """Return the largest bound over the largest output; None where all outputs are zero."""
        size = max(row.size for row in self.bounds if row.tau == tau)
        return self.bound(tau) / size if size > 0 else None

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper and of a registered layer; theorems are this package's."""
        return (PAPER, *layer_sources(self.name))

    def rows(self) -> list[dict[str, object]]:
        """Return one row a step and channel."""
        return [
            {
                "name": self.name,
                "tau": row.tau,
                "dt": row.tau * self.dt,
                "channel": row.channel,
                "bound": row.bound,
                "rule": row.rule,
                "size": row.size,
                "proved": self.proved,
            }
            for row in self.bounds
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the theorem, where the moduli come from, and a line for each step."""
        lines = [
            ("error", "|y_k - y(t_k)|, outputs at the samples against continuous time"),
            ("theorem", self.theorem),
            ("signal", f"{self.moduli}; it lasts {number(self.window)} {self._time_unit}"),
            ("outcome", f"{self.outcome.name}: {self.outcome.message}"),
        ]
        return lines + [(f"tau {number(tau)}", self._line(tau)) for tau in self.taus]

    @property
    def _time_unit(self) -> str:
        return "time units" if self.unit == "sample" else self.unit

    def _line(self, tau: float) -> str:
        rows = [row for row in self.bounds if row.tau == tau]
        worst = max(rows, key=lambda row: row.bound)
        text = f"error <= {number(worst.bound)}"
        if len(rows) > 1:
            text += f" (channel {worst.channel})"
        relative = self.relative(tau)
        text += "" if relative is None else f", {number(relative)} of the largest output"
        return f"{text}, of it {number(worst.rule)} by the rule" if worst.rule else text
