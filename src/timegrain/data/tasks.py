"""`load_task`: from a labelled dataset to arrays a model can learn from."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.dataset import Dataset
from timegrain.data.duration import check_length, to_samples
from timegrain.data.forecast import load_to_forecast
from timegrain.data.generated.generator import Generator, check_seed
from timegrain.data.generated.lazy import SCALED_BY, LazyDataset, lazy_scale
from timegrain.data.layout import other_layout
from timegrain.data.load import generator_of, load_by
from timegrain.data.memory import check_fits
from timegrain.data.per_sample import existing_answers, sample_answers
from timegrain.data.rows import IndicatorRows, Rows, ScaledRows
from timegrain.data.running_scale import scale_of
from timegrain.data.scale import held_scale
from timegrain.data.split import balance_note, holdout
from timegrain.data.targets import label_word
from timegrain.data.task import Part, Task
from timegrain.data.units import SECONDS
from timegrain.data.values import held_values
from timegrain.data.varying import check_varying, constant_note
from timegrain.data.windows import make_windows

MAX_JITTER = 0.1
_INDICATORS = "each symbol is a channel that is 1 where it occurs and 0 elsewhere"


def load_task(
    name_or_path: str | os.PathLike[str] | Generator,
    *,
    target: str | int | None = None,
    key: str | None = None,
    time: str | None = None,
    dates: Literal["day-first", "month-first"] | None = None,
    layout: str | None = None,
    delimiter: str | None = None,
    kind: Literal["real", "tokens"] | None = None,
    dt: float | str | None = None,
    hz: float | None = None,
    unit: str | None = None,
    id: str | Sequence[str] | None = None,
    value: Sequence[str] | None = None,
    group: str | None = None,
    form: Literal["long", "wide"] | None = None,
    header: bool | None = None,
    channels: Sequence[str] | None = None,
    common_hz: float | None = None,
    window: int | str | None = None,
    hop: int | str | None = None,
    ahead: int | str | None = None,
    permute: bool = False,
    seed: int = 0,
    lazy: bool = False,
    **options: Any,
) -> Task:
    """Return a task from a labelled dataset: cut, split, scaled and padded.

    The published TRAIN and TEST parts are used where there are any; otherwise about a fifth is set
    aside so that nothing leaks: whole groups or recordings, the end of a single recording, or a
    seeded fifth of every class. A target is a class if the source numbers or names it, and a value
    if it is a real number.

    Args:
        name_or_path: As for `load_dataset`, also a `Generator`.
        target: Where the labels are, as for `load_dataset`; with `ahead`, a channel to forecast as
            a number, by its number from 0 where channels have no names, or a column of words whose
            later classes are forecast. One channel alone needs no target.
        key: As for `load_dataset`, like all words not listed here.
        time: The column of a table with times.
        dates: Whether dates such as 05/04/2024 have the day or the month first.
        layout: Axes of an array in a file.
        delimiter: What stands between the cells of a csv file.
        kind: `"tokens"` when whole numbers are symbols.
        dt: Step, in `unit` or as text with its unit, where the source does not know it.
        hz: Samples per second, in the place of `dt`.
        unit: Time unit of `dt`.
        id: The column of a table that names the recording, or several that do together.
        value: The columns of a table that are channels.
        group: The column of a table whose values never stand on both sides of the split.
        form: `"wide"` where a row of a table is a series.
        header: Whether the first row of a csv file names its columns.
        channels: The only channels to read of a file with several rates.
        common_hz: Rate in Hz to which everything is brought.
        window: Cut recordings into windows of so many samples, or of a time such as `"2s"`; a
            window's label is that of its recording, or the target at its last sample.
        hop: From the start of one window to the next, as `window`; None for no overlap.
        ahead: Forecast so many samples, or such a time, after a window's last sample.
        permute: Apply one fixed permutation to the time of every sequence first.
        seed: Of the split; without effect where the split is published.
        lazy: Scale samples as they are read, and leave those in a `.npy` file, or in an `.npz` file
            that is not compressed, where they are: for windows that do not fit into memory, which
            `train(..., tbptt=...)` reads a part at a time. A generated set makes its sequences as
            they are read, and is scaled by its first 1,024 to train on.
        options: Of a generated set its own, its sizes, and of any set a dial to turn, as for
            `load_dataset`; `seed` is then also that of all that is drawn.

    Raises:
        ConfigError: If a length or an option does not fit.
        DataError: If there are no labels, times are irregular, or it cannot be split or read.
        UnknownNameError: If there is no dataset of that name.

    Example:
        >>> task = load_task("ItalyPowerDemand")
        >>> task.train.x.shape, task.metric
        ((67, 24, 1), 'accuracy')
    """
    check_seed(seed)
    generator = generator_of(name_or_path)
    cut = {"window": window, "hop": hop, "ahead": ahead}
    own = _own(generator, cut)
    window, hop, ahead = (None if word in own else cut[word] for word in ("window", "hop", "ahead"))
    named = {
        "key": key,
        "time": time,
        "dates": dates,
        "layout": layout,
        "delimiter": delimiter,
        "kind": kind,
        "dt": dt,
        "hz": hz,
        "unit": unit,
        "id": id,
        "value": value,
        "group": group,
        "form": form,
        "header": header,
        "channels": channels,
        "common_hz": common_hz,
    }
    options = {**options, **own}
    if generator is not None or options:
        options["seed"] = seed
    made = lazy and generator is not None

    def load(column: str | None) -> Dataset:
        return load_by(name_or_path, {**named, "target": column}, options, lazy=made)

    if generator is not None and made and window is not None:
        raise ConfigError(
            f"sequences of {generator.name!r} that are made as they are read are not cut",
            got=f"window={window!r}",
            hint="lazy=False",
        )
    for word, length in (("window", window), ("hop", hop), ("ahead", ahead)):
        check_length(length, word)
    if ahead is not None:
        data, channel = load_to_forecast(load, target)
    else:
        data, channel = load(label_word(target)), None
    data = data.permuted() if permute else data
    later = None if ahead is None else to_samples(ahead, data.dt, data.unit, word="ahead")
    if window is None:
        _no_window(data, hop=hop, ahead=ahead)
        every = generator is not None and data.targets is not None
        return make_task(data, seed=seed, lazy=lazy, each_sample=every, target=label_word(target))
    pieces = make_windows(
        data,
        window=to_samples(window, data.dt, data.unit, least=2),
        hop=None if hop is None else to_samples(hop, data.dt, data.unit, word="hop"),
        ahead=later,
        target=channel,
    )
    called = label_word(target) if channel is None else channel
    return make_task(pieces, ahead=later or 0, seed=seed, lazy=lazy, target=called)


def _own(generator: Generator | None, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words that mean an option of what makes the set, not what is done to it."""
    options = {} if generator is None else generator.options
    return {w: v for w, v in words.items() if v is not None and w in options}


