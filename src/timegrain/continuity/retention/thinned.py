"""What is left of every case at a stride, whole and on one scale."""

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float64, Int64

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
    return next(thinned_from(made, stride, decimator, [None]))


def thinned_from(
    made: Cases,
    stride: int,
    decimator: Decimator,
    phases: Sequence[Int64[np.ndarray, " case"] | None],
) -> Iterator[tuple[Series, int]]:
    """Return what `thinned` does, once for each of some phases.

    Args:
        made: The cases.
        stride: As for `thinned`.
        decimator: As for `thinned`.
        phases: The sample each case begins with, `0..stride-1`; a case that ends before it keeps
            its last sample, as batches of a training do. None takes those that `thinned` takes.
    """
    filtering = decimator == "fir" and stride > 1
    cut = low_passed_cases(made, stride) if filtering else _as_they_are(made)
    filled = _missing(made) if filtering else 0
    lengths = np.array([len(c) for c in cut])
    usual = (lengths - 1) % stride if made.at_end else np.zeros(len(cut), dtype=np.int64)
    for drawn in phases:
        first = usual if drawn is None else np.minimum(drawn, lengths - 1)
        kept = [c[i::stride] for c, i in zip(cut, first.tolist(), strict=True)]
        left = int(np.median([len(k) for k in kept]))
        if left < MIN_SAMPLES:
            raise Unusable(f"a case keeps {left} sample")
        yield (_indicators(kept, made), 0) if made.cases.kind == "tokens" else _scaled(kept, filled)


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
