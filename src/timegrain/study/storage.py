"""Checkpoints of trained networks in the output directory of a command."""

import contextlib
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError, ResultError
from timegrain.core.output import check_writable, slug
from timegrain.study.job import Trained
from timegrain.study.unfinished import FOLDER as SNAPSHOTS
from timegrain.study.unfinished import check_unused, listed, unfinished

if TYPE_CHECKING:
    from timegrain.data.task import Task

FOLDER = "checkpoints"


def check_free(
    output: Path, *, overwrite: bool = False, resume: bool = False, start: Path | None = None
) -> None:
    """Check, before anything is trained, that checkpoints can be stored without losing others.

    Args:
        output: The output directory; need not exist.
        overwrite: Whether checkpoints and snapshots in it may be replaced.
        resume: Whether an unfinished training in it goes on.
        start: The stored network that is trained on, if one is.

    Raises:
        ConfigError: If it is both to go on and to begin again, there is nothing to go on with among
            other things, or the network that is trained on is among those that would be replaced.
        ResultError: If it cannot be written, another training writes there, or it holds checkpoints
            or an unfinished training and may not lose them.
    """
    from timegrain.training.checkpoint_files import find_checkpoints

    if resume and overwrite:
        raise ConfigError(
            "a training goes on, or begins again", got="--resume and --overwrite", expected="one"
        )
    found = [path.name for path in find_checkpoints(output / FOLDER)]
    if resume and not found:
        _check_begun(output)
    check_writable(output)
    check_unused(output)
    if start is not None and _would_go(start.resolve(), output.resolve()):
        raise ConfigError(
            "the network to train on would be replaced by the one that is made of it",
            got=f"--init {start} in --output {output}",
            hint="another --output",
        )
    begun = unfinished(output)
    if begun and not (resume or overwrite):
        raise ResultError(
            "the output directory holds an unfinished training",
            got=f"{output} with {listed(begun)}",
            hint="--resume to go on with it, or --overwrite to begin again",
        )
    if found and not (overwrite or (resume and begun)):
        which = "a finished training, and nothing to resume" if resume else "an earlier training"
        raise ResultError(
            f"the output directory holds the networks of {which}",
            got=f"{output} with {listed(found)}",
            hint="another --output, or --overwrite to replace them and their results",
        )


def _check_begun(output: Path) -> None:
    """Check that a directory to resume in holds a training, or nothing.

    Raises:
        ConfigError: If it holds other things alone.
    """
    others = [] if has_begun(output) or not output.is_dir() else sorted(output.iterdir())
    if others:
        raise ConfigError(
            "there is no training to resume",
            got=f"--output {output} with {listed([repr(path.name) for path in others])}",
            expected="where a training was begun, or an empty or new directory to begin one in",
            hint="the --output it was begun with, or leaving --resume out",
        )


def has_begun(output: Path) -> bool:
    """Return whether a training was begun in an output directory, finished or not.

    Args:
        output: The output directory; need not exist.
    """
    from timegrain.study.finished import is_finished

    return (output / SNAPSHOTS).is_dir() or is_finished(output)


def _would_go(start: Path, output: Path) -> bool:
    return start == output or output / FOLDER in (start, *start.parents)


def store_checkpoints(
    trained: Sequence[Trained],
    task: "Task",
    output: Path,
    *,
    cases: Mapping[str, str | int | None] | None = None,
) -> tuple[Path, ...]:
    """Write a checkpoint of each network; earlier ones in the directory are removed.

    All are written aside first, and moved into place when the last is complete. An interrupt
    before that changes nothing.

    Args:
        trained: The networks.
        task: What they were trained on.
        output: The output directory; made if it does not exist.
        cases: How cases were cut and split, as `save_checkpoint` takes it.

    Returns:
        Where each checkpoint lies.

    Raises:
        ResultError: If the directory cannot be written.
    """
    check_writable(output)
    is_new = not output.exists()
    try:
        output.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=output, prefix=f".{FOLDER}.") as aside:
            names = _names(trained, task)
            for one, name in zip(trained, names, strict=True):
                store(one, task, Path(aside) / name, cases=cases)
            return tuple(_moved(Path(aside), names, output / FOLDER))
    except OSError as error:
        raise ResultError(
            "cannot write the checkpoints", got=f"{output} ({error.strerror})"
        ) from error
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it stays when something is in it
                output.rmdir()


def store(
    trained: Trained,
    task: "Task",
    directory: Path,
    *,
    cases: Mapping[str, str | int | None] | None = None,
) -> None:
    """Write a checkpoint with everything needed to use the network on raw data.

    Args:
        trained: The network and its record.
        task: What it was trained on.
        directory: Where to.
        cases: As for `store_checkpoints`.
    """
    from timegrain.training.checkpoint_files import save_checkpoint
    from timegrain.training.scaling import input_scaling, target_scaling

    if trained.tuned is not None:
        trained.tuned.save(directory, cases=cases)
        return
    run = trained.run
    save_checkpoint(
        directory,
        trained.model,
        dt_trained=run.dt_trained,
        unit=run.unit,
        task=task.name,
        class_names=task.dataset.class_names,
        channel_names=task.dataset.channel_names or task.dataset.vocabulary,
        inputs=input_scaling(task),
        targets=target_scaling(task),
        metrics={run.metric: run.score, "trivial": run.trivial_score},
        kind=task.dataset.kind,
        cases=cases,
    )


def _names(trained: Sequence[Trained], task: "Task") -> list[str]:
    names = [slug(f"{task.name}-{one.job.label}") for one in trained]
    if len(set(names)) == len(names):
        return names
    # long plans lose their ends, where the seeds are
    return [f"{i:02d}-{name}" for i, name in enumerate(names)]


def _moved(aside: Path, names: Sequence[str], folder: Path) -> list[Path]:
    """Move checkpoints to their folder after removing those that are there; touch nothing else."""
    from timegrain.training.checkpoint_files import RECORD_FILE, WEIGHTS_FILE, find_checkpoints

    for old in find_checkpoints(folder):
        # the record first: weights alone are no checkpoint
        for file in (RECORD_FILE, WEIGHTS_FILE):
            (old / file).unlink()
        with contextlib.suppress(OSError):  # somebody's own file is in it
            old.rmdir()
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for file in (WEIGHTS_FILE, RECORD_FILE):
            (aside / name / file).replace(folder / name / file)
    return [folder / name for name in names]
