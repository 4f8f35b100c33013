"""The specification of both resamplers: plain sums, one output at a time."""

import numpy as np
from jaxtyping import Float64

from timegrain.resample.fir import fir_taps


def fir_resample_reference(
    x: Float64[np.ndarray, " time"], up: int, down: int
) -> Float64[np.ndarray, " new"]:
    r"""Return one signal resampled by `up / down`, by direct convolution.

    `y_m = up \sum_i h[c + m down - i up] x_i`, `h = fir_taps(max(up, down))`, `c` its middle, over
    all `i` the filter reaches; outside, `x_{-j} = 2 x_0 - x_j` and the same behind the end.

    Args:
        x: At least as long as the filter.
        up: Whole number >= 1.
        down: Whole number >= 1, without a common factor with `up`.

    Example:
        >>> line = np.arange(400.0)
        >>> bool(np.allclose(fir_resample_reference(line, 1, 2), line[::2]))
        True
    """
    taps, n = fir_taps(max(up, down)), len(x)
    middle = len(taps) // 2
    out = np.zeros((n - 1) * up // down + 1)
    for m in range(len(out)):
        centre = m * down
        for i in range(-((middle - centre) // up), (centre + middle) // up + 1):
            out[m] += up * taps[middle + centre - i * up] * _at(x, i)
    return out


def _at(x: np.ndarray, i: int) -> float:
    last = len(x) - 1
    if i < 0:
        return float(2 * x[0] - x[-i])
    if i > last:
        return float(2 * x[last] - x[2 * last - i])
    return float(x[i])
