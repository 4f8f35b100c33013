"""The rate to train on at, as a step over the trained one and over the recorded one."""

import math
from typing import TYPE_CHECKING

from timegrain.core.errors import ConfigError, GridError
from timegrain.core.table import number
from timegrain.data.step import given_step
from timegrain.data.units import SECONDS, unit_ratio
from timegrain.models.options import shown
from timegrain.resample.rational import ratio
from timegrain.training.deployment.rates import WHOLE
from timegrain.training.feasible import LEAST
from timegrain.training.step_ratio import tau_at
from timegrain.training.trainer.numbers import is_number, plain_number

if TYPE_CHECKING:
    from timegrain.data.task import Task
    from timegrain.training.checkpoint_record import CheckpointRecord


def tau_and_step(
    record: "CheckpointRecord",
    task: "Task",
    *,
    hz: float | None = None,
    dt: float | str | None = None,
    tau: float | None = None,
) -> tuple[float, float]:
    """Return the new step over the trained one, and over the recorded one.

    Args:
        record: Of the network.
        task: At the recorded rate.
        hz: The new rate in samples per second.
        dt: The new step: a number in the network's unit, or text with its unit.
        tau: The new step over the trained one. Of the three at most one; none keeps the samples as
            they were recorded.

    Returns:
        Both; the second is 1 where samples stay as they are, else a ratio of whole numbers.

    Raises:
        ConfigError: If more than one is given, the rate is above the recorded one, leaves too few
            samples, or is in no ratio of small whole numbers to it.
        GridError: If a rate is not positive, or two steps have no unit in common.
    """
    given = {"hz": hz, "dt": dt, "tau": tau}
    said = [f"{name}={value}" for name, value in given.items() if value is not None]
    if len(said) > 1:
        raise ConfigError(
            "the rate to train at is said in one way",
            got=" and ".join(said),
            expected="one of hz=, dt= and tau=",
        )
    recorded = _recorded(record, task)
    if not said:
        return recorded, 1.0
    wanted = _wanted(record, hz, dt, tau)
    step = wanted / recorded
    if step < 1 - WHOLE:
        raise ConfigError(
            "only a slower rate than the recorded one can be made of the recordings",
            got=f"{said[0]}, {step:.4g} times the recorded step",
            expected=f"a step of {task.dt:g} {task.unit} or more",
        )
    if step < 1 + WHOLE:
        return recorded, 1.0
    longest = int(task.dataset.lengths.max())
    if math.ceil(longest / step) < LEAST:
        raise ConfigError(
            f"the sequences of {task.name} are too short for this rate",
            got=f"{said[0]}, {step:.4g} times the recorded step, for {longest:,} samples",
            expected=f"a rate that leaves {LEAST} samples",
        )
    whole = abs(step - round(step)) <= WHOLE * step
    up, down = (1, round(step)) if whole else ratio(1.0, step)
    return recorded * down / up, down / up


def _recorded(record: "CheckpointRecord", task: "Task") -> float:
    factor = unit_ratio(task.unit, record.unit)
    if factor is None:
        raise GridError(
            "the steps of the network and of the data have no unit in common",
            got=f"{task.dt:g} {task.unit} in {task.name}",
            expected=f"a step in {record.unit}, as the network was trained",
            hint=_file_rate_hint(record),
        )
    return task.dt * factor / record.dt_trained


def _file_rate_hint(record: "CheckpointRecord") -> str:
    """Return how to say the rate of a file, with that of the network as the example."""
    if record.unit not in SECONDS:
        return "data with that step, as in training"
    rate = number(1 / (record.dt_trained * SECONDS[record.unit]), 6)
    return (
        f"saying the rate of the file: --file-hz {rate} (or --file-dt) on the command line, if it "
        "was recorded as in training; in Python hz or dt where it is loaded"
    )


def _wanted(
    record: "CheckpointRecord", hz: float | None, dt: float | str | None, tau: float | None
) -> float:
    if tau is not None:
        ratio_said = plain_number(tau)
        if not is_number(ratio_said) or not 0 < ratio_said < float("inf"):
            raise GridError(
                "a rate is positive", got=f"tau={shown(tau)}", expected="above 0 and finite"
            )
        return float(ratio_said)
    if hz is not None and record.unit not in SECONDS:
        raise GridError(
            "the network does not know its step in seconds",
            got=f"hz={hz} for a trained step of {record.dt_trained:g} {record.unit}",
            hint="tau=2 for every second sample, and so on",
        )
    step = dt
    if isinstance(dt, str):
        value, unit = given_step(dt, None, None)
        if value is None or unit is None or record.unit not in SECONDS:
            raise ConfigError(
                "a step is a time, where the network's is",
                got=f"dt={dt!r} for a trained step of {record.dt_trained:g} {record.unit}",
                hint="tau= with the ratio of the steps",
            )
        step = value * SECONDS[unit] / SECONDS[record.unit]
    return tau_at(record.dt_trained, record.unit, hz=hz, dt=step)  # type: ignore[arg-type]
