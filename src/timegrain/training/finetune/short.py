"""Training cases of recordings that are too short for the filter."""

from dataclasses import replace

import numpy as np
from jaxtyping import Bool, Int64

from timegrain.data.subset import take
from timegrain.data.task import Task
from timegrain.resample.fir import shortest_length
from timegrain.resample.rational import ratio
from timegrain.training.deployment.recorded import RecordedTask
from timegrain.training.wording import count


def without_short(recorded: RecordedTask, step: float) -> tuple[RecordedTask, tuple[str, ...]]:
    """Return a task without training cases of recordings that cannot be filtered, and a note.

    Where a tested case is of such a recording, or no training case is left, nothing is left out,
    and filtering will say why it cannot be.

    Args:
        recorded: The task.
        step: The new step in recorded samples, > 1.
    """
    needed, fits = _long_enough(recorded, step)
    task = recorded.task
    kept_train = fits[task.train.index]
    if fits.all() or not fits[task.test.index].all() or not kept_train.any():
        return recorded, ()
    index = np.flatnonzero(fits)
    place = np.cumsum(fits) - 1  # of each case among those that are kept
    train, test = task.train, task.test
    lost = int((~kept_train).sum())
    chosen = replace(
        task,
        dataset=take(task.dataset, index),
        train=replace(
            train,
            x=train.x[kept_train],
            lengths=train.lengths[kept_train],
            y=train.y[kept_train],
            index=place[train.index[kept_train]],
        ),
        test=replace(test, index=place[test.index]),
    )
    note = (
        f"{count(lost, 'training case')} of recordings with fewer than {needed:,} samples, which "
        f"the filter needs, {'was' if lost == 1 else 'were'} left out."
    )
    return _of(recorded, chosen, index), (note,) if lost else ()


def _long_enough(recorded: RecordedTask, step: float) -> tuple[int, Bool[np.ndarray, " case"]]:
    """Return the samples that the filter needs, and which cases' recordings have them."""
    places, lengths = recorded.places, recorded.recordings.lengths
    of = np.arange(len(recorded.task.dataset)) if places is None else places.recording
    if step == round(step):
        needed = shortest_length(round(step))
        return needed, lengths[of] >= needed
    up, down = ratio(1.0, step)
    # each case begins at its own first sample, so that up to `down - 1` are lost
    needed = shortest_length(max(up, down), up=up) + down - 1
    return needed, lengths[of] >= needed


def _of(recorded: RecordedTask, task: Task, index: Int64[np.ndarray, " kept"]) -> RecordedTask:
    places = recorded.places
    if places is None:
        return replace(recorded, task=task, recordings=take(recorded.recordings, index))
    chosen = replace(
        places,
        recording=places.recording[index],
        first=places.first[index],
        labels=None if places.labels is None else places.labels[index],
    )
    return replace(recorded, task=task, places=chosen)
