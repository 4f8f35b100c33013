"""One stored network on one task: its rows at a rate."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from timegrain.continuity.retention.filtered import Unusable
from timegrain.training.deployment.drop import Drop, paired_drop
from timegrain.training.deployment.inputs import network_batch, objective_of
from timegrain.training.deployment.recorded import RecordedTask
from timegrain.training.deployment.result import RateScore
from timegrain.training.objective import Objective
from timegrain.training.score import Score, score_of, shortfalls
from timegrain.training.units import ScoreUnits, score_units

if TYPE_CHECKING:
    from timegrain.training.batch import Batch
    from timegrain.training.checkpoint import Checkpoint


@dataclass
class Scorer:
    """Scores one network on one task, each input and telling once.

    Args:
        checkpoint: The network.
        recorded: The task.
    """

    checkpoint: "Checkpoint"
    recorded: RecordedTask
    units: ScoreUnits = field(init=False)
    objective: Objective = field(init=False)
    reference: np.ndarray = field(init=False)
    possible: np.ndarray = field(init=False)
    reference_score: float = field(init=False)

    def __post_init__(self) -> None:
        task = self.recorded.task
        self.units = score_units(task)
        self.objective = objective_of(self.checkpoint.record, task)
        batch = self._batch(self.recorded.thinned(1))
        self.reference, self.possible = shortfalls(
            self.checkpoint.model, batch, self.objective, tau=1.0
        )
        self.reference_score = self._score(self.reference).score

    def rows(self, stride: float) -> list[RateScore]:
        """Return the rows of a rate."""
        takes_tau = bool(self.checkpoint.model.takes_tau)
        if stride == 1:
            return [self._row(1, takes_tau, "phase", self.reference)]
        made = []
        for way in ("phase", "fir"):
            batch, why = None, ""
            try:
                source = self.recorded.thinned if way == "phase" else self.recorded.filtered
                batch = self._batch(source(stride))
            except Unusable as error:
                why = str(error)
            for told in (True, False) if takes_tau else (False,):
                if batch is None:
                    made.append(_unmeasured(stride, told, way, why))
                    continue
                lost, _ = shortfalls(
                    self.checkpoint.model,
                    batch,
                    self.objective,
                    tau=float(stride) if told else 1.0,
                )
                made.append(self._row(stride, told, way, lost))
        return made

    def _row(self, stride: float, told: bool, way: str, lost: np.ndarray) -> RateScore:
        score = self._score(lost)
        drop = (
            Drop(value=0.0, low=0.0, high=0.0)
            if stride == 1
            else paired_drop(
                self.reference,
                lost,
                self.possible,
                units=self.units,
                one_answer=self._one_answer,
            )
        )
        return RateScore(
            stride=stride,
            tau_told=float(stride) if told else 1.0,
            told=told,
            decimator=way,
            score=score.score,
            low=score.low,
            high=score.high,
            drop=drop.value,
            drop_low=drop.low,
            drop_high=drop.high,
            reason="" if score.low is not None else score.over.why_none,
        )

    @property
    def _one_answer(self) -> bool:
        return self.objective.target_kind == "class"

    def _score(self, lost: np.ndarray) -> Score:
        return score_of(lost, self.possible, one_answer=self._one_answer, units=self.units)

    def _batch(self, sequences: list[np.ndarray]) -> "Batch":
        return network_batch(
            sequences, self.recorded.task, self.objective, self.checkpoint.record.inputs
        )


def _unmeasured(stride: float, told: bool, way: str, why: str) -> RateScore:
    return RateScore(
        stride=stride,
        tau_told=float(stride) if told else 1.0,
        told=told,
        decimator=way,
        score=None,
        low=None,
        high=None,
        drop=None,
        drop_low=None,
        drop_high=None,
        reason=why,
    )
