"""What a fine-tuning starts from: a stored network, and a task at the rate to train on at."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from timegrain.continuity.retention.filtered import Unusable
from timegrain.core.errors import ConfigError, DataError
from timegrain.core.table import number
from timegrain.data.task import Part, Task
from timegrain.training.deployment.inputs import SAME_STEP, network_values, split_notes
from timegrain.training.deployment.recorded import RecordedTask
from timegrain.training.finetune.question import as_trained, channel_notes
from timegrain.training.finetune.rate import tau_and_step
from timegrain.training.finetune.short import without_short
from timegrain.training.remarks import tuned_text

if TYPE_CHECKING:
    from timegrain.training.checkpoint import Checkpoint

DECIMATORS = ("fir", "phase")


@dataclass(frozen=True, kw_only=True, eq=False)
class FineTuning:
    """A stored network and the task it is trained on next.

    Args:
        checkpoint: The network.
        task: At the new rate, scaled as in the network's training.
        ratio: The new step over the trained one.
        step: The new step over the recorded one; 1 where samples stay as they are.
        decimator: How samples were left out.
        notes: Sentences a reader of results must see.
        recorded: The task at the recorded rate.
    """

    checkpoint: "Checkpoint"
    task: Task
    ratio: float
    step: float
    decimator: str
    notes: tuple[str, ...]
    recorded: RecordedTask

    @property
    def layer(self) -> str:
        """Name of the layer in the network."""
        return str(self.checkpoint.record.model["name"])

    @property
    def text(self) -> str:
        """What is done, in words."""
        return tuned_text(self.ratio)

    @property
    def takes_tau(self) -> bool:
        """Whether the network can be told its step."""
        return bool(self.checkpoint.model.takes_tau)

    @property
    def tau(self) -> float:
        """What the network is told at full resolution of the task."""
        return self.ratio if self.takes_tau else 1.0

    @property
    def scores_rates(self) -> bool:
        """Whether the network, trained on, can be scored on the recordings at several rates."""
        recorded = self.ratio / self.step
        return abs(recorded - 1) <= SAME_STEP and (self.takes_tau or self.ratio == 1)

    @property
    def dt_trained(self) -> float:
        """Step that tau = 1 stands for afterwards: as before, where the network can be told."""
        return self.checkpoint.dt_trained if self.takes_tau else self.task.dt


def prepare_fine_tuning(
    checkpoint: "Checkpoint",
    task: "RecordedTask | Task",
    *,
    hz: float | None = None,
    dt: float | str | None = None,
    tau: float | None = None,
    decimator: str = "fir",
) -> FineTuning:
    """Return a stored network with a task brought to the rate to train on at, all checked.

    Args:
        checkpoint: From `load_checkpoint`.
        task: From `load_recorded`; or a `Task`, whose sequences are then the recordings.
        hz: The rate to train at, in samples per second.
        dt: Or its step: a number in the network's unit, or text such as `"8ms"`.
        tau: Or the step over the trained one. None of the three: samples stay as recorded.
        decimator: `"fir"`: recordings are low-passed before samples are left out, as a slower
            converter would; `"phase"`: samples are left out as they are.

    Raises:
        ConfigError: If the rate is said twice, is above the recorded one, or is in no ratio of
            small whole numbers to it.
        GridError: If a rate is not positive, or the steps have no unit in common.
        ModelError: If channels, classes or outputs differ from those of the network.
        DataError: If the recordings cannot be brought to that rate.
    """
    if decimator not in DECIMATORS:
        raise ConfigError(
            "samples cannot be left out so", got=f"decimator={decimator!r}", expected="fir or phase"
        )
    recorded = _recorded(task)
    record = checkpoint.record
    named = as_trained(record, recorded.task)
    ratio, step = tau_and_step(record, named, hz=hz, dt=dt, tau=tau)
    recorded = replace(recorded, task=named)
    used = recorded
    short: tuple[str, ...] = ()
    if step != 1 and decimator == "fir":
        used, short = without_short(recorded, step)
    slower = _at_rate(checkpoint, used, ratio, step, decimator)
    start = FineTuning(
        checkpoint=checkpoint,
        task=slower,
        ratio=ratio,
        step=step,
        decimator=decimator,
        notes=(),
        recorded=recorded,
    )
    split = split_notes(record, named) if record.task == named.name else ()
    return replace(start, notes=(*_notes(start), *short, *channel_notes(record, named), *split))


def _recorded(task: object) -> RecordedTask:
    if isinstance(task, RecordedTask):
        return task
    if isinstance(task, Task):
        return RecordedTask(task=task, recordings=task.dataset)
    raise ConfigError(
        "a network is trained on a task",
        got=repr(task) if isinstance(task, str) else type(task).__name__,
        expected="what load_recorded(...) or load_task(...) returns",
    )


def _at_rate(
    checkpoint: "Checkpoint", recorded: RecordedTask, ratio: float, step: float, decimator: str
) -> Task:
    task, record = recorded.task, checkpoint.record
    sequences = _sequences(recorded, step, decimator)
    values, counts = network_values(sequences, task, record.inputs)
    x = values.astype(np.float32)
    lengths = np.full(len(x), x.shape[1], dtype=np.int64) if counts is None else counts
    data = task.dataset
    if step != 1:
        starts = None if data.starts is None else (data.starts / step).astype(np.int64)
        data = replace(
            data, sequences=tuple(sequences), starts=starts, times=None, targets=None, audits=()
        )

    def part(given: Part) -> Part:
        return replace(given, x=x[given.index], lengths=lengths[given.index])

    new_dt = record.dt_trained * ratio
    return replace(
        task,
        train=part(task.train),
        test=part(task.test),
        dt=new_dt,
        unit=record.unit,
        dataset=replace(data, dt=new_dt, unit=record.unit),
        ahead=-int(-task.ahead // step),
    )


def _sequences(recorded: RecordedTask, step: float, decimator: str) -> list[np.ndarray]:
    """Return all cases at a step.

    Raises:
        DataError: If they cannot be brought to it.
    """
    data, every = recorded.task.dataset, np.arange(len(recorded.task.dataset))
    if step == 1:
        return list(data.sequences)
    if decimator == "fir" and data.starts is not None and recorded.places is None:
        raise DataError(
            "windows are cut from recordings that were low-passed, and a task has none",
            got=repr(data.name),
            hint="load_recorded(...) with the same words, or decimator='phase'",
        )
    try:
        if decimator == "phase":
            return recorded.thinned(step, every)
        return list(recorded.filtered(step, every))
    except Unusable as error:
        other = "decimator='phase' (--thin), which leaves samples out as they are"
        raise DataError(
            f"{data.name!r} cannot be brought to {number(step)} times its step",
            got=str(error),
            hint=other if decimator == "fir" and step == round(step) else None,
        ) from error


def _notes(start: FineTuning) -> tuple[str, ...]:
    record, task = start.checkpoint.record, start.task
    step, first = (f"{number(x)} {record.unit}" for x in (task.dt, record.dt_trained))
    if start.ratio == 1:
        how = f"Fine-tuned at the step it was trained at, {first}."
    elif start.takes_tau:
        how = (
            f"Fine-tuned at a step of {step}, told tau = {number(start.ratio)}: tau = 1 still "
            f"stands for {first}, the step of its first training."
        )
    else:
        how = (
            f"This network cannot be told its step (takes_tau is False): it was trained on at "
            f"{step} as if tau were 1, so that this is its step now; it was {first}."
        )
    filtered = "Recordings were low-passed before samples were left out."
    if start.decimator == "phase":
        filtered = "Samples were left out as they are, so that fast content folds down."
    given = (("inputs", record.inputs), ("targets", record.targets))
    scaled = " and ".join(name for name, scaling in given if scaling is not None).capitalize()
    return (
        how,
        *((filtered,) if start.step != 1 else ()),
        *((f"{scaled} are scaled as in its first training.",) if scaled else ()),
    )
