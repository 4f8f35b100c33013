"""One network by name: built, trained, and scored at other rates."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from timegrain.core.errors import ConfigError
from timegrain.core.output import slug
from timegrain.core.result import Result
from timegrain.models.options import one_of, refuse_set_apart, seed_number, whole
from timegrain.models.registry import models
from timegrain.study.kept_rate import keep_rate, kept_rate
from timegrain.study.progress import TrainingMoment
from timegrain.study.rate_search import search_rate, with_rate
from timegrain.training.feasible import check_coarse, check_rate, check_stages, check_task
from timegrain.training.plan.plan import SubsamplingPlan
from timegrain.training.rate_transfer import TransferCurve, check_strides, transfer
from timegrain.training.run import EpochRow, TrainingRun
from timegrain.training.stages import StageRow, plan_name

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.models.backbone.network import Backbone
    from timegrain.training.deployment.result import RateTransfer
    from timegrain.training.finetune.start import FineTuning
    from timegrain.training.finetune.tune import FineTuned
    from timegrain.training.plan.advice import PlanAdvice

Tell = Callable[[str, float | None, TrainingMoment | None], None]
HEADS = ("mean", "last", "step")
_BY_TASK = "leaving it out: the task sets it"
_SET_APART = {
    "name": "the name of the model",
    "seed": "seed=... beside them",
    "d_model": "d_model=... beside them",
    "n_layers": "n_layers=... in Python, --layers on the command line",
    "head": "head=... beside them",
    "d_input": _BY_TASK,
    "d_output": _BY_TASK,
    "vocab": _BY_TASK,
}


@dataclass(frozen=True, kw_only=True)
class TrainingJob:
    """What to train and how.

    Args:
        model: Registered name of a layer.
        stages: Stages in order.
        d_model: Width of the network.
        n_layers: Its blocks.
        head: `"mean"` or `"last"`; `"step"` for a task with a target a sample.
        options: Options of the layer.
        batch_size: Sequences a step.
        lr: Peak learning rate of all but the time scales; `"auto"` finds it with `find_lr`,
            several are those that it tries.
        strides: Rates of the transfer curve; none leaves it out.
        seed: Of the weights and of the training.
        plan: What the stages come from, where it says more than they do; it gives as many epochs.
        training: Further keywords of `train`.
        tensorboard: Directory for TensorBoard, in which the training has a folder of its label.
        start: The stored network that is trained on; `model` is then its layer, and what else is
            said of a network means nothing. The strides are over its trained step.

    Raises:
        UnknownNameError: If there is no such layer.
        ConfigError: If the name is not one of a layer, or a number is outside its domain.
    """

    model: str
    stages: tuple[StageRow, ...]
    d_model: int = 64
    n_layers: int = 2
    head: str = "mean"
    options: Mapping[str, object] = field(default_factory=dict)
    batch_size: int = 16
    lr: float | Literal["auto"] | tuple[float, ...] = 1e-2
    strides: tuple[int, ...] = (1, 2, 4)
    seed: int = 0
    plan: "SubsamplingPlan | PlanAdvice | None" = None
    training: Mapping[str, object] = field(default_factory=dict)
    tensorboard: Path | None = None
    start: "FineTuning | None" = None

    def __post_init__(self) -> None:
        if ":" in self.model:
            raise ConfigError(
                "only registered layers are trained by name",
                got=self.model,
                expected=f"one of {', '.join(models.names())}",
                hint="timegrain.train(model, task) in Python for a network of your own",
            )
        models.entry(self.model)
        for name in ("batch_size", "d_model", "n_layers"):
            whole(name, getattr(self, name), least=1)
        seed_number(self.seed)
        one_of("head", self.head, HEADS)
        for rate in self.lr if isinstance(self.lr, tuple) else (self.lr,):
            if rate != "auto":
                check_rate("lr", rate)
        if self.strides:
            check_strides(self.strides)
        refuse_set_apart(self.options, _SET_APART)

    @property
    def label(self) -> str:
        """What tells this job from others on the same task."""
        tuned = "" if self.start is None else f" {self.start.text}"
        return f"{self.model}{tuned}, {plan_name(self.stages)}, seed {self.seed}"

    def on(self, task: str) -> str:
        """Return the label with the task in it, for who waits for it.

        Args:
            task: Its name.
        """
        tuned = "" if self.start is None else f", {self.start.text}"
        return f"{self.model} on {task}{tuned}, {plan_name(self.stages)}, seed {self.seed}"

    @property
    def searches(self) -> bool:
        """Whether the learning rate is searched for."""
        return self.lr == "auto" or isinstance(self.lr, tuple)

    @property
    def taus(self) -> tuple[float, ...]:
        """What the network is told in each stage."""
        base = 1.0 if self.start is None else self.start.tau
        if self.plan is None:
            return tuple(base * row.stride for row in self.stages)
        return tuple(base * stage.told for stage in self._followed.stages)

    def check(self, task: "Task") -> None:
        """Check that the job can be done on a task, before anything is trained.

        Args:
            task: What it is for.

        Raises:
            ConfigError: As `build`, or if a stage or stride leaves too little of the sequences, or
                the device cannot compute in the precision asked for.
            DataError: If there is nothing to learn.
            MissingPackageError: If there is no TensorBoard to write for.
            ModelError: If the network does not fit into memory, or cannot be trained in parts where
                that is asked.
        """
        from timegrain.training.tensorboard_writer import need_tensorboard
        from timegrain.training.trainer.precision import check_precision
        from timegrain.training.truncated.check import check_truncation

        if self.tensorboard is not None:
            need_tensorboard()
        check_task(task)
        check_stages(task, self.stages)
        scored = task if self.start is None else self.start.recorded.task
        check_coarse(scored, self.strides, part="test", name="strides")
        network = self.build(task)
        check_precision(self.training.get("amp", False), network)
        if self.training.get("tbptt") is not None:
            check_truncation(network, self._followed)

    @property
    def _followed(self) -> SubsamplingPlan:
        """The plan that the stages come from, or are."""
        if self.plan is None:
            return SubsamplingPlan.of((row.stride, row.epochs) for row in self.stages)
        return self.plan if isinstance(self.plan, SubsamplingPlan) else self.plan.plan

    def build(self, task: "Task") -> "Backbone":
        """Return the network, untrained.

        Args:
            task: What it is for.

        Raises:
            ConfigError: If the layer has no such option, or a number is outside its domain.
        """
        from timegrain.models.build import build_model

        if self.start is not None:
            return deepcopy(self.start.checkpoint.model)
        return build_model(
            self.model,
            d_input=task.d_input,
            d_output=task.d_output,
            d_model=self.d_model,
            n_layers=self.n_layers,
            head=self.head,
            seed=self.seed,
            **self.options,  # type: ignore[arg-type]
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Trained:
    """What a job made.

    Args:
        job: The job.
        model: The trained network.
        run: The record of its training.
        curve: Its scores at other rates; None where the job has no strides.
        tuned: What it was before, where it was trained on.
    """

    job: TrainingJob
    model: "Backbone"
    run: TrainingRun
    curve: "TransferCurve | RateTransfer | None"
    tuned: "FineTuned | None" = None

    @property
    def results(self) -> tuple[Result, ...]:
        """The record, and the scores at other rates where there are any."""
        return (self.run,) if self.curve is None else (self.run, self.curve)


def carry_out(job: TrainingJob, task: "Task", tell: Tell) -> Trained:
    """Return the trained network, its record and its transfer curve.

    Args:
        job: What to train.
        task: What to train it on.
        tell: Called at the start and after each epoch with a text, the seconds left, and where the
            training is.

    Raises:
        TimegrainError: As `build_model`, `train` and `transfer` raise.
    """
    total = sum(stage.epochs for stage in job.stages)
    start = TrainingMoment(stages=job.stages, taus=job.taus, metric=task.metric)
    tell("", None, start)

    def on_epoch(row: EpochRow, seconds_left: float) -> None:
        stride = "" if row.stride == 1 else f" at stride {row.stride}"
        text = f"epoch {row.epoch} of {total}{stride}: {task.metric} {row.score:.2f}"
        tell(text, seconds_left, replace(start, row=row))

    words: dict[str, Any] = {
        "stages": job.stages if job.plan is None else None,
        "plan": job.plan,
        "epochs": None if job.plan is None else total,
        "batch_size": job.batch_size,
        "lr": job.lr,
        "seed": job.seed,
        "on_epoch": on_epoch,
        **job.training,
    }
    found = None
    if job.searches:
        found = kept_rate(job)
        if found is None:
            found = search_rate(job, task, words, lambda text: tell(text, None, start))
            keep_rate(job, found)
        words["lr"] = found.lr
    with _logged(job, task) as log:
        words |= log
        tuned = None if job.start is None else _tuned(job, job.start, words)
        done = tuned or _from_scratch(job, task, words)
    return done if found is None else replace(done, run=with_rate(done.run, found))


@contextmanager
def _logged(job: TrainingJob, task: "Task") -> Iterator[dict[str, Any]]:
    """Give the keyword of `train` that writes for TensorBoard, where the job wants it."""
    from timegrain.training.distributed.environment import leads
    from timegrain.training.tensorboard_writer import tensorboard_log

    if job.tensorboard is None or not leads():
        yield {}
        return
    with tensorboard_log(job.tensorboard / slug(f"{task.name}-{job.label}")) as log:
        yield {"log": log}


def _from_scratch(job: TrainingJob, task: "Task", words: dict[str, Any]) -> Trained:
    from timegrain.training.loop import train

    model = job.build(task)
    run = train(model, task, **words)
    curve = None
    if job.strides:
        chunk: Any = words.get("tbptt")
        curve = transfer(
            model, task, strides=job.strides, seed=job.seed, plan=run.plan, chunk=chunk
        )
    return Trained(job=job, model=model, run=run, curve=curve)


def _tuned(job: TrainingJob, start: "FineTuning", words: dict[str, Any]) -> Trained:
    from timegrain.training.finetune.tune import tune

    tuned = tune(start, **words)
    curve = tuned.rates(job.strides) if job.strides else None
    return Trained(job=job, model=tuned.model, run=tuned.run, curve=curve, tuned=tuned)
