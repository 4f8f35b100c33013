"""The test part of a task as a stored network takes it, scaled as in its training."""

from typing import TYPE_CHECKING

import numpy as np
import torch
from jaxtyping import Float64, Int64

from timegrain.core.errors import DataError, GridError, ModelError
from timegrain.data.units import unit_ratio
from timegrain.training.batch import Batch
from timegrain.training.objective import Objective
from timegrain.training.raw import RawReader
from timegrain.training.scaling import input_scaling

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.training.checkpoint import Checkpoint
    from timegrain.training.checkpoint_record import CheckpointRecord
    from timegrain.training.scaling import Scaling

SAME_STEP = 0.01
OTHER_SPLIT_NOTE = (
    "The training part of these data is not the one the network was trained on: other data, "
    "another split (--seed), or another window. Cases scored here may have been trained on."
)


def check_fits(checkpoint: "Checkpoint", task: "Task") -> None:
    """Check that a network answers the task's question, at the task's step.

    Raises:
        ModelError: As `check_question`.
        GridError: If the data are not at the rate it was trained at.
    """
    check_question(checkpoint.record, task)
    _check_step(checkpoint.record, task)


def check_question(record: "CheckpointRecord", task: "Task") -> None:
    """Check that a network answers the task's question.

    Raises:
        ModelError: If channels, classes or outputs differ, or the network embeds symbols or
            answers at every sample.
    """
    found = record.model
    if found.get("vocab") is not None or found.get("head") == "step":
        raise ModelError(
            "only networks with one answer a sequence, of numbers or indicators, are scored here",
            got=f"head={found.get('head')}, vocab={found.get('vocab')}",
        )
    for what, has, wants in (
        ("input channels", task.d_input, found.get("d_input")),
        ("outputs", task.d_output, found.get("d_output")),
        ("classes", task.target_kind == "class", record.is_classifier),
    ):
        if has != wants:
            raise ModelError(
                f"the network and the task differ in their {what}",
                got=f"{has} in {task.name}",
                expected=f"{wants}, as the network was trained",
            )
    names = task.dataset.class_names
    if record.class_names and names != record.class_names:
        raise ModelError(
            "the network and the task name their classes differently",
            got=", ".join(names),
            expected=", ".join(record.class_names),
        )


def _check_step(record: "CheckpointRecord", task: "Task") -> None:
    ratio = unit_ratio(task.unit, record.unit)
    tau = None if ratio is None else task.dt * ratio / record.dt_trained
    if tau is None or abs(tau - 1) > SAME_STEP:
        raise GridError(
            f"{task.name} is not at the rate the network was trained at",
            got=f"a step of {task.dt:g} {task.unit}",
            expected=f"{record.dt_trained:g} {record.unit}",
            hint="--file-hz or --file-dt with the recorded rate, where the file does not know it, "
            "or --common-hz with the trained one",
        )


def split_notes(record: "CheckpointRecord", task: "Task") -> tuple[str, ...]:
    """Return a sentence where the task's training part is not the network's."""
    mine, own = input_scaling(task), record.inputs
    if mine is None or own is None:
        return ()
    same = np.allclose(mine.center, own.center, rtol=1e-6, atol=1e-9 * max(own.scale))
    return () if same and np.allclose(mine.scale, own.scale, rtol=1e-6) else (OTHER_SPLIT_NOTE,)


def objective_of(record: "CheckpointRecord", task: "Task") -> Objective:
    """Return what is counted, with targets scaled as in the network's training."""
    return Objective.of(task, targets=record.targets)


def network_batch(
    sequences: list[np.ndarray], task: "Task", objective: Objective, scaling: "Scaling | None"
) -> Batch:
    """Return raw sequences of the test part with their targets.

    Args:
        sequences: One a test case: `(time, channel)`, or `(time,)` tokens.
        task: Their task.
        objective: From `objective_of`.
        scaling: Of the network's inputs.

    Raises:
        DataError: If there is no sequence, or a value cannot be read.
    """
    if not sequences:
        raise DataError("the test part is empty", expected="at least one sequence")
    values, counts = network_values(sequences, task, scaling)
    return Batch(
        x=torch.as_tensor(values, dtype=torch.float32),
        y=objective.targets(task.test.y),
        lengths=None if counts is None else torch.as_tensor(counts),
    )


def network_values(
    sequences: list[np.ndarray], task: "Task", scaling: "Scaling | None"
) -> tuple[Float64[np.ndarray, "batch time channel"], Int64[np.ndarray, " batch"] | None]:
    """Return raw sequences as a network takes them, padded, with their lengths.

    Args:
        sequences: `(time, channel)`, or `(time,)` tokens.
        task: Their task.
        scaling: Of the network's inputs.

    Returns:
        Values, and lengths; None where all samples exist.

    Raises:
        DataError: If a value cannot be read.
    """
    tokens = task.dataset.kind == "tokens"
    reader = RawReader(width=task.d_input, tokens=tokens, scaling=scaling)
    values, counts = reader.read(sequences)
    if tokens:
        values = np.eye(task.d_input)[values]
        if counts is not None:
            values[np.arange(values.shape[1]) >= counts[:, None]] = 0.0
    return values, counts
