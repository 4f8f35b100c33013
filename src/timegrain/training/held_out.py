"""A share of the training part that is scored and not trained on; the test part stays out of it."""

from dataclasses import dataclass, replace

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.split import set_aside
from timegrain.data.subset import take
from timegrain.data.task import Part, Task
from timegrain.data.tasks import trivial_score
from timegrain.data.together import one_group_note, units
from timegrain.training.targets import existing_targets
from timegrain.training.wording import count

SHARE = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldOut:
    """A training part in two.

    Args:
        task: The task with what is left of the training part as its training part, and what was
            held out as its test part.
        sentence: What was held out, in words.
    """

    task: Task
    sentence: str


def hold_out(task: Task, share: float = SHARE, *, seed: int = 0) -> HeldOut:
    """Return a task that is scored on a share of its training part.

    As for a test part, whole groups or recordings are held out; of one recording the end, and
    windows nearer to it than a window's length are in neither part; else a share of every class.
    Inputs stay scaled as they are, by the whole training part.

    Args:
        task: Any task; its test part is not looked at.
        share: Of the training part, between 0 and 1.
        seed: Of the draw.

    Raises:
        ConfigError: If the share is no such number.
        DataError: If the training part is too small, or the values held out do not vary.
    """
    check_share("validation", share)
    part = task.train
    order = np.argsort(part.index, kind="stable")
    if len(part.index) != len(part.x):
        raise DataError(
            "a part of a task does not say which sequences it holds",
            got=f"{len(part.index)} numbers in index",
            expected=f"one for each of {len(part.x)} sequences",
        )
    data, y = take(task.dataset, part.index[order]), np.asarray(part.y)[order]
    classes = task.target_kind == "class" and y.ndim == 1
    try:
        fold = set_aside(
            data, y if classes else np.zeros(len(y)), share=share, ahead=task.ahead, seed=seed
        )
    except DataError as error:
        raise error.within(f"holding out {100 * share:g} % of the training part") from error
    left, held = (part.take(np.sort(order[i])) for i in (fold.train, fold.test))
    if task.target_kind == "value" and not _vary(task, held):
        raise DataError(
            "the values that were held out do not vary, so that they have no score",
            got=count(len(held), "sequence"),
            hint="a larger validation share",
        )
    inner = replace(task, train=left, test=held, trivial_score=_trivial(task, left, held))
    found = units(data)
    what = "sequence" if task.dataset.starts is None else "window"
    sentence = f"{len(held)} of {count(len(part), f'training {what}')} held out"
    if found.way in ("group", "recording"):
        whole = len(np.unique(found.of[fold.test]))
        sentence += f", {whole} of {count(found.count, found.way)}"
    elif found.way == "time":
        near = len(part) - len(left) - len(held)
        sentence += f", the end of the recording; {near} nearer to it than a window are left out"
    return HeldOut(task=inner, sentence="; ".join((sentence, *one_group_note(data))))


def check_share(name: str, share: object) -> None:
    """Check a share that is to be held out.

    Raises:
        ConfigError: If it is no number between 0 and 1.
    """
    number = isinstance(share, int | float | np.number) and not isinstance(share, bool)
    if not (number and 0 < share < 1):  # type: ignore[operator]
        raise ConfigError(
            f"{name} is the share of the training part that is held out",
            got=f"{name}={share}",
            expected="above 0 and below 1",
            hint=f"{name}={SHARE}",
        )


def _vary(task: Task, part: Part) -> bool:
    return bool(np.ptp(existing_targets(part, task.n_outputs, values=True), axis=0).any())


def _trivial(task: Task, left: Part, held: Part) -> float:
    width = task.n_outputs if task.target_kind == "value" else 1
    values = task.target_kind == "value"
    before, after = (existing_targets(p, width, values=values) for p in (left, held))
    if not values:
        return trivial_score(before[:, 0], after[:, 0], classes=True)
    before, after = before.astype(np.float64), after.astype(np.float64)
    if width == 1:
        before, after = before[:, 0], after[:, 0]
    return trivial_score(before, after, classes=False)
