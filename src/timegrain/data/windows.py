"""Long recordings as cases: windows with a label each, which remember where they are from."""

from dataclasses import replace

import numpy as np
from jaxtyping import Int64

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.dataset import Dataset
from timegrain.data.subset import take
from timegrain.data.targets import SampleTargets, sample_targets
from timegrain.data.units import plural


def make_windows(
    data: Dataset,
    *,
    window: int,
    hop: int | None = None,
    ahead: int | None = None,
    target: str | None = None,
) -> Dataset:
    """Return the windows of recordings as the sequences of a dataset.

    A window's label is that of its recording; or, where there is a target a sample, the one at its
    last sample; or, with `ahead`, what comes so many samples after its last one. Windows whose
    label is unknown are left out and counted, and so are what is left at the end of a recording
    and recordings shorter than a window. Nothing is copied.

    Args:
        data: Recordings.
        window: Samples in a window.
        hop: Samples from the start of one to the next; None for `window`, no overlap.
        ahead: Forecast so many samples after the window's last one.
        target: The channel to forecast, where there are several.

    Returns:
        A dataset whose `ids`, `groups` and `starts` say where each window is from: windows of one
        recording have one group, unless the recordings have groups of their own.

    Raises:
        ConfigError: If `window < 2`, `hop < 1`, or the channel is not said.
        DataError: If no window is left.

    Example:
        >>> cut = make_windows(Dataset(name="x", sequences=(np.zeros((10, 1)),)), window=4, hop=3)
        >>> cut.starts.tolist()
        [0, 3, 6]
    """
    hop = window if hop is None else hop
    for word, value, least in (("window", window, 2), ("hop", hop, 1)):
        if value < least:
            raise ConfigError(f"{word} is too short", got=value, expected=f"{least} or more")
    long = _long_enough(data, window, ahead or 0)
    labels = None
    if ahead is not None or target is not None or data.targets is not None:
        labels = sample_targets(long, ahead=ahead, target=target)
    owner, first = _places(long.lengths - (ahead or 0), window, hop)
    cut = _cut(long, owner, first, window)
    lost = f"{_count(len(data) - len(long), 'recording')} too short for one" * (
        len(long) < len(data)
    )
    unknown = 0
    if labels is not None:
        cut, unknown = _labelled(cut, labels, owner, first + window - 1)
    said = [
        f"{_count(len(cut), 'window')} of {_count(window, 'sample')}, one every {hop:,}, "
        f"from {_count(len(long), 'recording')}",
        lost,
        f"{_count(unknown, 'window')} without a known target left out" * (unknown > 0),
        f"the label of a window is {labels.words}, at its last sample" if labels else "",
    ]
    note = "; ".join(part for part in said if part)
    return replace(cut, notes=(*data.notes, note))


def _long_enough(data: Dataset, window: int, ahead: int) -> Dataset:
    needed = window + ahead
    fits = np.flatnonzero(data.lengths >= needed)
    if not len(fits):
        raise DataError(
            f"no recording of {data.name!r} is as long as a window",
            got=f"{int(data.lengths.max()):,} samples at most",
            expected=f"{needed:,}" + (f", {ahead:,} of them ahead" if ahead else ""),
            hint="a shorter window",
        )
    return take(_with_recordings(data), fits)


def _with_recordings(data: Dataset) -> Dataset:
    """Name recordings that have no name, number those that have no group."""
    ids = data.ids or tuple(str(i) for i in range(len(data)))
    groups = data.groups
    if groups is None:
        number: dict[str, int] = {}
        groups = np.array([number.setdefault(i, len(number)) for i in ids], dtype=np.int64)
    starts = np.zeros(len(data), dtype=np.int64) if data.starts is None else data.starts
    return replace(data, ids=ids, groups=groups, starts=starts)


def _places(
    lengths: Int64[np.ndarray, " recording"], window: int, hop: int
) -> tuple[Int64[np.ndarray, " window"], Int64[np.ndarray, " window"]]:
    """Return the recording and the first sample in it of every window."""
    counts = (lengths - window) // hop + 1
    owner = np.repeat(np.arange(len(lengths)), counts)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return owner, (np.arange(len(owner)) - before) * hop


def _cut(data: Dataset, owner: np.ndarray, first: np.ndarray, window: int) -> Dataset:
    places = list(zip(owner.tolist(), first.tolist(), strict=True))
    times, starts, groups = data.times, data.starts, data.groups
    return replace(
        data,
        sequences=tuple(data.sequences[i][s : s + window] for i, s in places),
        labels=None if data.labels is None else data.labels[owner],
        n_train=None if data.n_train is None else int((owner < data.n_train).sum()) or None,
        times=None if times is None else tuple(times[i][s : s + window] for i, s in places),
        ids=tuple(data.ids[i] for i in owner),
        groups=None if groups is None else groups[owner],
        starts=first if starts is None else first + starts[owner],
        targets=None,
    )


def _labelled(
    cut: Dataset, labels: SampleTargets, owner: np.ndarray, last: np.ndarray
) -> tuple[Dataset, int]:
    found = np.array(
        [labels.values[i][s] for i, s in zip(owner.tolist(), last.tolist(), strict=True)],
        dtype=np.int64 if labels.class_names else np.float64,
    )
    known = np.ones(len(found), dtype=bool) if labels.class_names else ~np.isnan(found)
    if not known.any():
        raise DataError(
            f"no window of {cut.name!r} has a known target", got=f"{len(found)} windows"
        )
    kept = np.flatnonzero(known)
    # labels of the recordings do not fit the classes of these, so they must not stand beside them
    bare = take(replace(cut, labels=None, class_names=()), kept)
    made = replace(bare, labels=found[kept], class_names=labels.class_names)
    return made, len(found) - len(kept)


def _count(number: int, noun: str) -> str:
    return f"{number:,} {plural(noun, number)}"
