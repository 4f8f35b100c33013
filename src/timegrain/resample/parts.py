"""Resampling a signal that has gaps: each part between them by itself."""

import numpy as np
from jaxtyping import Float, Float64

from timegrain.resample.fir import shortest_length
from timegrain.resample.rational import fir_resample
from timegrain.resample.uneven import gapless


def resample_parts(
    values: Float[np.ndarray, "time channel"], up: int, down: int
) -> tuple[Float64[np.ndarray, "new channel"], int]:
    """Return `fir_resample` of each part between missing samples; NaN where there is none.

    A part that is shorter than the filter needs becomes NaN: nothing is made up for it. Up to
    `down - 1` samples at the start of a part are not used, so that its first instant is on the
    grid of the whole.

    Args:
        values: NaN where a sample is missing.
        up: Whole number >= 1.
        down: Whole number >= 1, without a common factor with `up`.

    Returns:
        `floor((n - 1) up / down) + 1` samples, and how many values were lost to short parts.

    Example:
        >>> x = np.ones((1000, 1))
        >>> x[400] = np.nan
        >>> y, lost = resample_parts(x, 1, 2)
        >>> len(y), int(np.isnan(y).sum()), lost
        (500, 201, 200)
    """
    values = np.asarray(values, dtype=np.float64)
    if up == down:
        return values, 0
    out = np.full(((len(values) - 1) * up // down + 1, values.shape[1]), np.nan)
    needed, lost = shortest_length(max(up, down), up=up), 0
    for columns, a, b in gapless(values):
        start = -(-a // down) * down
        first = start // down * up
        if b - start < needed:
            lost += max(0, (b - 1 - start) * up // down + 1) * len(columns) if b > start else 0
            continue
        part = fir_resample(values[start:b, columns], up, down, axis=0)
        out[first : first + len(part), columns] = part
    return out, lost
