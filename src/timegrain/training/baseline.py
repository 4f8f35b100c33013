"""The baseline row of every comparison, on a task."""

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from timegrain.core.errors import DataError
from timegrain.core.outcome import Outcome
from timegrain.core.provenance import Provenance
from timegrain.core.references import PROBE
from timegrain.core.result import Result
from timegrain.training.remarks import interval_text, over_notes, trivial_notes
from timegrain.training.units import ScoredOver, ScoreUnits, score_units
from timegrain.training.wording import count

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.training.score import Score


@dataclass(frozen=True, kw_only=True, repr=False)
class BaselineScore(Result):
    """What random convolutions and a ridge score on a task, without any training loop.

    Args:
        task: Name of the task.
        seed: Seed of the kernels.
        metric: `"accuracy"` or `"r2"`.
        score: Score of the test part.
        low: Lower end of the 95 % interval over what is independent in the test part; None with
            fewer than two such units.
        high: Upper end.
        trivial_score: What predicting the commonest class or the mean scores.
        n_features: Features of the ridge.
        n_train: Sequences fitted on.
        n_test: Sequences scored.
        seconds: Time to fit and to score.
        over: What the interval is over; None in files that did not say.
    """

    kind: ClassVar[str] = "baseline-score"

    task: str
    seed: int
    metric: str
    score: float
    low: float | None
    high: float | None
    trivial_score: float
    n_features: int
    n_train: int
    n_test: int
    seconds: float
    over: ScoredOver | None = None

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the papers of random convolutions and of the ridge."""
        return PROBE

    def rows(self) -> list[dict[str, object]]:
        """Return one row."""
        names = ("task", "seed", "metric", "score", "low", "high", "trivial_score", "n_features")
        return [{name: getattr(self, name) for name in (*names, "n_train", "n_test", "seconds")}]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the score and what it is beside."""
        interval = interval_text(self.low, self.high, self.over)
        tested = count(self.n_test, "test sequence") if self.over is None else self.over.describe()
        return [
            (self.metric, f"{self.score:.3f}{interval}, {tested}"),
            ("trivial", f"{self.trivial_score:.3f}"),
            ("method", f"{self.n_features:,} random-convolution features and a ridge"),
            ("time", f"{self.seconds:.1f} s"),
            ("seed", str(self.seed)),
        ]


def baseline_score(task: "Task", seed: int = 0, *, n_features: int = 2000) -> BaselineScore:
    """Return what random convolutions and a ridge score on a task.

    Args:
        task: The task; one target a sequence.
        seed: Seed of the kernels.
        n_features: Features of the ridge, even.

    Raises:
        ConfigError: If it is no task.
        DataError: If a part is empty, there is a target for every sample, values do not vary, or
            every training sequence is of one class.
    """
    from timegrain.models.baseline.ridge_baseline import RidgeBaseline
    from timegrain.training.feasible import check_task, class_notes
    from timegrain.training.objective import Objective
    from timegrain.training.targets import is_per_sample

    check_task(task)
    if any(is_per_sample(part, task.n_outputs) for part in (task.train, task.test)):
        raise DataError(
            "the baseline answers once a sequence",
            got=f"a target for every sample, {np.shape(task.train.y)}",
            expected="one target a sequence",
            hint="cutting it into windows (window=), each with the answer at its last sample",
        )
    objective = Objective.of(task)
    for part in (task.train, task.test):
        if len(part.x) == 0 or np.ndim(part.x) != 3:
            raise DataError(
                "the baseline needs sequences",
                got=f"an array of shape {np.shape(part.x)}",
                expected="(batch, time, channel) with at least one sequence",
            )
    started = time.perf_counter()
    model = RidgeBaseline(target=task.target_kind, n_features=n_features, seed=seed)
    model.fit(np.asarray(task.train.x), objective.targets(task.train.y).numpy(), task.train.lengths)
    answers = model.predict(np.asarray(task.test.x), task.test.lengths)
    seconds = time.perf_counter() - started
    y = objective.targets(task.test.y).numpy()
    score = _score(answers, y, task.target_kind, score_units(task))
    return BaselineScore(
        name=f"random convolutions and a ridge on {task.name}, seed {seed}",
        outcome=Outcome.MEASURED,
        provenance=Provenance.collect(
            seed=seed,
            parameters={"task": task.name, **task.dataset.versioned, "n_features": n_features},
        ),
        notes=(
            *task.notes,
            *class_notes(task),
            *over_notes(score.over),
            *trivial_notes(task.metric, score.score, task.trivial_score),
        ),
        reasons=score.reasons,
        task=task.name,
        seed=seed,
        metric=task.metric,
        score=score.score,
        low=score.low,
        high=score.high,
        trivial_score=task.trivial_score,
        n_features=n_features,
        n_train=len(task.train.x),
        n_test=len(task.test.x),
        seconds=seconds,
        over=score.over,
    )


def _score(answers: np.ndarray, y: np.ndarray, target_kind: str, units: ScoreUnits) -> "Score":
    from timegrain.training.score import score_of

    if target_kind == "class":
        lost = (answers != y).astype(np.float64)
        return score_of(lost, np.ones_like(lost), one_answer=True, units=units)
    lost = ((answers.astype(np.float64) - y) ** 2).sum(-1)
    possible = ((y - y.mean(0)) ** 2).sum(-1).astype(np.float64)
    return score_of(lost, possible, one_answer=False, units=units)
