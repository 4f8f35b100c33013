"""The labelled cases of a dataset: whole sequences, or windows of them."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.duration import to_samples
from timegrain.data.subset import take
from timegrain.data.windows import WindowPlaces, find_windows, make_windows
from timegrain.stats.magnitude import power_of_two

Length = int | str | None


@dataclass(frozen=True, kw_only=True, eq=False)
class Cases:
    """What is predicted from what.

    Args:
        recordings: The dataset the cases are cut from.
        cases: One sequence a case, with labels, groups and starts.
        recording: Number of the recording each is part of, `(case,)`.
        first: Its first sample there, `(case,)`.
        y: int64 numbers of the classes that occur, or float64 values, `(case,)`; several values,
            `(case, output)`, have mean 0 and deviation 1.
        class_names: Of the classes that occur; empty for values.
        window: Samples a case; None for whole sequences.
        hop: Samples between windows.
        ahead: Samples behind a case's last that its label looks at; None for no forecast.
        at_end: Whether the label belongs to the last sample.
        notes: What a reader has to know of them.
    """

    recordings: Dataset
    cases: Dataset
    recording: Int64[np.ndarray, " case"]
    first: Int64[np.ndarray, " case"]
    y: np.ndarray
    class_names: tuple[str, ...]
    window: int | None
    hop: int | None
    ahead: int | None
    at_end: bool
    notes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.y)

    def chosen(self, index: Int64[np.ndarray, " kept"], note: str) -> "Cases":
        """Return some of the cases, in ascending order, with one more note."""
        return replace(
            self,
            cases=take(self.cases, index),
            recording=self.recording[index],
            first=self.first[index],
            y=self.y[index],
            notes=(*self.notes, note),
        )


def make_cases(
    data: Dataset, *, window: Length, hop: Length, ahead: Length, target: str | None
) -> Cases:
    """Return the cases of a dataset.

    Args:
        data: With labels, targets a sample, or a channel to forecast.
        window: Samples, or a time such as `"2s"`; None for whole sequences with a label each.
        hop: As `window`; None for no overlap.
        ahead: As `window`; None for no forecast.
        target: The channel to forecast.

    Raises:
        ConfigError: If a length does not fit.
        DataError: If there is no label.
    """

    def samples(length: Length, word: str, least: int) -> int | None:
        if length is None:
            return None
        return to_samples(length, data.dt, data.unit, word=word, least=least)

    wide, step = samples(window, "window", 2), samples(hop, "hop", 1)
    later = samples(ahead, "ahead", 1)
    if wide is None:
        _no_window(data, hop=hop, forecast=later is not None or target is not None)
        return _whole(data)
    found = find_windows(data, window=wide, hop=step, ahead=later, target=target)
    cut = make_windows(data, window=wide, hop=step, ahead=later, target=target)
    if found.labels is None:
        raise _unlabelled(data)
    return _cases(data, cut, found, window=wide, hop=wide if step is None else step, ahead=later)


def varied(made: Cases, which: str) -> Cases:
    """Return cases whose classes are numbered anew, without those that none of them has.

    Args:
        made: With numbers of classes, or values.
        which: The cases, in an error.

    Raises:
        DataError: If all have one class, or one value.
    """
    y, names = made.y, made.class_names
    if names:
        present, y = np.unique(y, return_inverse=True)
        y = y.reshape(-1).astype(np.int64)
        names = tuple(names[i] for i in present)
    if (y.min(axis=0) == y.max(axis=0)).any():
        same = np.flatnonzero(y.min(axis=0) == y.max(axis=0))
        which_value = f" {int(same[0])}" if y.ndim == 2 else ""
        value = y[0, same[0]] if y.ndim == 2 else y[0]
        said = repr(names[0]) if names else f"the constant {float(value):g}"
        raise DataError(
            f"every case {which} has {'one class' if names else 'one value'}, so there is nothing "
            "to predict",
            got=f"{said} as target{which_value} of all {len(y):,} cases",
        )
    return replace(made, y=y, class_names=names)


def _no_window(data: Dataset, *, hop: Length, forecast: bool) -> None:
    if forecast:
        raise DataError(
            f"a forecast from {data.name!r} needs windows", hint="window='2s' or window=128"
        )
    if hop is not None:
        raise DataError(
            f"{data.name!r} is not cut into windows, so a hop from one to the next has no use",
            got=f"hop={hop!r}",
            hint="window= with it, such as '2s' or 128, or no hop=",
        )


def _whole(data: Dataset) -> Cases:
    if data.labels is None:
        raise _unlabelled(data)
    every = np.arange(len(data))
    places = WindowPlaces(
        recording=every,
        first=np.zeros(len(data), dtype=np.int64),
        labels=data.labels,
        class_names=data.class_names,
        at_end=False,
        note="",
    )
    return _cases(data, data, places, window=None, hop=None, ahead=None)


def _cases(
    data: Dataset,
    cut: Dataset,
    places: WindowPlaces,
    *,
    window: int | None,
    hop: int | None,
    ahead: int | None,
) -> Cases:
    y, names = places.labels, places.class_names
    if y is None:
        raise _unlabelled(data)
    notes = (places.note,) if places.note else ()
    made = Cases(
        recordings=data,
        cases=cut,
        recording=places.recording,
        first=places.first,
        y=y,
        class_names=names,
        window=window,
        hop=hop,
        ahead=ahead,
        at_end=places.at_end,
        notes=notes,
    )
    made = varied(made, f"of {data.name!r}")
    if y.ndim == 1:
        return made
    y = y / power_of_two(y)
    note = f"the score is of {y.shape[1]} values, each in units of its deviation"
    return replace(made, y=(y - y.mean(axis=0)) / y.std(axis=0), notes=(*notes, note))


def _unlabelled(data: Dataset) -> DataError:
    if data.targets is not None:
        return DataError(
            f"{data.name!r} has a target a sample, not one a sequence",
            hint="window='2s' or window=128: a window's label is the target at its last sample",
        )
    return DataError(
        f"{data.name!r} has no labels to predict: {data.describe()}",
        expected="one label a sequence, or a target a sample",
        hint="target= with their column or array, or window= and ahead= to forecast",
    )
