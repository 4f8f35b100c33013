"""The learning rate of a job that did not say one."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from timegrain.training.run import TrainingRun
from timegrain.training.tuning.rate import LearningRate

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.study.job import TrainingJob

_BESIDE = ("stages", "plan", "epochs", "seed", "lr")


def search_rate(
    job: "TrainingJob", task: "Task", words: Mapping[str, Any], tell: Callable[[str], None]
) -> LearningRate:
    """Return the rate that `find_lr` finds for a job, by the stages that it will be trained in.

    Args:
        job: The job.
        task: What it is trained on.
        words: Keywords of its `train`.
        tell: Called with a text after each rate.

    Raises:
        TimegrainError: As `find_lr` raises.
    """
    from timegrain.training.tuning.search import OF_A_WHOLE_TRAINING, find_lr

    further = {k: v for k, v in words.items() if k not in (*_BESIDE, *OF_A_WHOLE_TRAINING)}
    grid: dict[str, Any] = {}
    if job.start is not None:
        task = job.start.task
        further |= {"tau": job.start.tau, "targets": job.start.checkpoint.record.targets}

    if isinstance(job.lr, tuple):
        grid = {"rates": job.lr}

    def on_rate(rate: float, score: float | None) -> None:
        said = "diverged" if score is None else f"{task.metric} {score:.2f}"
        tell(f"learning rate {rate:g}: {said}")

    return find_lr(
        job.build(task),
        task,
        stages=words["stages"],
        plan=words["plan"],
        epochs=words["epochs"],
        options=further,
        seed=job.seed,
        on_rate=on_rate,
        **grid,
    )


def with_rate(run: TrainingRun, found: LearningRate) -> TrainingRun:
    """Return the record of a training with what is known of its learning rate.

    Args:
        run: The record.
        found: How the rate was found.
    """
    return replace(run, rate=found, notes=(*run.notes, f"Found: {found.sentence}"))
