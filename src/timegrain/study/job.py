"""One network by name: built, trained, scored at other rates, and stored."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from timegrain.core.output import slug
from timegrain.core.result import Result
from timegrain.study.progress import Progress, ProgressEvent, ignore
from timegrain.training.rate_transfer import TransferCurve, transfer
from timegrain.training.run import EpochRow, TrainingRun
from timegrain.training.stages import StageRow, plan_name

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.models.backbone import Backbone

Tell = Callable[[str, float | None], None]


@dataclass(frozen=True, kw_only=True)
class TrainingJob:
    """What to train and how.

    Args:
        model: Registered name of a layer.
        stages: Stages in order.
        d_model: Width of the network.
        n_layers: Its blocks.
        head: `"mean"` or `"last"`.
        options: Options of the layer.
        batch_size: Sequences a step.
        lr: Peak learning rate of all but the time scales.
        strides: Rates of the transfer curve; none leaves it out.
        seed: Of the weights and of the training.
    """

    model: str
    stages: tuple[StageRow, ...]
    d_model: int = 64
    n_layers: int = 2
    head: str = "mean"
    options: Mapping[str, object] = field(default_factory=dict)
    batch_size: int = 16
    lr: float = 1e-2
    strides: tuple[int, ...] = (1, 2, 4)
    seed: int = 0

    @property
    def label(self) -> str:
        """What tells this job from others on the same task."""
        return f"{self.model}, {plan_name(self.stages)}, seed {self.seed}"


def run_training(
    job: TrainingJob,
    task: "Task",
    *,
    progress: Progress = ignore,
    checkpoints: Path | None = None,
) -> tuple[Result, ...]:
    """Train the network of a job and score it at other rates.

    Args:
        job: What to train.
        task: What to train it on.
        progress: Called after each epoch.
        checkpoints: Directory that gets a checkpoint of the network; None stores nothing.

    Returns:
        A `TrainingRun`, and a `TransferCurve` where the job has strides.

    Raises:
        TimegrainError: As `build_model`, `train`, `transfer` and `save_checkpoint` raise.
    """
    label = f"{job.model} on {task.name}, {plan_name(job.stages)}, seed {job.seed}"

    def tell(detail: str, seconds_left: float | None) -> None:
        progress(
            ProgressEvent(step=1, steps=1, label=label, detail=detail, seconds_left=seconds_left)
        )

    tell("", None)
    model, run, curve = carry_out(job, task, tell)
    if checkpoints is not None:
        store(model, run, task, checkpoints / slug(f"{task.name}-{job.label}"))
    return (run,) if curve is None else (run, curve)


def carry_out(
    job: TrainingJob, task: "Task", tell: Tell
) -> "tuple[Backbone, TrainingRun, TransferCurve | None]":
    """Return the trained network, its record and its transfer curve.

    Args:
        job: What to train.
        task: What to train it on.
        tell: Called with a text and the seconds left, after each epoch.
    """
    from timegrain.models.build import build_model
    from timegrain.training.loop import train

    model = build_model(
        job.model,
        d_input=task.d_input,
        d_output=task.d_output,
        d_model=job.d_model,
        n_layers=job.n_layers,
        head=job.head,
        seed=job.seed,
        **job.options,  # type: ignore[arg-type]
    )
    total = sum(stage.epochs for stage in job.stages)

    def on_epoch(row: EpochRow, seconds_left: float) -> None:
        stride = "" if row.stride == 1 else f" at stride {row.stride}"
        tell(f"epoch {row.epoch} of {total}{stride}: {task.metric} {row.score:.2f}", seconds_left)

    run = train(
        model,
        task,
        stages=job.stages,
        batch_size=job.batch_size,
        lr=job.lr,
        seed=job.seed,
        on_epoch=on_epoch,
    )
    if not job.strides:
        return model, run, None
    curve = transfer(model, task, strides=job.strides, seed=job.seed, plan=run.plan)
    return model, run, curve


def store(model: "Backbone", run: TrainingRun, task: "Task", directory: Path) -> None:
    """Write a checkpoint with everything needed to use the network on raw data.

    Args:
        model: The trained network.
        run: Its record.
        task: What it was trained on.
        directory: Where to.
    """
    from timegrain.training.checkpoint_files import save_checkpoint
    from timegrain.training.scaling import input_scaling, target_scaling

    save_checkpoint(
        directory,
        model,
        dt_trained=run.dt_trained,
        unit=run.unit,
        task=task.name,
        class_names=task.dataset.class_names,
        channel_names=task.dataset.channel_names or task.dataset.vocabulary,
        inputs=input_scaling(task),
        targets=target_scaling(task),
        metrics={run.metric: run.score, "trivial": run.trivial_score},
        kind=task.dataset.kind,
    )
