"""Which sequences of a dataset no split may tear apart."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Int64

from timegrain.data.dataset import Dataset

Way = Literal["group", "recording", "time", "case"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Units:
    """What may not be torn apart by a split.

    Args:
        way: `"group"`: sequences of one group stay together; `"recording"`: windows of one
            recording do; `"time"`: there is one recording, and sides are stretches of it;
            `"case"`: every sequence stands for itself.
        of: Number of each sequence's unit, `(batch,)`, from 0; for `"time"`, its rank in time.
        count: Units.
    """

    way: Way
    of: Int64[np.ndarray, " batch"]
    count: int


def units(data: Dataset) -> Units:
    """Return what a split of the dataset keeps together.

    Args:
        data: Sequences; their `groups`, `ids` and `starts` are looked at, in this order.

    Example:
        >>> cases = Dataset(name="x", sequences=(np.zeros((3, 1)),) * 4, ids=("a", "a", "b", "b"))
        >>> units(cases).way, units(cases).of.tolist()
        ('recording', [0, 0, 1, 1])
    """
    recordings = numbered(np.array(data.ids)) if data.ids else np.arange(len(data))
    if data.groups is not None and data.groups.min() < data.groups.max():
        groups = numbered(data.groups)
        alike = len(np.unique(np.stack([groups, recordings]), axis=1).T) == groups.max() + 1
        own = bool(data.ids) and alike and recordings.max() == groups.max()
        return Units(way="recording" if own else "group", of=groups, count=int(groups.max()) + 1)
    count = int(recordings.max()) + 1
    if 1 < count < len(data):
        return Units(way="recording", of=recordings, count=count)
    if count == 1 and data.starts is not None and len(data) > 1:
        rank = np.empty(len(data), dtype=np.int64)
        rank[np.argsort(data.starts, kind="stable")] = np.arange(len(data))
        return Units(way="time", of=rank, count=len(data))
    return Units(way="case", of=np.arange(len(data)), count=len(data))


def one_group_note(data: Dataset) -> tuple[str, ...]:
    """Return the note that a split cannot keep groups apart, since all is of one; else nothing.

    Args:
        data: Sequences of several recordings.

    Example:
        >>> cases = Dataset(
        ...     name="x",
        ...     sequences=(np.zeros((3, 1)),) * 2,
        ...     ids=("a", "b"),
        ...     groups=np.zeros(2, dtype=np.int64),
        ... )
        >>> one_group_note(cases)[0][:44]
        'everything is of one group, so splits are by'
    """
    if data.groups is None or data.groups.min() < data.groups.max() or len(set(data.ids)) == 1:
        return ()
    way = units(data).way
    by = {"time": "stretch of time", "case": "recording" if data.ids else "case"}.get(way, way)
    return (
        f"everything is of one group, so splits are by {by}, and the score says nothing about "
        "other groups",
    )


def near(
    data: Dataset, inside: Bool[np.ndarray, " batch"], ahead: int
) -> Bool[np.ndarray, " batch"]:
    """Return which windows are in a part of the recording, or nearer to it than a window's length.

    Args:
        data: Windows of one recording.
        inside: Which of them the part consists of.
        ahead: Samples behind a window's last that its target looks at.
    """
    starts = np.arange(len(data)) if data.starts is None else data.starts
    ends = starts + data.lengths + ahead
    guard = int(data.lengths.max())
    order = np.argsort(starts, kind="stable")
    # stretches of the part: runs of neighbours in time
    runs = np.flatnonzero(np.diff(np.concatenate([[False], inside[order], [False]]).astype(int)))
    near = inside.copy()
    for first, last in runs.reshape(-1, 2):
        begin, end = starts[order[first]], ends[order[first:last]].max()
        near |= (starts < end + guard) & (ends + guard > begin)
    return near


def numbered(values: np.ndarray) -> Int64[np.ndarray, " batch"]:
    """Return equal numbers for equal values, from 0 without gaps."""
    numbers: np.ndarray = np.unique(values, return_inverse=True)[1]
    return numbers.reshape(-1).astype(np.int64)
