"""Rows that share a time."""

import numpy as np

from timegrain.data.audit.stretch import Stretch


def without_duplicates(stretch: Stretch) -> tuple[Stretch, int]:
    """Return a stretch with one row a time: the mean of the values known there.

    A class is that of the first row of the time; target values are averaged.

    Args:
        stretch: With times that do not decrease.

    Returns:
        The stretch, itself where no time repeats, and how many rows it lost.

    Example:
        >>> x = Stretch(times=np.array([0.0, 1.0, 1.0]), values=np.array([[0.0], [2.0], [4.0]]))
        >>> without_duplicates(x)[0].values.tolist()
        [[0.0], [3.0]]
    """
    new = np.concatenate([[True], np.diff(stretch.times) != 0])
    lost = int(len(new) - new.sum())
    if not lost:
        return stretch, 0
    first = np.flatnonzero(new)
    target = stretch.target
    if target is not None:
        whole = np.issubdtype(target.dtype, np.integer)
        target = target[first] if whole else _means(target[:, None], first)[:, 0]
    values = _means(stretch.values, first)
    return (
        Stretch(times=stretch.times[first], values=values, target=target, start=stretch.start),
        lost,
    )


def _means(values: np.ndarray, first: np.ndarray) -> np.ndarray:
    known = ~np.isnan(values)
    counts = np.add.reduceat(known, first, axis=0, dtype=np.int64)
    sums = np.add.reduceat(np.where(known, values, 0.0), first, axis=0)
    with np.errstate(invalid="ignore"):
        means = sums / counts
    return means.astype(values.dtype, copy=False)
