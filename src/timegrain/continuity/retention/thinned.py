"""What is left of every case at a stride, whole and on one scale."""

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.retention.cases import Cases
from timegrain.continuity.retention.options import Decimator
from timegrain.core.errors import ConfigError

Series = list[Float64[np.ndarray, "time channel"]]
MIN_SAMPLES = 2


class Unusable(Exception):
    """A stride at which nothing can be measured; the text says why."""


def thinned(made: Cases, stride: int, decimator: Decimator) -> tuple[Series, int]:
    """Return every `stride`-th sample of each case, gaps filled and channels scaled.

    Where the label belongs to a case's last sample that sample is kept, so that the time from it to
    a forecast stays; else the first one is. Real channels get mean 0 and deviation 1 over all
    samples of all cases (no label enters); a missing sample lies on the line between its
    neighbours, or at the nearest one at an end. A symbol is a channel that is 1 where it occurs.

    Args:
        made: The cases.
        stride: Every so many-th sample is kept; 1 for all, unfiltered.
        decimator: `"fir"` filters the recordings first.

    Returns:
        The series, and how many values were filled.

    Raises:
        Unusable: If cases or recordings are too short.
        ConfigError: If symbols or irregular samples are to be filtered.
    """
    sources = made.recordings.sequences
    before = 0
    if decimator == "fir" and stride > 1:
        sources, before = _filtered(made, stride)
    lengths = made.cases.lengths
    kept = []
    for i, first, n in zip(
        made.recording.tolist(), made.first.tolist(), lengths.tolist(), strict=True
    ):
        phase = (n - 1) % stride if made.at_end else 0
        kept.append(sources[i][first + phase : first + n : stride])
    if np.median([len(k) for k in kept]) < MIN_SAMPLES:
        raise Unusable(f"a case keeps {int(np.median([len(k) for k in kept]))} sample")
    if made.cases.kind == "tokens":
        return _indicators(kept, made), 0
    return _scaled(kept, before)


def _scaled(kept: list[np.ndarray], before: int) -> tuple[Series, int]:
    total = sum(len(k) for k in kept)
    known = sum((~np.isnan(k)).sum(axis=0) for k in kept)
    # sums about a value of the data keep the digits that a large offset would cost
    origin = np.nan_to_num(np.nanmin(np.concatenate([k[:1] for k in kept]), axis=0))
    mean = sum(np.nansum(k - origin, axis=0) for k in kept) / np.maximum(known, 1) + origin
    square = sum(np.nansum((k - mean) ** 2, axis=0) for k in kept) / np.maximum(known, 1)
    largest = np.nan_to_num(
        np.max([np.nanmax(np.abs(k), axis=0, initial=0.0) for k in kept], axis=0)
    )
    deviation = np.sqrt(square)
    scale = np.where(deviation > 8 * np.finfo(float).eps * largest, deviation, 1.0)
    missing = int(total * len(mean) - known.sum())
    return [fill(np.asarray((k - mean) / scale), 0.0) for k in kept], missing + before


def fill(
    x: Float64[np.ndarray, "time channel"], empty: float
) -> Float64[np.ndarray, "time channel"]:
    """Return a series without NaN: on lines between known samples, constant beyond them.

    Args:
        x: A series.
        empty: What stands in a channel without any known sample.

    Example:
        >>> fill(np.array([[np.nan], [1.0], [np.nan], [3.0]]), 0.0)[:, 0].tolist()
        [1.0, 1.0, 2.0, 3.0]
    """
    lost = np.isnan(x)
    if not lost.any():
        return x
    out, at = x.copy(), np.arange(len(x))
    for c in np.flatnonzero(lost.any(axis=0)):
        known = ~lost[:, c]
        out[:, c] = np.interp(at, at[known], x[known, c]) if known.any() else empty
    return out


def _filtered(made: Cases, stride: int) -> tuple[tuple[np.ndarray, ...], int]:
    from scipy.signal import oaconvolve

    from timegrain.resample.edges import odd_extension
    from timegrain.resample.fir import fir_taps, shortest_length

    data = made.recordings
    if data.kind == "tokens" or data.times is not None:
        raise ConfigError(
            f"{data.name!r} cannot be filtered",
            got="symbols" if data.kind == "tokens" else "samples at irregular times",
            hint="decimator='phase', which drops samples as they are",
        )
    used = np.unique(made.recording)
    needed, shortest = shortest_length(stride), int(data.lengths[used].min())
    if shortest < needed:
        raise Unusable(
            f"the filter needs {needed:,} samples, and the shortest recording has {shortest:,}"
        )
    taps = fir_taps(stride)
    reach, lost = len(taps) // 2, 0
    sources = list(data.sequences)
    for i in used:
        lost += int(np.isnan(sources[i]).sum())
        rows = odd_extension(fill(sources[i], 0.0).T.copy(), reach)
        sources[i] = oaconvolve(rows, taps[None, :], mode="valid", axes=1).T
    return tuple(sources), lost


def _indicators(kept: list[np.ndarray], made: Cases) -> Series:
    data = made.recordings
    size = len(data.vocabulary) or max(int(s.max()) for s in data.sequences) + 1
    identity = np.eye(size)
    return [identity[k] for k in kept]
