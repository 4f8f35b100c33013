"""A stored network at slower rates, and the cheapest of them that is good enough."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.references import PAPER
from timegrain.core.result import Result
from timegrain.models.sources import layer_sources
from timegrain.training.units import ScoredOver


@dataclass(frozen=True, kw_only=True)
class RateScore:
    """One rate, one way to make it, told or not told.

    Args:
        stride: Step of the samples over that of the training.
        tau_told: The step ratio the network was told.
        told: Whether it was told the true one.
        decimator: `"phase"`, samples dropped as they are, or `"fir"`, behind the anti-aliasing
            filter (`fir_resample` where the stride is no whole number).
        score: Score of the test part; None where it could not be measured.
        low: Lower end of its 95 % interval.
        high: Upper end.
        drop: Score at the trained rate less this one.
        drop_low: Lower end of the drop's 95 % interval, over the same cases in pairs.
        drop_high: Upper end.
        reason: Why there is no score or no interval; empty where there is one.
    """

    stride: float
    tau_told: float
    told: bool
    decimator: str
    score: float | None
    low: float | None
    high: float | None
    drop: float | None
    drop_low: float | None
    drop_high: float | None
    reason: str = ""


@dataclass(frozen=True, kw_only=True, repr=False)
class RateTransfer(Result):
    """What a stored network scores at slower rates, and the cheapest rate that is good enough.

    Args:
        model: The network's `config`.
        task: Name of the task.
        takes_tau: Whether the network can be told its step.
        dt_trained: Step that tau = 1 stands for.
        unit: Unit of `dt_trained`.
        hz: Trained rate in samples a second; None where the step is not known in seconds.
        metric: `"accuracy"` or `"r2"`.
        trivial_score: What predicting the commonest class or the mean scores.
        n_test: Sequences scored.
        over: What the intervals are over.
        score: At the trained rate.
        low: Lower end of its 95 % interval.
        high: Upper end.
        tolerance: The drop that is allowed, in units of the score.
        stride: The cheapest rate within the tolerance, as a stride; None where that is
            unknown.
        scores: One row for each rate, way and telling.
    """

    kind: ClassVar[str] = "rate-transfer"

    model: Mapping[str, object]
    task: str
    takes_tau: bool
    dt_trained: float
    unit: str
    hz: float | None
    metric: str
    trivial_score: float
    n_test: int
    over: ScoredOver
    score: float
    low: float | None
    high: float | None
    tolerance: float
    stride: float | None
    scores: tuple[RateScore, ...]

    @property
    def layer(self) -> str:
        """Name of the layer in the network."""
        return str(self.model["name"])

    def row(self, stride: float, *, told: bool, decimator: str = "phase") -> RateScore | None:
        """Return one row, None if there is no such one."""
        wanted = (stride, told, decimator)
        found = [r for r in self.scores if (r.stride, r.told, r.decimator) == wanted]
        return found[0] if found else None

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper, the layer, and intervals of a drop."""
        pairs = ("agresti2005simple",) if self.metric == "accuracy" else ()
        return (PAPER, *layer_sources(self.layer), *pairs)

    def rows(self) -> list[dict[str, object]]:
        """Return one row for each rate, way and telling."""
        return [
            {
                "model": self.layer,
                "task": self.task,
                "metric": self.metric,
                "stride": r.stride,
                "dt": r.stride * self.dt_trained,
                "hz": None if self.hz is None else self.hz / r.stride,
                "decimator": r.decimator,
                "tau_told": r.tau_told,
                "told": r.told,
                "score": r.score,
                "low": r.low,
                "high": r.high,
                "drop": r.drop,
                "drop_low": r.drop_low,
                "drop_high": r.drop_high,
                "reason": r.reason,
            }
            for r in self.scores
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the cheapest rate, then one line a row."""
        from timegrain.training.deployment.summary import summary_lines

        return summary_lines(self)
