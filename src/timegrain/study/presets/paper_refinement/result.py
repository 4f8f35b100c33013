"""The result of the study `paper-refinement`."""

from dataclasses import dataclass
from typing import ClassVar

from timegrain.core.errors import ConfigError
from timegrain.core.references import PAPER
from timegrain.core.result import Result
from timegrain.models.sources import layer_sources
from timegrain.study.presets.paper_refinement.words import lines


@dataclass(frozen=True, kw_only=True)
class WatchedSystem:
    """A system whose parameters are to be told.

    Args:
        name: As in the names of tasks.
        title: What its cases are.
        answers: The parameters.
        rough: Whether a trajectory is a random path, nowhere differentiable.
        dt: Step at tau 1, in the system's time.
        trivial_score: Score of the mean of the training answers.
    """

    name: str
    title: str
    answers: tuple[str, ...]
    rough: bool
    dt: float
    trivial_score: float


@dataclass(frozen=True, kw_only=True)
class RefinementCell:
    """The score of one kind of network on one system, at one step.

    Args:
        task: Name of the system.
        model: Name of the layer.
        tau: Step in units of the trained one.
        told: Whether the networks were told it; else they were told 1.
        score: Mean over the networks.
        low: Lower end of its 95 % interval, for other trajectories and other networks; None for
            fewer than two trajectories.
        high: Upper end.
        by_seed: Score of each network.
        change: Score less the score at tau 1, of the same networks on the same trajectories; None
            at tau 1.
        change_low: Lower end of its 95 % interval.
        change_high: Upper end.
    """

    task: str
    model: str
    tau: float
    told: bool
    score: float
    low: float | None
    high: float | None
    by_seed: tuple[float, ...]
    change: float | None
    change_low: float | None
    change_high: float | None


@dataclass(frozen=True, kw_only=True, repr=False)
class PaperRefinement(Result):
    """Scores of networks that were trained at one rate, on the same trajectories at others.

    Every grid spans the same time. A change says what a network does with another grid: it joins
    what the network cannot do there with what a coarser grid no longer shows.

    Args:
        metric: `"r2"`, of the parameters in units of their deviation.
        length: Samples of a trajectory at tau 1.
        n_train: Trajectories to train on.
        n_test: Trajectories that are scored, the same for all networks and at all steps.
        epochs: Of each training.
        noise: Size of the noise with which the smooth systems are observed, in deviations.
        seeds: Of the networks.
        systems: What was watched.
        scores: One cell a system, network, step and telling.
        seconds: Processor time of all trainings and their scoring.
    """

    kind: ClassVar[str] = "paper-refinement"

    metric: str
    length: int
    n_train: int
    n_test: int
    epochs: int
    noise: float
    seeds: tuple[int, ...]
    systems: tuple[WatchedSystem, ...]
    scores: tuple[RefinementCell, ...]
    seconds: float

    @property
    def taus(self) -> tuple[float, ...]:
        """The steps, ascending."""
        return tuple(sorted({cell.tau for cell in self.scores}))

    @property
    def models(self) -> tuple[str, ...]:
        """The layers, in the order in which they were measured."""
        return tuple(dict.fromkeys(cell.model for cell in self.scores))

    def row(self, task: str, model: str, *, tau: float, told: bool = True) -> RefinementCell:
        """Return one cell of the scores.

        Raises:
            ConfigError: If it was not measured.
        """
        key = (task, model, tau, told)
        for c in self.scores:
            if (c.task, c.model, c.tau, c.told) == key:
                return c
        raise ConfigError("no such cell was measured", got=key, expected="one of rows()")

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper, the layers and the optimiser."""
        layers = [key for model in self.models for key in layer_sources(model)]
        return (PAPER, *layers, "loshchilov2019decoupled")

    def rows(self) -> list[dict[str, object]]:
        """Return one row a system, network, step and telling."""
        return [
            {
                "task": c.task,
                "model": c.model,
                "tau": c.tau,
                "told": c.told,
                "metric": self.metric,
                "score": c.score,
                "low": c.low,
                "high": c.high,
                "lowest_seed": min(c.by_seed),
                "highest_seed": max(c.by_seed),
                "n_seeds": len(c.by_seed),
                "change": c.change,
                "change_low": c.change_low,
                "change_high": c.change_high,
            }
            for c in self.scores
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return each network's scores on each system, and a conclusion from the numbers."""
        return lines(self)
