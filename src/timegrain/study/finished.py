"""Results of a command that was finished before."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from timegrain.core.errors import ResultError
from timegrain.core.output import read_output
from timegrain.core.result import Result
from timegrain.study.asked import asked, asked_of, other_words
from timegrain.study.unfinished import unfinished
from timegrain.training.run import TrainingRun

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.study.job import TrainingJob

_OTHER = "the output directory holds the networks of another finished training"
_ELSEWHERE = "another --output, or --overwrite to replace them and their results"


def is_finished(output: Path) -> bool:
    """Return whether an output directory holds a training's results, and nothing unfinished.

    Args:
        output: The output directory; need not exist.
    """
    from timegrain.study.storage import FOLDER
    from timegrain.training.checkpoint_files import find_checkpoints

    stored = (output / "result.json").is_file() and find_checkpoints(output / FOLDER)
    return bool(stored) and not unfinished(output)


def finished_results(
    output: Path, jobs: "Sequence[TrainingJob]", task: "Task", command: Mapping[str, object]
) -> tuple[Result, ...]:
    """Return the stored results of a finished command, the main one first.

    Args:
        output: The output directory.
        jobs: What is to be trained, all stages of a plan that is not measured at full resolution.
        task: What they are trained on.
        command: What the command says of the stages.

    Raises:
        ResultError: If they are not those of these jobs, or cannot be read.
    """
    found = read_output(output)
    results = (found.result, *found.parts.values())
    runs = [r for r in results if isinstance(r, TrainingRun)]
    there = sorted({_there(r) for r in runs})
    here = sorted({_here(job, task.name) for job in jobs})
    wanted = {(job.model, job.seed): asked(job, task, command) for job in jobs}
    stored = {(run.layer, run.seed): asked_of(run) for run in runs}
    if wanted.keys() == stored.keys() and all(stored.values()):
        pairs = [(stored[key] or {}, words) for key, words in wanted.items()]
        differing = next((text for pair in pairs if (text := other_words(*pair))), "")
        if differing:
            raise ResultError(
                f"{_OTHER}, and nothing to resume",
                got=f"{output} with {differing}",
                hint=_ELSEWHERE,
            )
    elif there != here:
        raise ResultError(
            f"{_OTHER}, and nothing to resume",
            got=f"{output} with {'; '.join(map(_words, there))}",
            expected="; ".join(map(_words, here)),
            hint=_ELSEWHERE,
        )
    return results


_Said = tuple[str, str, int, int, float, int]


def _there(run: TrainingRun) -> _Said:
    said = run.provenance.parameters
    batch: object = said.get("batch_size", run.batch_size)
    rate = said.get("lr", 0.0) if run.rate is None else -1.0
    epochs = sum(stage.epochs for stage in run.stages)
    return (run.task, run.layer, run.seed, epochs, float(str(rate)), int(str(batch)))


def _here(job: "TrainingJob", task: str) -> _Said:
    epochs = sum(stage.epochs for stage in job.stages)
    rate = float(job.lr) if isinstance(job.lr, float | int) else -1.0
    return (task, job.model, job.seed, epochs, rate, job.batch_size)


def _words(said: _Said) -> str:
    task, layer, seed, epochs, rate, batch = said
    lr = "auto" if rate < 0 else f"{rate:g}"
    return f"{layer} on {task}, seed {seed}, epochs {epochs}, lr {lr}, batches of {batch}"
