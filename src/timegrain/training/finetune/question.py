"""Whether data ask what a stored network answers, with classes in its order."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from timegrain.core.errors import ModelError
from timegrain.data.tasks import trivial_score
from timegrain.training.deployment.inputs import check_question

if TYPE_CHECKING:
    from timegrain.data.task import Part, Task
    from timegrain.training.checkpoint_record import CheckpointRecord


def as_trained(record: "CheckpointRecord", task: "Task") -> "Task":
    """Return the task with its classes numbered as the network numbers them.

    Args:
        record: Of the network.
        task: Any task.

    Raises:
        ModelError: If classes, channels, symbols or outputs differ, or channels come in another
            order.
    """
    if record.kind != task.dataset.kind:
        raise ModelError(
            "the network and the task differ in their kind of input",
            got=f"{task.dataset.kind} in {task.name}",
            expected=f"{record.kind}, as the network was trained",
        )
    named = _renumbered(record, task)
    check_question(record, named)
    _check_order(record, named)
    return named


def channel_notes(record: "CheckpointRecord", task: "Task") -> tuple[str, ...]:
    """Return a sentence where channels have other names than in the training."""
    mine, own = task.dataset.channel_names, record.channel_names
    if not mine or not own or mine == own:
        return ()
    pairs = ", ".join(f"{new} for {old}" for new, old in zip(mine, own, strict=True))
    return (f"Channels are taken in their order, under other names than in training: {pairs}.",)


def _renumbered(record: "CheckpointRecord", task: "Task") -> "Task":
    names, own = task.dataset.class_names, record.class_names
    if names == own or len(set(names)) < len(names) or set(names) != set(own):
        return task
    numbers = np.array([own.index(name) for name in names], dtype=np.int64)

    def part(given: "Part") -> "Part":
        return replace(given, y=numbers[given.y])

    labels = task.dataset.labels
    data = replace(
        task.dataset,
        class_names=own,
        labels=None if labels is None else numbers[labels],
    )
    train, test = part(task.train), part(task.test)
    trivial = trivial_score(train.y, test.y, classes=True)
    return replace(task, train=train, test=test, dataset=data, trivial_score=trivial)


def _check_order(record: "CheckpointRecord", task: "Task") -> None:
    tokens = record.kind == "tokens"
    mine = task.dataset.vocabulary if tokens else task.dataset.channel_names
    own = record.channel_names
    if not mine or not own or mine == own:
        return
    if tokens or set(mine) == set(own):
        raise ModelError(
            f"the network and the task have their {'symbols' if tokens else 'channels'} in "
            "different orders",
            got=", ".join(mine),
            expected=", ".join(own),
            hint=None if tokens else f"value={','.join(own)!r} where the file is read",
        )
