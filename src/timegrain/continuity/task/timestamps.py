"""Instants of irregular samples, checked."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.task.arrays import as_array, is_sequence_list
from timegrain.core.errors import GridError


def flat_times(times: Any, lengths: Sequence[int]) -> Float64[np.ndarray, " sample"]:
    """Return the instants of all sequences, one after the other.

    Args:
        times: One array a sequence, an array `(batch, time)`, or one `(time,)` shared by sequences
            of equal length. Each strictly increasing, in the unit of `dt`.
        lengths: Samples of each sequence.

    Raises:
        GridError: If a length does not fit, or an instant is not finite or not later than the one
            before it.
    """
    if is_sequence_list(times):
        each = [as_array(t, name=f"times[{i}]", kind="real") for i, t in enumerate(times)]
    else:
        array = as_array(times, name="times", kind="real")
        each = [array] * len(lengths) if array.ndim <= 1 else list(array)
    if len(each) != len(lengths):
        raise GridError(
            "times do not fit the sequences",
            got=f"times for {len(each)} sequences",
            expected=f"{len(lengths)}",
        )
    for i, (t, n) in enumerate(zip(each, lengths, strict=True)):
        _check(t, n, f"times of sequence {i}")
    return np.concatenate([t.astype(np.float64) for t in each])


def mean_step(times: Float64[np.ndarray, " sample"], lengths: Sequence[int]) -> float:
    """Return the mean step within sequences.

    Args:
        times: From `flat_times`.
        lengths: Samples of each sequence, at least one of them above 1.
    """
    stops = np.cumsum(lengths)
    spans = sum(
        float(times[b - 1] - times[b - n]) for b, n in zip(stops, lengths, strict=True) if n
    )
    return spans / sum(max(n - 1, 0) for n in lengths)


def _check(t: np.ndarray, length: int, name: str) -> None:
    if t.shape != (length,):
        raise GridError(f"{name} do not fit", got=f"shape {t.shape}", expected=f"({length},)")
    if not np.isfinite(t).all():
        raise GridError(f"{name} must be finite", got="NaN or infinity")
    late = np.flatnonzero(np.diff(t) <= 0)
    if late.size:
        k = int(late[0])
        raise GridError(
            f"{name} must increase",
            got=f"{t[k + 1]} after {t[k]} at sample {k + 1} ({late.size} such steps)",
            expected="no equal and no falling timestamps",
            hint="sorting, and averaging samples of one instant",
        )
