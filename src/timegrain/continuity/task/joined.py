"""Sequences one after the other in one array, without a copy where they lie so already."""

from collections.abc import Sequence

import numpy as np


def joined(items: Sequence[np.ndarray]) -> np.ndarray:
    """Return all samples in one array `(sample, channel)`.

    Sequences that are rows of one array, such as those of a memory-mapped file, come back as a
    view of it, so that a large file need not be held in memory; do not write to the result.

    Args:
        items: Each `(time, channel)`, of one number of channels.

    Example:
        >>> rows = np.arange(12.0).reshape(2, 3, 2)
        >>> np.shares_memory(joined(list(rows)), rows)
        True
    """
    first = items[0]
    if not _adjacent(items):
        return np.concatenate(items)
    shape = (sum(len(item) for item in items), first.shape[1])
    # what may be written to, may here as well: compiled kernels exist once for either kind
    return np.lib.stride_tricks.as_strided(
        first,
        shape,
        (shape[1] * first.itemsize, first.itemsize),
        writeable=first.flags.writeable,
    )


def _adjacent(items: Sequence[np.ndarray]) -> bool:
    first = items[0]
    if len(items) == 1:
        return first.flags.c_contiguous
    if first.base is None or not first.size:
        return False
    at = first.ctypes.data
    for item in items:
        alike = item.dtype == first.dtype and item.base is first.base and item.size > 0
        if not (alike and item.flags.c_contiguous and item.ctypes.data == at):
            return False
        at += item.nbytes
    return True
