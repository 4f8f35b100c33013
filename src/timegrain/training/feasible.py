"""What a task must be for a network to be trained or scored on it, checked before either."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.training.stages import StageRow
from timegrain.training.targets import existing_targets
from timegrain.training.wording import count

if TYPE_CHECKING:
    from timegrain.data.task import Part, Task

LEAST = 3  # samples in which a network can see more than a value and its change
LARGEST_LR = 10.0
PartName = Literal["train", "test"]


def check_task(task: object, *, test: bool = True) -> None:
    """Check that something is a task, and that there is something to learn from it.

    Args:
        task: What may be one.
        test: Whether its test part is looked at, too.

    Raises:
        ConfigError: If it is no task.
        DataError: If every training sequence is of one class, or `check_parts` finds a fault.
    """
    from timegrain.data.task import Task
    from timegrain.training.well_formed import check_parts

    if not isinstance(task, Task):
        raise ConfigError(
            "a network is trained on a task",
            got=repr(task) if isinstance(task, str) else type(task).__name__,
            expected="what load_task(...) returns",
            hint=f"load_task({task!r})" if isinstance(task, str) else None,
        )
    check_parts(task, ("train", "test") if test else ("train",))
    if task.target_kind != "class" or len(task.train) == 0:
        return
    seen = np.unique(existing_targets(task.train))
    if len(seen) == 1:
        raise DataError(
            "there is nothing to learn: every training sequence is of one class",
            got=f"{_class_name(task, int(seen[0]))} for all {len(task.train)}",
            expected="two classes or more",
            hint="another seed of the split, or data with more cases of the other classes",
        )


def class_notes(task: "Task") -> tuple[str, ...]:
    """Return a sentence on classes that are tested and were not trained, if there are any.

    Args:
        task: Any task.
    """
    if task.target_kind != "class":
        return ()
    y = existing_targets(task.test)
    unknown = sorted(set(y.ravel().tolist()) - set(existing_targets(task.train).ravel().tolist()))
    if not unknown:
        return ()
    names = ", ".join(_class_name(task, int(k)) for k in unknown)
    cases = count(int(np.isin(y, unknown).sum()), "test case")
    return (
        f"The training part has no case of {names}, so that {cases} cannot be answered rightly.",
    )


def check_coarse(task: "Task", strides: Sequence[int], *, part: PartName, name: str) -> None:
    """Check that strides leave enough of the sequences of a task.

    Args:
        task: The task.
        strides: Whole numbers >= 1.
        part: Which sequences.
        name: What they are the strides of, such as `"stages"`.

    Raises:
        ConfigError: If one leaves less than `LEAST` samples of the longest sequence.
    """
    lengths = _lengths(getattr(task, part))
    if not lengths.size:
        return
    longest = int(lengths.max())
    wrong = [k for k in strides if k > 1 and -(-longest // k) < LEAST]
    if wrong:
        most = max((longest - 1) // (LEAST - 1), 1)
        left = count(-(-longest // wrong[0]), "sample")
        raise ConfigError(
            f"the sequences of {task.name} are too short for these {name}",
            got=f"stride {wrong[0]}, which leaves {left} of {longest}",
            expected=f"at least {LEAST} samples: strides up to {most}",
        )


def coarse_notes(task: "Task", strides: Sequence[int], *, part: PartName) -> tuple[str, ...]:
    """Return a sentence for each stride that leaves too little of some sequences.

    Args:
        task: The task.
        strides: As in `check_coarse`.
        part: Which sequences.
    """
    lengths = _lengths(getattr(task, part))
    notes = []
    for k in sorted({k for k in strides if k > 1}):
        short = int((-(-lengths // k) < LEAST).sum())
        if short:
            notes.append(
                f"At stride {k}, {short} of {len(lengths)} {part} sequences have fewer than "
                f"{LEAST} samples."
            )
    return tuple(notes)


def check_stages(task: "Task", stages: Sequence[StageRow]) -> None:
    """Check that the stages of a training leave enough of its sequences.

    Raises:
        ConfigError: If one does not.
    """
    check_coarse(task, [stage.stride for stage in stages], part="train", name="stages")


def check_rate(name: str, value: object) -> None:
    """Check a learning rate.

    AdamW moves every weight by about the learning rate at each step, so that beyond `LARGEST_LR`
    one step is many times as large as the weights are.

    Args:
        name: Of the option.
        value: The rate.

    Raises:
        ConfigError: If it is no number in `(0, LARGEST_LR]`.
    """
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not (number and 0 < value <= LARGEST_LR):  # type: ignore[operator]
        raise ConfigError(
            "a learning rate is a positive number",
            got=f"{name}={value}",
            expected=f"above 0 and at most {LARGEST_LR:g}",
            hint="find_lr(model, task).lr" if value == "auto" else f"{name}=0.01",
        )


def _lengths(part: "Part") -> np.ndarray:
    return np.asarray(part.lengths)


def _class_name(task: "Task", number: int) -> str:
    names = task.dataset.class_names
    return repr(names[number]) if number < len(names) else str(number)
