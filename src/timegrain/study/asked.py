"""What a command asked of a training, so that its results are taken for no other's."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from timegrain.core.codec import encode

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.study.job import TrainingJob
    from timegrain.training.run import TrainingRun

ASKED = "asked"
# where snapshots lie, how often, and whether they are gone on from changes no result
_OF_NO_EFFECT = ("snapshots", "snapshot_every", "resume")


def asked(job: "TrainingJob", task: "Task", command: Mapping[str, object]) -> Mapping[str, object]:
    """Return what was asked of a training, as JSON values.

    Args:
        job: The training; its stages and its plan are left to the command, which may measure them.
        task: What it is for.
        command: What the command says of the stages.
    """
    start, time = job.start, task.train.x.shape[1]
    sizes = f"{len(task.train)} and {len(task.test)} cases of up to {time} samples"
    said = {
        "task": f"{task.name}, {sizes}, {task.d_input} channels, a step of {task.dt:g} {task.unit}",
        "init": None if start is None else start.checkpoint.record.weights_sha256[:12],
        "tau": None if start is None else start.ratio,
        "decimator": None if start is None else start.decimator,
        "d_model": job.d_model,
        "layers": job.n_layers,
        "head": job.head,
        "options": dict(job.options),
        "batch_size": job.batch_size,
        "lr": job.lr,
        "strides": job.strides,
        "data_options": dict(task.dataset.options),
        **{k: v for k, v in job.training.items() if k not in _OF_NO_EFFECT},
        **command,
    }
    found: Mapping[str, object] = json.loads(json.dumps(encode(said)))
    return found


def with_asked(run: "TrainingRun", said: Mapping[str, object]) -> "TrainingRun":
    """Return the record of a training with what was asked of it.

    Args:
        run: The record.
        said: From `asked`.
    """
    made = run.provenance
    return replace(run, provenance=replace(made, parameters={**made.parameters, ASKED: said}))


def asked_of(run: "TrainingRun") -> Mapping[str, object] | None:
    """Return what was asked of a stored training; None in files that did not say.

    Args:
        run: Its record.
    """
    said = run.provenance.parameters.get(ASKED)
    return said if isinstance(said, Mapping) else None


def other_words(there: Mapping[str, object], here: Mapping[str, object]) -> str:
    """Return what two trainings were asked differently, in words; empty where nothing is.

    Args:
        there: From `asked_of`.
        here: From `asked`.

    Example:
        >>> other_words({"lr": 0.1, "strides": [1, 2]}, {"lr": 0.1, "strides": [1]})
        'strides 1,2 there and 1 here'
    """
    return "; ".join(
        f"{name} {_shown(there[name])} there and {_shown(here[name])} here"
        for name in there
        if name in here and there[name] != here[name]  # another version may know other words
    )


def _shown(value: object) -> str:
    if isinstance(value, list):
        return ",".join(map(str, value))
    if isinstance(value, Mapping):
        return ",".join(f"{k}={v}" for k, v in value.items()) or "none"
    return "none" if value is None else str(value)
