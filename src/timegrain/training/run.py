"""The record of one training: what was trained, on what, at which strides, with what success."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from timegrain.core.references import PAPER
from timegrain.core.result import Result
from timegrain.core.table import number
from timegrain.models.sources import layer_sources
from timegrain.training.remarks import interval_text
from timegrain.training.stages import StageRow
from timegrain.training.tuning.rate import LearningRate
from timegrain.training.units import ScoredOver, tested_text
from timegrain.training.wording import count


@dataclass(frozen=True, kw_only=True)
class EpochRow:
    """One epoch.

    Args:
        epoch: 1 for the first, in the plan: a stage that ended early leaves numbers out.
        stride: Stride of the stage it belongs to.
        seconds: Training time from the start to the end of this epoch, evaluation excluded.
        train_loss: Mean loss over the samples of this epoch, at this stride.
        score: Score of the test part at stride 1 after this epoch; for watching, never for
            selecting.
        validation: Score, likewise, of what was held out of the training part; None where nothing
            was.
    """

    epoch: int
    stride: int
    seconds: float
    train_loss: float
    score: float
    validation: float | None = None


@dataclass(frozen=True, kw_only=True, repr=False)
class TrainingRun(Result):
    """A training with its history.

    Args:
        model: The network's `config`: the layer under `"name"`, and its options.
        task: Name of the task.
        seed: Seed of the order of the data, the phases and dropout; the weights have the seed in
            `model`.
        plan: `"full"` or the stages as text, such as `"8:4,4:3,1:2"`.
        stages: The stages in order.
        n_parameters: Trained numbers.
        n_train: Sequences trained on.
        n_test: Sequences scored.
        batch_size: Sequences a step, at every stride.
        dt_trained: Step that tau = 1 stands for: the step of the task, whatever the stages.
        unit: Unit of `dt_trained`.
        metric: `"accuracy"` or `"r2"`.
        trivial_score: What predicting the commonest class or the mean scores.
        score: Score of the test part at stride 1 after the last epoch, whichever was best; with
            early stopping after the epoch whose weights were kept.
        low: Lower end of the 95 % interval of `score` over what is independent in the test part;
            None with fewer than two such units.
        high: Upper end.
        seconds: Training time, evaluation excluded.
        history: One row an epoch.
        correct: `"1"` for each test sequence answered rightly and `"0"` for each other, in order,
            so that networks can be compared case by case; None where answers are not classes.
        unit_of: Number of the group or recording of each in `correct`, in order, with spaces
            between them; None where each stands for itself.
        over: What the interval is over; None in files that did not say.
        rate: How the learning rate was found; its seconds are not among those of the training.
            None where it was given.
    """

    kind: ClassVar[str] = "training-run"

    model: Mapping[str, object]
    task: str
    seed: int
    plan: str
    stages: tuple[StageRow, ...]
    n_parameters: int
    n_train: int
    n_test: int
    batch_size: int
    dt_trained: float
    unit: str
    metric: str
    trivial_score: float
    score: float
    low: float | None
    high: float | None
    seconds: float
    history: tuple[EpochRow, ...]
    correct: str | None = None
    unit_of: str | None = None
    over: ScoredOver | None = None
    rate: LearningRate | None = None

    @property
    def layer(self) -> str:
        """Name of the layer in the network."""
        return str(self.model["name"])

    @property
    def grouped(self) -> bool:
        """Whether test sequences are known to belong together."""
        return self.over is not None and self.over.grouped

    @property
    def skill(self) -> float:
        """`(score - trivial) / (1 - trivial)`: 0 for the trivial answer, 1 for a perfect one."""
        return (self.score - self.trivial_score) / (1 - self.trivial_score)

    @property
    def kept(self) -> EpochRow | None:
        """The epoch whose weights early stopping kept; None where nothing was held out.

        The first of the best; of equally good ones the first at the finest stride.
        """
        seen = [row for row in self.history if row.validation is not None]
        return max(seen, key=lambda row: (row.validation, -row.stride, -row.epoch), default=None)

    @property
    def epochs_done(self) -> tuple[int, ...]:
        """Epochs trained in each stage: fewer than planned where early stopping ended it."""
        ends = list(accumulate(stage.epochs for stage in self.stages))
        if not self.history:
            return tuple(stage.epochs for stage in self.stages)
        return tuple(
            sum(end - stage.epochs < row.epoch <= end for row in self.history)
            for stage, end in zip(self.stages, ends, strict=True)
        )

    @property
    def learned(self) -> bool:
        """Whether the score is surely above the trivial one, by the interval of the score."""
        return self.low is not None and self.low > max(self.trivial_score, 0.0)

    def score_at(self, seconds: float) -> float | None:
        """Return the score of the last epoch that ended within `seconds`, None before the first."""
        scores = [row.score for row in self.history if row.seconds <= seconds]
        return scores[-1] if scores else None

    def sources(self) -> tuple[str, ...]:
        """Return the keys of the paper, the layer and the optimiser."""
        return (PAPER, *layer_sources(self.layer), "loshchilov2019decoupled")

    def rows(self) -> list[dict[str, object]]:
        """Return one row an epoch, with what tells this run from others in each."""
        same: dict[str, object] = {
            "model": self.layer,
            "task": self.task,
            "seed": self.seed,
            "plan": self.plan,
            "metric": self.metric,
        }
        return [
            {
                **same,
                "epoch": row.epoch,
                "stride": row.stride,
                "seconds": row.seconds,
                "train_loss": row.train_loss,
                "score": row.score,
                **({} if row.validation is None else {"validation": row.validation}),
            }
            for row in self.history
        ]

    def summary_lines(self) -> list[tuple[str, str]]:
        """Return the score, what it is beside, and what it cost."""
        interval = interval_text(self.low, self.high, self.over)
        tested = tested_text(self.n_test, self.over)
        kept = self.kept
        return [
            (self.metric, f"{self.score:.3f}{interval}, {tested}"),
            ("trivial", f"{self.trivial_score:.3f}"),
            ("network", f"{self.layer}, {self.n_parameters:,} parameters"),
            ("training", f"{count(self.n_train, 'sequence')}, batches of {self.batch_size}"),
            ("stages", ", ".join(map(_stage_text, self.stages, self.epochs_done))),
            *([] if kept is None else [("weights", _kept_text(kept, len(self.history)))]),
            *([] if self.rate is None else [("rate", _rate_text(self.rate))]),
            ("time", f"{self.seconds:.1f} s, evaluation excluded"),
            ("tau = 1", f"{number(self.dt_trained)} {self.unit}"),
            ("seed", str(self.seed)),
        ]


def _stage_text(stage: StageRow, done: int) -> str:
    epochs = count(stage.epochs, "epoch")
    return f"{epochs if done == stage.epochs else f'{done} of {epochs}'} at stride {stage.stride}"


def stages_done(run: TrainingRun) -> str:
    """Return the stages as `plan` does, with the epochs done where early stopping ended one.

    Args:
        run: A training.
    """
    done = run.epochs_done
    if done == tuple(stage.epochs for stage in run.stages):
        return run.plan
    return ",".join(
        f"{s.stride}:{n}" + (f" of {s.epochs}" if n != s.epochs else "")
        for s, n in zip(run.stages, done, strict=True)
    )


def _kept_text(row: EpochRow, epochs: int) -> str:
    best = f"of epoch {row.epoch}, the best on what was held out ({row.validation:.3f})"
    return f"{best}; {count(epochs, 'epoch')} trained"


def _rate_text(rate: LearningRate) -> str:
    return f"{rate.lr:g}, found in {rate.seconds:.1f} s, not in the time"
