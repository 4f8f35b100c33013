"""Snapshots of trainings under way in the output directory of a command, one folder a training."""

import contextlib
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError, ResultError
from timegrain.core.output import slug
from timegrain.study.kept_rate import RATE_FILE
from timegrain.study.plan_file import PLAN_FILE
from timegrain.training.distributed.environment import leads
from timegrain.training.trainer.alone import LOCK_FILE

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.study.job import TrainingJob

FOLDER = "snapshots"
_LISTED = 5


def unfinished(output: Path) -> tuple[str, ...]:
    """Return the folders of an output directory that hold snapshots, by name.

    Args:
        output: The output directory; need not exist.
    """
    from timegrain.training.trainer.snapshots import Snapshots

    folder = output / FOLDER
    if not folder.is_dir():
        return ()
    return tuple(sorted(p.name for p in folder.iterdir() if p.is_dir() and Snapshots(p).files()))


def keep_snapshots(
    jobs: "Sequence[TrainingJob]", task: "Task", output: Path, *, resume: bool
) -> "list[TrainingJob]":
    """Return jobs that keep snapshots in an output directory while they train.

    Args:
        jobs: What to train.
        task: What they are trained on.
        output: The output directory.
        resume: Whether they go on from snapshots that are there; else those are removed.

    Raises:
        ConfigError: If they are to go on, and there are snapshots of none of these jobs.
        ResultError: If snapshots cannot be removed.
    """
    names = [_name(job, task) for job in jobs]
    if resume:
        check_same(jobs, task, output)
    elif leads():  # of several processes, before the others look
        remove_snapshots(output)
    kept = []
    for job, name in zip(jobs, names, strict=True):
        words = {"snapshots": output / FOLDER / name, "resume": resume}
        kept.append(replace(job, training={**job.training, **words}))
    return kept


def check_same(jobs: "Sequence[TrainingJob]", task: "Task", output: Path) -> None:
    """Check that an output directory holds snapshots of no other jobs than these.

    Args:
        jobs: What is to go on.
        task: What they are trained on.
        output: The output directory; need not exist.

    Raises:
        ConfigError: If it does.
    """
    names = [_name(job, task) for job in jobs]
    others = [name for name in unfinished(output) if name not in names]
    if others:
        raise ConfigError(
            "the output directory holds snapshots of other trainings",
            got=f"{output} with {listed(others)}",
            expected=f"those of {listed(names)}",
            hint="the models, stages and seeds it was begun with, or --overwrite to begin again",
        )


def remove_snapshots(output: Path) -> None:
    """Remove all snapshots from an output directory, and nothing else.

    Args:
        output: The output directory; need not exist.

    Raises:
        ResultError: If they cannot be removed.
    """
    from timegrain.training.trainer.snapshots import Snapshots

    folder = output / FOLDER
    if not folder.is_dir():
        return
    try:
        for place in [path for path in folder.iterdir() if path.is_dir()]:
            Snapshots(place).clear()
            for name in (RATE_FILE, LOCK_FILE):
                (place / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # somebody's own file is in it
                place.rmdir()
        (folder / PLAN_FILE).unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()
    except OSError as error:
        raise ResultError(
            "cannot remove the snapshots", got=f"{folder} ({error.strerror})"
        ) from error


@contextlib.contextmanager
def sole_output(output: Path | None) -> Iterator[None]:
    """Keep other trainings out of an output directory, and remove what killed ones left aside.

    Args:
        output: The output directory; None and one in which another process writes for this one
            need nothing.

    Raises:
        ResultError: If another training writes there, or it cannot be written.
    """
    from timegrain.training.trainer.alone import sole_use

    if output is None or not leads():
        yield
        return
    folder = output / FOLDER
    try:
        with sole_use(folder):
            _remove_aside(output)
            yield
    finally:
        with contextlib.suppress(OSError):  # something is in it, or it never was
            folder.rmdir()


def check_unused(output: Path) -> None:
    """Check that no other training writes into an output directory now.

    Args:
        output: The output directory; need not exist.

    Raises:
        ResultError: If one does.
    """
    from timegrain.training.trainer.alone import in_use, refused

    owner = in_use(output / FOLDER) if leads() else None
    if owner is not None:
        raise refused(output, owner)


def _remove_aside(output: Path) -> None:
    """Remove what trainings wrote aside that were killed before they put it into place."""
    import shutil

    for path in output.glob(".checkpoints.*"):
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
    for name in (".result.json.*", ".rows.parquet.*", ".report.html.*", "parts/.*.json.*"):
        for path in output.glob(name):
            if path.is_file():
                path.unlink(missing_ok=True)


def listed(names: Sequence[str]) -> str:
    """Return some names with commas, and how many are left out.

    Args:
        names: Any number of them.
    """
    more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
    return f"{', '.join(names[:_LISTED])}{more}"


def _name(job: "TrainingJob", task: "Task") -> str:
    """Return a name that no other job on the task has, however long its plan."""
    label = f"{task.name}-{job.label}"
    first = "" if job.start is None else job.start.checkpoint.record.weights_sha256
    return f"{slug(label)[:60]}-{hashlib.sha256((label + first).encode()).hexdigest()[:8]}"
