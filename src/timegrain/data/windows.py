"""Long recordings as cases: windows with a label each, which remember where they are from."""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Int64

from timegrain.core.errors import ConfigError, DataError
from timegrain.data.dataset import Dataset
from timegrain.data.layout import other_layout
from timegrain.data.memory import release
from timegrain.data.per_sample import UNASKED
from timegrain.data.subset import chosen_parts, take
from timegrain.data.targets import SampleTargets, sample_targets
from timegrain.data.units import plural

GAP_SHARE = 0.25
"""A window of which more is missing is left out."""

_BLOCK = 1 << 20


def make_windows(
    data: Dataset,
    *,
    window: int,
    hop: int | None = None,
    ahead: int | None = None,
    target: str | int | None = None,
) -> Dataset:
    """Return the windows of recordings as the sequences of a dataset.

    A window's label is that of its recording; or, where there is a target a sample, the one at its
    last sample; or, with `ahead`, what comes so many samples after its last one. Windows whose
    label is unknown are left out and counted, and so are those of which more than a quarter is
    missing, what is left at the end of a recording, and recordings shorter than a window. Nothing
    is copied.

    Args:
        data: Recordings.
        window: Samples in a window.
        hop: Samples from the start of one to the next; None for `window`, no overlap.
        ahead: Forecast so many samples after the window's last one.
        target: The channel to forecast, where there are several; by number from 0 where they have
            no names.

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
    places = find_windows(data, window=window, hop=hop, ahead=ahead, target=target)
    return replace(_cut(data, places, window), notes=(*data.notes, places.note))


@dataclass(frozen=True, kw_only=True, eq=False)
class WindowPlaces:
    """Where windows are, and their labels.

    Args:
        recording: Number of the sequence each window is part of, `(window,)`.
        first: Its first sample in that sequence, `(window,)`.
        labels: int64 numbers of classes, or float64 values, `(window,)`; None where there are none.
        class_names: Of the classes.
        at_end: Whether the label belongs to the window's last sample, not to its recording.
        note: What was cut and what was left out.
    """

    recording: Int64[np.ndarray, " window"]
    first: Int64[np.ndarray, " window"]
    labels: np.ndarray | None
    class_names: tuple[str, ...]
    at_end: bool
    note: str


def find_windows(
    data: Dataset,
    *,
    window: int,
    hop: int | None = None,
    ahead: int | None = None,
    target: str | int | None = None,
) -> WindowPlaces:
    """Return where the windows of `make_windows` are.

    Raises:
        ConfigError: As `make_windows`.
        DataError: As `make_windows`.
    """
    hop = window if hop is None else hop
    for word, value, least in (("window", window, 2), ("hop", hop, 1)):
        if value < least:
            raise ConfigError(f"{word} is too short", got=value, expected=f"{least} or more")
    long = _long_enough(data, window, ahead or 0)
    recording, first = _places(data.lengths - (ahead or 0), long, window, hop)
    labels = None if data.labels is None else data.labels[recording]
    names, words, unknown = data.class_names, "", 0
    at_end = ahead is not None or target is not None or data.targets is not None
    if at_end:
        found = sample_targets(take(data, long), ahead=ahead, target=target)
        labels = _at_last(found, np.searchsorted(long, recording), first + window - 1)
        names, words = found.class_names, found.words
        known = labels != UNASKED if names else ~np.isnan(labels)
        if not known.any():
            raise DataError(f"no window of {data.name!r} has a known target")
        recording, first, labels = recording[known], first[known], labels[known]
        unknown = int((~known).sum())
    full = _full_enough(data, recording, first, window, at_end=at_end)
    if not full.any():
        raise DataError(
            f"every window of {data.name!r} is in a gap",
            got=f"more than {GAP_SHARE:.0%} of its values missing",
            hint="another window",
        )
    recording, first = recording[full], first[full]
    labels = None if labels is None else labels[full]
    said = [
        f"{_count(len(first), 'window')} of {_count(window, 'sample')}, one every {hop:,}, "
        f"from {_count(len(long), 'recording')}",
        f"{_count(len(data) - len(long), 'recording')} too short" * (len(long) < len(data)),
        f"{_count(unknown, 'window')} without a known target left out" * (unknown > 0),
        f"{_count(int((~full).sum()), 'window')} in gaps left out" * (not full.all()),
        f"the label of a window is {words}" * at_end,
    ]
    return WindowPlaces(
        recording=recording,
        first=first,
        labels=labels,
        class_names=names,
        at_end=at_end,
        note="; ".join(part for part in said if part),
    )


def _full_enough(
    data: Dataset,
    recording: Int64[np.ndarray, " window"],
    first: Int64[np.ndarray, " window"],
    window: int,
    *,
    at_end: bool,
) -> Bool[np.ndarray, " window"]:
    """Tell which windows are not in a gap: few values are missing, and not all of the last."""
    full = np.ones(len(recording), dtype=bool)
    if data.kind == "tokens":
        return full
    for i in np.unique(recording).tolist():
        if not _any_missing(data.sequences[i]):
            continue
        missing = np.isnan(data.sequences[i])
        mine = recording == i
        before = np.concatenate([[0], np.cumsum(missing.sum(axis=1))])
        lost = before[first[mine] + window] - before[first[mine]]
        full[mine] = lost <= GAP_SHARE * window * data.n_channels
        if at_end:
            full[mine] &= ~missing.all(axis=1)[first[mine] + window - 1]
    return full


def _any_missing(sequence: np.ndarray) -> bool:
    # a file of gigabytes is mapped, not held: neither is what is found in it
    block = max(_BLOCK // sequence.shape[1], 1)
    for at in range(0, len(sequence), block):
        if np.isnan(sequence[at : at + block]).any():
            return True
        release(sequence)
    return False


def _long_enough(data: Dataset, window: int, ahead: int) -> Int64[np.ndarray, " recording"]:
    needed = window + ahead
    fits = np.flatnonzero(data.lengths >= needed)
    if not len(fits):
        other = other_layout(data.notes)
        raise DataError(
            f"no recording of {data.name!r} is as long as a window",
            got=f"{int(data.lengths.max()):,} samples at most",
            expected=f"{needed:,}" + (f", {ahead:,} of them ahead" if ahead else ""),
            hint=f"{other}, or a shorter window" if other else "a shorter window",
        )
    return fits


def _places(
    lengths: Int64[np.ndarray, " recording"],
    long: Int64[np.ndarray, " long"],
    window: int,
    hop: int,
) -> tuple[Int64[np.ndarray, " window"], Int64[np.ndarray, " window"]]:
    """Return the recording and the first sample in it of every window."""
    counts = (lengths[long] - window) // hop + 1
    before = np.repeat(np.cumsum(counts) - counts, counts)
    return np.repeat(long, counts), (np.arange(counts.sum()) - before) * hop


def _at_last(labels: SampleTargets, owner: np.ndarray, last: np.ndarray) -> np.ndarray:
    places = zip(owner.tolist(), last.tolist(), strict=True)
    return np.array(
        [labels.values[i][s] for i, s in places],
        dtype=np.int64 if labels.class_names else np.float64,
    )


def _cut(data: Dataset, places: WindowPlaces, window: int) -> Dataset:
    owner, first = places.recording, places.first
    where = list(zip(owner.tolist(), first.tolist(), strict=True))
    ids = data.ids or tuple(str(i) for i in range(len(data)))
    times, groups = data.times, data.groups
    n_train, n_validation = chosen_parts(data, owner)
    if groups is None:
        number: dict[str, int] = {}
        groups = np.array([number.setdefault(i, len(number)) for i in ids], dtype=np.int64)
    return replace(
        data,
        sequences=tuple(data.sequences[i][s : s + window] for i, s in where),
        labels=places.labels,
        class_names=places.class_names,
        n_train=n_train,
        n_validation=n_validation,
        times=None if times is None else tuple(times[i][s : s + window] for i, s in where),
        ids=tuple(ids[i] for i in owner),
        groups=groups[owner],
        starts=first if data.starts is None else first + data.starts[owner],
        targets=None,
    )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {plural(noun, number)}"