def make_task(
    data: Dataset,
    *,
    ahead: int = 0,
    seed: int = 0,
    lazy: bool = False,
    each_sample: bool = False,
    target: str | None = None,
) -> Task:
    """Return a task from a loaded dataset; see `load_task`.

    Every channel is scaled by the mean and standard deviation of its samples in the training part.
    Missing samples become 0, the training mean, and are counted in the notes. Tokens become
    indicators, one channel a symbol, and are not scaled.

    Args:
        data: With labels.
        ahead: Samples behind a sequence's last that its label looks at.
        seed: Of the split, where none is published.
        lazy: Leave the sequences as they are, memory-mapped ones in their files, and do all this
            as they are read.
        each_sample: Ask for an answer at every sample, where the data have a target for each, but
            at those whose class is -1; scored by a network with `head="step"`.
        target: What is to be predicted is called, for errors.

    Raises:
        DataError: If there are no labels, values to test on do not vary, times are irregular (steps
            that jitter by a tenth or less are taken for one step, with a note), or it cannot be
            split.
    """
    labels = sample_answers(data) if each_sample else _labels(data)
    uneven = _nearly_even(data)
    classes = bool(data.class_names)
    validation = np.arange(0)
    if data.n_train is not None and data.n_train + data.n_validation < len(data):
        train, validation, test = np.split(
            np.arange(len(data)), [data.n_train, data.n_train + data.n_validation]
        )
        held = f"{len(validation)} to validate, " if len(validation) else ""
        note = f"split of the source: {len(train)} to train, {held}{len(test)} to test"
    else:
        fold, note = holdout(data, labels, ahead=ahead, seed=seed)
        train, test = fold.train, fold.test
    balance = (
        (balance_note(labels[train], labels[test], data.class_names),)
        if classes and not each_sample
        else ()
    )
    make = _lazily if lazy else _at_once
    values, missing = make(data, train)
    if not (classes or each_sample):
        check_varying(data, labels, train=train, test=test, name=target)
    y, moved = (labels, ()) if classes or each_sample else held_values(labels, train)
    known = data.lengths
    parts = [
        Part(
            x=values[i],
            lengths=known[i],
            y=y[i] if classes else y[i].astype(np.float32),
            index=i.astype(np.int64),
        )
        for i in (train, test, validation)
        if len(i)
    ]
    scored = [_asked(data, y[i], known[i]) if each_sample else y[i] for i in (train, test)]
    return Task(
        name=data.name,
        train=parts[0],
        test=parts[1],
        target_kind="class" if classes else "value",
        n_classes=len(data.class_names) or None,
        metric="accuracy" if classes else "r2",
        trivial_score=trivial_score(*scored, classes=classes),
        dt=data.dt,
        unit=data.unit,
        dataset=data,
        notes=(*data.notes, note, *uneven, *balance, *missing, *moved),
        n_outputs=1 if labels.ndim == 1 or each_sample else labels.shape[1],
        ahead=ahead,
        validation=parts[2] if len(parts) > 2 else None,
    )


