"""`load_task`: from a labelled dataset to arrays a model can learn from."""

import os

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.load import load_dataset
from timegrain.data.memory import check_fits
from timegrain.data.split import split
from timegrain.data.task import Part, Task
from timegrain.data.values import held_values


def load_task(
    name_or_path: str | os.PathLike[str],
    *,
    target: str | None = None,
    key: str | None = None,
    layout: str | None = None,
    dt: float | None = None,
    unit: str | None = None,
    permute: bool = False,
    seed: int = 0,
) -> Task:
    """Return a task from a labelled dataset: split, scaled and padded.

    The published TRAIN and TEST parts are used where there are any; otherwise a seeded fifth is
    set aside, of every class where there are classes. A target is a class if the source numbers or
    names it, and a value if it is a real number.

    Args:
        name_or_path: As for `load_dataset`.
        target: The array of an npz file that holds one label a sequence.
        key: The array of an npz file that holds the sequences.
        layout: Axes of an array in a file, as for `load_dataset`.
        dt: Step, in `unit`, where the source does not know it.
        unit: Time unit of `dt`.
        permute: Apply one fixed permutation to the time of every sequence first.
        seed: Of the split; without effect where the split is published.

    Raises:
        DataError: If there are no labels, times are irregular, or it cannot be split or read.
        UnknownNameError: If there is no dataset of that name.

    Example:
        >>> task = load_task("ItalyPowerDemand")
        >>> task.train.x.shape, task.metric
        ((67, 24, 1), 'accuracy')
    """
    data = load_dataset(name_or_path, key=key, target=target, layout=layout, dt=dt, unit=unit)
    return make_task(data.permuted() if permute else data, seed=seed)


def make_task(data: Dataset, *, seed: int = 0) -> Task:
    """Return a task from a loaded dataset; see `load_task`.

    Every channel is scaled by the mean and standard deviation of its samples in the training part.
    Missing samples become 0, the training mean, and are counted in the notes. Tokens become
    indicators, one channel a symbol, and are not scaled.

    Args:
        data: With labels.
        seed: Of the split, where none is published.

    Raises:
        DataError: If there are no labels, times are irregular, or it cannot be split.
    """
    labels = _labels(data)
    if data.times is not None:
        raise DataError(
            f"{data.name!r} cannot be trained on yet: its samples are at irregular times",
            hint="resampling it to one step first",
        )
    classes = bool(data.class_names)
    if data.n_train is not None and data.n_train < len(data):
        train, test = np.arange(data.n_train), np.arange(data.n_train, len(data))
        note = f"published split: {len(train)} to train, {len(test)} to test"
    else:
        train, test = split(labels, seed=seed, stratify=classes)
        note = f"no published split: a fifth was set aside to test (seed {seed})"
    values, missing = _indicators(data) if data.kind == "tokens" else _scaled(data, train)
    y, moved = (labels, ()) if classes else held_values(labels, train)
    parts = [
        Part(
            x=values[i],
            lengths=data.lengths[i],
            y=y[i] if classes else y[i].astype(np.float32),
            index=i.astype(np.int64),
        )
        for i in (train, test)
    ]
    return Task(
        name=data.name,
        train=parts[0],
        test=parts[1],
        target_kind="class" if classes else "value",
        n_classes=len(data.class_names) or None,
        metric="accuracy" if classes else "r2",
        trivial_score=trivial_score(y[train], y[test], classes=classes),
        dt=data.dt,
        unit=data.unit,
        dataset=data,
        notes=(*data.notes, note, *missing, *moved),
    )


def trivial_score(train: np.ndarray, test: np.ndarray, *, classes: bool) -> float:
    """Return the score on `test` of the commonest class, or of the mean, of `train`.

    Args:
        train: Labels, `(batch,)`.
        test: Labels, `(batch,)`.
        classes: Whether they number classes; ties go to the lowest number.

    Example:
        >>> trivial_score(np.array([0, 1, 1]), np.array([1, 0, 0, 0]), classes=True)
        0.25
    """
    if classes:
        return float(np.mean(test == np.bincount(train).argmax()))
    spread = float(np.sum((test - test.mean()) ** 2))
    if spread == 0:
        raise DataError("the targets of the test part do not vary", got=f"{test[0]:g} throughout")
    return 1.0 - float(np.sum((test - train.mean()) ** 2)) / spread


