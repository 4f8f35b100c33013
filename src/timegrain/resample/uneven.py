"""Samples at uneven times on a uniform grid, without drawing anything across a gap."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Literal

import numpy as np
from jaxtyping import Float, Float64, Int64

from timegrain.core.errors import ConfigError, GridError

Method = Literal["linear", "cubic"]
_BLOCK = 1 << 16
_SAME = 1e-6
# what happens so many samples away moves a cubic spline by .27^64 of it
_MARGIN = 64


def to_uniform(
    values: Float[np.ndarray, "time channel"],
    times: Float64[np.ndarray, " time"],
    *,
    dt: float,
    longest: float = np.inf,
    method: Method = "linear",
) -> Float64[np.ndarray, "new channel"]:
    r"""Return values at `times[0] + j dt`, interpolated between the samples around each instant.

    Where one of the two is missing, or they are further apart than `longest`, the result is NaN,
    channel by channel. An instant within a millionth of a step of a sample takes its value.

    For a sine of frequency f and amplitude 1, sampled at steps of at most h, the error is at most
    `(\pi f h)^2 / 2` for `"linear"`, `5 (2 \pi f h)^4 / 384` inside for `"cubic"`. Splines leave
    the range of the values where these jump; lines never do.

    Args:
        values: NaN where a sample is missing.
        times: Strictly increasing.
        dt: Step of the grid, positive, in the unit of `times`.
        longest: Step beyond which two samples are no neighbours.
        method: `"cubic"` puts a spline through each part without gaps of four samples or more.

    Returns:
        As many instants as the times span.

    Raises:
        GridError: If the step is not positive, or times do not increase.
        ConfigError: If the method is unknown.

    Source:
        de Boor, A Practical Guide to Splines (1978), chapters III and IV; Hall and Meyer, Optimal
        error bounds for cubic spline interpolation (J. Approximation Theory 1976).

    Example:
        >>> at, x = np.array([0.0, 0.9, 2.1, 9.0, 10.0]), np.array([[0.0], [0.9], [2.1], [9], [10]])
        >>> to_uniform(x, at, dt=1.0, longest=2.0)[:, 0].tolist()
        [0.0, 1.0, 2.0, nan, nan, nan, nan, nan, nan, 9.0, 10.0]
    """
    if method not in ("linear", "cubic"):
        raise ConfigError("the method is unknown", got=repr(method), expected="linear or cubic")
    if not dt > 0 or len(times) < 2 or not (np.diff(times) > 0).all():
        raise GridError("a grid needs a positive step and increasing times", got=f"dt={dt:g}")
    out = np.empty((_count(times, dt), values.shape[1]))
    for start in range(0, len(out), _BLOCK):
        block = out[start : start + _BLOCK]
        at = np.minimum(times[0] + (start + np.arange(len(block))) * dt, times[-1])
        block[:] = _lines(values, times, at, longest)
    if method == "cubic":
        for columns, a, b in gapless(values, times, longest):
            _spline(out, values, times, dt, columns, a, b)
    return out


def latest(times: Float64[np.ndarray, " time"], n: int, *, dt: float) -> Int64[np.ndarray, " new"]:
    """Return the sample at or before each of `n` instants of the grid of `to_uniform`.

    Args:
        times: Strictly increasing.
        n: Instants.
        dt: Step of the grid.

    Example:
        >>> latest(np.array([0.0, 0.9, 2.1]), 3, dt=1.0).tolist()
        [0, 1, 1]
    """
    at = times[0] + (np.arange(n) + _SAME) * dt
    return np.searchsorted(times, at, side="right") - 1


def gapless(
    values: Float[np.ndarray, "time channel"],
    times: Float64[np.ndarray, " time"] | None = None,
    longest: float = np.inf,
) -> Iterator[tuple[list[int], int, int]]:
    """Yield channels with the first and one past the last sample of each part without a gap.

    Channels that miss the same samples come together.

    Args:
        values: NaN where a sample is missing.
        times: Of the samples.
        longest: Step beyond which two samples are no neighbours.

    Example:
        >>> list(gapless(np.array([[0.0, 0.0], [np.nan, np.nan], [0.0, 0.0], [0.0, 0.0]])))
        [([0, 1], 0, 1), ([0, 1], 2, 4)]
    """
    cuts = np.empty(0, dtype=np.int64)
    if times is not None and np.isfinite(longest):
        cuts = np.flatnonzero(np.diff(times) > longest) + 1
    alike: dict[bytes, list[int]] = {}
    for channel in range(values.shape[1]):
        alike.setdefault(np.packbits(np.isnan(values[:, channel])).tobytes(), []).append(channel)
    for columns in alike.values():
        known = ~np.isnan(values[:, columns[0]])
        turns = np.flatnonzero(np.diff(known)) + 1
        ends = np.unique(np.concatenate([[0], turns, cuts, [len(values)]]))
        for a, b in pairwise(ends.tolist()):
            if known[a]:
                yield columns, a, b


def _count(times: np.ndarray, dt: float) -> int:
    return int((times[-1] - times[0]) / dt + _SAME) + 1


def _lines(x: np.ndarray, times: np.ndarray, at: np.ndarray, longest: float) -> np.ndarray:
    left = np.clip(np.searchsorted(times, at, side="right") - 1, 0, len(times) - 2)
    step = times[left + 1] - times[left]
    w = (at - times[left]) / step
    before, after = x[left], x[left + 1]
    mixed = (1 - w)[:, None] * before + w[:, None] * after
    mixed[step > longest] = np.nan
    first, last = w <= _SAME, w >= 1 - _SAME
    mixed[first], mixed[last] = before[first], after[last]
    return np.asarray(mixed, dtype=np.float64)


def _spline(
    out: np.ndarray,
    x: np.ndarray,
    times: np.ndarray,
    dt: float,
    columns: list[int],
    a: int,
    b: int,
) -> None:
    """Overwrite the instants between samples `a` and `b - 1`, piece by piece."""
    from scipy.interpolate import CubicSpline

    if b - a < 4:
        return
    for start in range(a, b - 1, _BLOCK):
        stop = min(start + _BLOCK, b - 1)
        low, high = max(a, start - _MARGIN), min(b, max(stop + 1 + _MARGIN, start + 4))
        low = min(low, max(a, high - 4))
        j = int(np.ceil((times[start] - times[0]) / dt - _SAME))
        end = min(int((times[stop] - times[0]) / dt + _SAME) + 1, len(out))
        if end > j:
            spline = CubicSpline(times[low:high], x[low:high][:, columns])
            out[j:end, columns] = spline(times[0] + np.arange(j, end) * dt)
