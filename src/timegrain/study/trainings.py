"""Several trainings on one task, one after the other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError
from timegrain.study.job import Trained, TrainingJob, carry_out
from timegrain.study.progress import Progress, ProgressEvent, TrainingMoment, ignore

if TYPE_CHECKING:
    from timegrain.data.task import Task


def run_trainings(
    jobs: Sequence[TrainingJob], task: "Task", *, progress: Progress = ignore
) -> tuple[Trained, ...]:
    """Train the networks of all jobs and score them at other rates.

    Args:
        jobs: What to train. All networks are built before the first is trained, so that a wrong
            option of the last one is not found at the end.
        task: What to train them on.
        progress: Called at the start of each job and after each epoch.

    Raises:
        TimegrainError: As `build_model`, `train` and `transfer` raise.
    """
    check_jobs(jobs, task)
    done = []
    for step, job in enumerate(jobs, start=1):

        def tell(
            detail: str,
            left: float | None,
            moment: TrainingMoment | None,
            step: int = step,
            job: TrainingJob = job,
        ) -> None:
            progress(
                ProgressEvent(
                    step=step,
                    steps=len(jobs),
                    label=job.on(task.name),
                    detail=detail,
                    seconds_left=left,
                    training=moment,
                )
            )

        done.append(carry_out(job, task, tell))
    return tuple(done)


def check_jobs(jobs: Sequence[TrainingJob], task: "Task") -> None:
    """Check that every job can be done and that no two are of the same label.

    Raises:
        TimegrainError: As `TrainingJob.check` raises, or if a job comes twice.
    """
    labels = [job.label for job in jobs]
    twice = sorted({label for label in labels if labels.count(label) > 1})
    if twice:
        raise ConfigError("the same training comes twice", got="; ".join(twice))
    for job in jobs:
        job.check(task)