def _labels(data: Dataset) -> np.ndarray:
    if data.labels is None:
        raise DataError(
            f"{data.name!r} has no labels to learn: {data.describe()}",
            expected="one label a sequence",
            hint="a labelled set (timegrain ls), a .ts file with @classLabel or @targetLabel, or "
            "an npz file with target= naming its array of labels",
        )
    if len(data) < 2:
        raise DataError(f"{data.name!r} cannot be split into train and test", got="one sequence")
    if data.class_names and len(np.unique(data.labels)) < 2:
        raise DataError(
            f"{data.name!r} cannot be learnt: its labels are all of one class",
            got=repr(data.class_names[int(data.labels[0])]),
            expected="2 classes or more",
        )
    return data.labels


def _scaled(data: Dataset, train: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    padded, lengths = data.stacked()
    # a power of 2 divides exactly; the squares of what is left neither overflow nor vanish
    unit = _power_of_two(padded[train])
    padded /= unit
    mean, deviation = _scale(padded[train].reshape(-1, data.n_channels), data)
    padded -= mean
    # a constant channel keeps its unit
    padded /= np.where(deviation > 0, deviation, 1 / unit)
    inside = np.arange(padded.shape[1]) < lengths[:, None]
    lost = int(np.isnan(padded[inside]).sum())
    values = np.where(np.isnan(padded), 0.0, padded)
    if np.abs(values).max() > np.finfo(np.float32).max:
        raise DataError(
            f"{data.name!r}: a sample is too far from the training part for float32",
            got=f"{np.abs(values).max():.3g} standard deviations from the training mean",
            hint="a look at the units and at outliers of the test part",
        )
    values = values.astype(np.float32)
    note = f"{lost} missing samples were set to the training mean of their channel"
    return values, (note,) if lost else ()


def _power_of_two(
    samples: Float64[np.ndarray, "batch time channel"],
) -> Float64[np.ndarray, " channel"]:
    largest = np.nanmax(np.abs(samples), axis=(0, 1), initial=0.0)
    _, exponent = np.frexp(largest)
    # of these both the number and its inverse are floats
    return np.ldexp(1.0, np.where(largest > 0, np.clip(exponent, -1021, 1023), 0))


def _scale(
    samples: Float64[np.ndarray, "sample channel"], data: Dataset
) -> tuple[Float64[np.ndarray, " channel"], Float64[np.ndarray, " channel"]]:
    counts = (~np.isnan(samples)).sum(axis=0)
    if not counts.all():
        channel = int(np.flatnonzero(counts == 0)[0])
        name = data.channel_names[channel] if data.channel_names else str(channel)
        raise DataError(f"channel {name!r} of {data.name!r} has no value in the training part")
    # sums of differences from the smallest value are exactly zero for a constant channel
    lowest = np.nanmin(samples, axis=0)
    above = samples - lowest
    rise = np.nansum(above, axis=0) / counts
    deviation = np.sqrt(np.nansum((above - rise) ** 2, axis=0) / counts)
    # a spread of a few roundings is no signal and must not be blown up
    rounding = 8 * np.finfo(np.float64).eps * np.nanmax(np.abs(samples), axis=0)
    return lowest + rise, np.where(deviation > rounding, deviation, 0.0)


def _indicators(data: Dataset) -> tuple[np.ndarray, tuple[str, ...]]:
    padded, _ = data.stacked()
    size = len(data.vocabulary) or int(padded.max()) + 1
    check_fits(4 * padded.size * size, f"{data.name!r} with a channel for each of {size:,} symbols")
    values = np.zeros((*padded.shape, size), dtype=np.float32)
    batch, time = np.nonzero(padded >= 0)
    values[batch, time, padded[batch, time]] = 1.0
    return values, ("each symbol is a channel that is 1 where it occurs and 0 elsewhere",)
