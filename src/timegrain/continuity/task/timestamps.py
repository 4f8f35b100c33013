"""Instants of irregular samples, checked."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float64

from timegrain.core.errors import DataError, GridError
from timegrain.data.arrays import exact_floats, is_sequence_list, real_array


def flat_times(times: Any, lengths: Sequence[int]) -> Float64[np.ndarray, " sample"]:
    """Return the instants of all sequences, one after the other.

    Args:
        times: One array a sequence, an array `(batch, time)`, or one `(time,)` shared by sequences
            of equal length. Each strictly increasing, in the unit of `dt`. Whole numbers beyond
            2^53, such as nanoseconds since 1970, are counted from each sequence's first one.
        lengths: Samples of each sequence.

    Raises:
        GridError: If a length does not fit, or an instant is not finite or not later than the one
            before it.
    """
    if is_sequence_list(times):
        each = [_instants(t, f"times[{i}]") for i, t in enumerate(times)]
    else:
        array = _instants(times, "times")
        each = [array] * len(lengths) if array.ndim <= 1 else list(array)
    if len(each) != len(lengths):
        raise GridError(
            "times do not fit the sequences",
            got=f"times for {len(each)} sequences",
            expected=f"{len(lengths)}",
        )
    for i, (t, n) in enumerate(zip(each, lengths, strict=True)):
        _check(t, n, f"times of sequence {i}")
    return np.concatenate([_floats(t) for t in each])


def mean_step(times: Float64[np.ndarray, " sample"], lengths: Sequence[int]) -> float:
    """Return the mean step within sequences.

    Args:
        times: From `flat_times`.
        lengths: Samples of each sequence, at least one of them above 1.
    """
    stops = np.cumsum(lengths)
    total = sum(max(n - 1, 0) for n in lengths)
    # divided first: a sum of spans may be more than float64 holds
    return math.fsum(
        float(times[b - 1] - times[b - n]) / total for b, n in zip(stops, lengths, strict=True) if n
    )


def in_steps(times: Float64[np.ndarray, " sample"], step: float) -> Float64[np.ndarray, " sample"]:
    """Return instants in a unit near their mean step, so that no power of a difference overflows.

    The unit is a power of two, which rounds nothing, so a measurement of them is the same.

    Args:
        times: From `flat_times`.
        step: Their mean step, positive.

    Raises:
        GridError: If a step vanishes beside the mean one.

    Example:
        >>> in_steps(np.array([0.0, 3e200, 5e200]), 2.5e200).round(3).tolist()
        [0.0, 0.98, 1.633]
    """
    scaled = np.ldexp(times, -round(math.log2(step)))
    if bool(((scaled[1:] == scaled[:-1]) & (times[1:] != times[:-1])).any()):
        raise GridError(
            "some steps are too short beside the others", expected="a ratio below 1e300"
        )
    return scaled


def _instants(times: Any, name: str) -> np.ndarray:
    try:
        return real_array(times, name=name)
    except DataError as error:
        raise GridError(error.what, got=error.got, expected=error.expected, hint=_HINT) from error


_HINT = "numbers, such as (t - t[0]) / numpy.timedelta64(1, 's') for dates t"


def _floats(t: np.ndarray) -> Float64[np.ndarray, " time"]:
    (column,), _ = exact_floats([t[:, None]], name="times")
    floats = column[:, 0].astype(np.float64)
    if bool((floats[1:] <= floats[:-1]).any()):
        raise GridError(
            "the times span more than a float64 can tell apart",
            got=f"{t[0]} to {t[-1]}, with steps as short as {np.diff(t).min()}",
            hint="a shorter recording, or times in a longer unit",
        )
    return floats


def _check(t: np.ndarray, length: int, name: str) -> None:
    if t.shape != (length,):
        raise GridError(f"{name} do not fit", got=f"shape {t.shape}", expected=f"({length},)")
    if not np.isfinite(t).all():
        raise GridError(f"{name} must be finite", got="NaN or infinity")
    late = np.flatnonzero(t[1:] <= t[:-1])
    if late.size:
        k = int(late[0])
        raise GridError(
            f"{name} must increase",
            got=f"{t[k + 1]} after {t[k]} at sample {k + 1} ({late.size} such steps)",
            expected="no equal and no falling timestamps",
            hint="sorting, and averaging samples of one instant",
        )
    if length and not math.isfinite(float(t[-1]) - float(t[0])):
        raise GridError(f"{name} span more than a float64 can hold", got=f"{t[0]} to {t[-1]}")