def _asked(data: Dataset, answers: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return the answers that are asked.

    Raises:
        DataError: If none is.
    """
    found = existing_answers(answers, lengths)
    if not len(found):
        raise DataError(
            f"{data.name!r} asks for no answer in a part to train or to test on",
            expected="a class at some sample, where others are -1",
        )
    return found


def trivial_score(train: np.ndarray, test: np.ndarray, *, classes: bool) -> float:
    """Return the score on `test` of the commonest class, or of the mean, of `train`.

    Args:
        train: Labels, `(batch,)`; values may be `(batch, output)`.
        test: Labels, as `train`.
        classes: Whether they number classes; ties go to the lowest number.

    Example:
        >>> trivial_score(np.array([0, 1, 1]), np.array([1, 0, 0, 0]), classes=True)
        0.25
    """
    if classes:
        return float(np.mean(test == np.bincount(train).argmax()))
    if train.ndim == 2:
        # several values count alike, whatever their units
        deviation = train.std(axis=0)
        unit = np.where(deviation > 0, deviation, 1.0)
        train, test = train / unit, test / unit
    spread = float(np.sum((test - test.mean(axis=0)) ** 2))
    if spread == 0:
        raise DataError(
            "the targets of the test part do not vary", got=f"one value in all {len(test):,} cases"
        )
    return 1.0 - float(np.sum((test - train.mean(axis=0)) ** 2)) / spread


def _rate_hint(data: Dataset) -> str:
    if data.unit not in SECONDS:
        return "dt= with the recorded step, and common_hz= with a rate: a grid in their place"
    hz = 1 / (data.dt * SECONDS[data.unit])
    return f"common_hz={float(f'{hz:.3g}'):g}, or a lower rate, which puts them on a grid"


def _no_window(data: Dataset, *, hop: int | str | None, ahead: int | str | None) -> None:
    given = {"hop": hop, "ahead": ahead}
    said = [f"{word}={value!r}" for word, value in given.items() if value is not None]
    if said:
        raise ConfigError(
            f"{data.name!r} is not cut into windows",
            got=", ".join(said),
            hint="window= with it, such as '2s' or 128",
        )


def _labels(data: Dataset) -> np.ndarray:
    if data.labels is None and data.targets is not None:
        raise DataError(
            f"{data.name!r} has a target a sample, not one a sequence",
            hint="window='2s' or window=128: a window's label is the target at its last sample",
        )
    if data.labels is None:
        other = other_layout(data.notes)
        raise DataError(
            f"{data.name!r} has no labels to learn: {data.describe()}",
            expected="one label a sequence",
            hint=(f"{other}; " if other else "")
            + "window= with ahead=, which forecasts a channel; a labelled set (timegrain ls); a "
            ".ts file with @classLabel or @targetLabel, or an npz file with target= naming its "
            "array of labels",
        )
    if len(data) < 2:
        lost = "; ".join(n for n in data.notes if "left out" in n or "left empty" in n)
        raise DataError(
            f"{data.name!r} cannot be split into train and test",
            got=f"one sequence{f': {lost}' if lost else ''}",
            expected="two or more",
            hint=None if lost else "window='2s' or window=128, which cuts it into cases",
        )
    if data.class_names and len(np.unique(data.labels)) < 2:
        raise DataError(
            f"{data.name!r} cannot be learnt: its labels are all of one class",
            got=repr(data.class_names[int(data.labels[0])]),
            expected="2 classes or more",
        )
    return data.labels


def _nearly_even(data: Dataset) -> tuple[str, ...]:
    """Return the note on steps that jitter a little; refuse others, which one step would misstate.

    Raises:
        DataError: If one step in ten is further from the median than a tenth of it.
    """
    if data.times is None:
        return ()
    steps = np.concatenate([np.diff(t) for t in data.times])
    middle = float(np.median(steps))
    low, high = np.quantile(steps, [0.05, 0.95])
    jitter = max(middle - low, high - middle) / middle
    if jitter > MAX_JITTER:
        raise DataError(
            f"{data.name!r} cannot be trained on: its samples are at irregular times",
            got=f"90 % of the steps from {low:.3g} to {high:.3g} {data.unit}",
            expected=f"within {100 * MAX_JITTER:g} % of their median",
            hint=_rate_hint(data),
        )
    return (
        f"steps differ by up to {100 * jitter:.2g} % in nine of ten cases; the network is told "
        f"that all are {middle:.4g} {data.unit}",
    )


def _at_once(data: Dataset, train: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    return _indicators(data) if data.kind == "tokens" else _scaled(data, train)


def _lazily(data: Dataset, train: np.ndarray) -> tuple[Rows, tuple[str, ...]]:
    time = int(data.lengths.max())
    if data.kind == "tokens":
        rows = IndicatorRows(data.sequences, time=time, size=_symbols(data))
        return rows, (_INDICATORS,)
    found = lazy_scale(data, train) if isinstance(data, LazyDataset) else scale_of(data, train)
    scaled = ScaledRows(data.sequences, time=time, center=found.center, scale=found.scale)
    few = isinstance(data, LazyDataset) and len(train) > SCALED_BY
    by = (f"inputs were scaled by the first {SCALED_BY:,} to train on",) if few else ()
    constant = constant_note(data, found.varies)
    return scaled, (*_missing_note(found.n_missing), *constant, *by)


def _missing_note(lost: int) -> tuple[str, ...]:
    note = f"{lost} missing samples were set to the training mean of their channel"
    return (note,) if lost else ()


def _symbols(data: Dataset) -> int:
    return len(data.vocabulary) or max(int(s.max()) for s in data.sequences) + 1


def _scaled(data: Dataset, train: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    padded, lengths = data.stacked()
    found = held_scale(padded[train], data)
    padded /= found.unit
    padded -= found.mean
    padded /= found.spread
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
    return values, (*_missing_note(lost), *constant_note(data, found.varies))


def _indicators(data: Dataset) -> tuple[np.ndarray, tuple[str, ...]]:
    padded, _ = data.stacked()
    size = _symbols(data)
    check_fits(4 * padded.size * size, f"{data.name!r} with a channel for each of {size:,} symbols")
    values = np.zeros((*padded.shape, size), dtype=np.float32)
    batch, time = np.nonzero(padded >= 0)
    values[batch, time, padded[batch, time]] = 1.0
    return values, (_INDICATORS,)
