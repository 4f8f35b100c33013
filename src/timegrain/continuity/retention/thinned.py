"""What is left of every case at a stride, whole and on one scale."""

import numpy as np
from jaxtyping import Float64

from timegrain.continuity.retention.cases import Cases
from timegrain.continuity.retention.filtered import Unusable, low_passed_cases
from timegrain.continuity.retention.gaps import fill
from timegrain.continuity.retention.options import Decimator

Series = list[Float64[np.ndarray, "time channel"]]
MIN_SAMPLES = 2


def thinned(made: Cases, stride: int, decimator: Decimator) -> tuple[Series, int]:
    """Return every `stride`-th sample of each case, gaps filled and channels scaled.

    Where the label belongs to a case's last sample that sample is kept, so that the time from it to
    a forecast stays; else the first one is. Real channels get mean 0 and deviation 1 over all
    samples of all cases (no label enters); a missing sample lies on the line between its
    neighbours, or at the nearest one at an end. A symbol is a channel that is 1 where it occurs.

    Args:
        made: The cases.
        stride: Every so many-th sample is kept; 1 for all, unfiltered.
        decimator: `"fir"` filters the recordings first, as `low_passed_cases` does.

    Returns:
        The series, and how many values were filled.

    Raises:
        Unusable: If cases or recordings are too short.
        ConfigError: If symbols or irregular samples are to be filtered.
    """
    filtering = decimator == "fir" and stride > 1
    cut = low_passed_cases(made, stride) if filtering else _as_they_are(made)
    kept = [c[(len(c) - 1) % stride if made.at_end else 0 :: stride] for c in cut]
    if np.median([len(k) for k in kept]) < MIN_SAMPLES:
        raise Unusable(f"a case keeps {int(np.median([len(k) for k in kept]))} sample")
    if made.cases.kind == "tokens":
        return _indicators(kept, made), 0
    filled = _missing(made) if filtering else 0
    return _scaled(kept, filled)


def _as_they_are(made: Cases) -> list[np.ndarray]:
    places = zip(made.recording, made.first, made.cases.lengths, strict=True)
    x = made.recordings.sequences
    whole = made.cases.kind == "tokens"
    return [
        x[i][first : first + n].astype(np.int64 if whole else np.float64, copy=False)
        for i, first, n in places
    ]


def _missing(made: Cases) -> int:
    used = np.unique(made.recording)
    return sum(int(np.isnan(made.recordings.sequences[i]).sum()) for i in used)


def _scaled(kept: list[np.ndarray], before: int) -> tuple[Series, int]:
    total = sum(len(k) for k in kept)
    known = sum((~np.isnan(k)).sum(axis=0) for k in kept)
    # sums about a value of the data keep the digits that a large offset would cost
    origin = np.fmin.reduce(np.concatenate([k[:1] for k in kept]))
    if np.isnan(origin).any():
        lowest = np.fmin.reduce([np.fmin.reduce(k) for k in kept])
        origin = np.where(np.isnan(origin), lowest, origin)
    origin = np.nan_to_num(origin)
    mean = sum(np.nansum(k - origin, axis=0) for k in kept) / np.maximum(known, 1) + origin
    square = sum(np.nansum((k - mean) ** 2, axis=0) for k in kept) / np.maximum(known, 1)
    largest = np.nan_to_num(
        np.max([np.nanmax(np.abs(k), axis=0, initial=0.0) for k in kept], axis=0)
    )
    deviation = np.sqrt(square)
    scale = np.where(deviation > 8 * np.finfo(float).eps * largest, deviation, 1.0)
    missing = int(total * len(mean) - known.sum())
    return [fill(np.asarray((k - mean) / scale), 0.0) for k in kept], missing + before


def _indicators(kept: list[np.ndarray], made: Cases) -> Series:
    data = made.recordings
    size = len(data.vocabulary) or max(int(s.max()) for s in data.sequences) + 1
    identity = np.eye(size)
    return [identity[k] for k in kept]
