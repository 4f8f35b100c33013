"""Steps between neighbouring samples of a stretch: how many, their mean, and squares about it.

With the moments of the samples they give the lag-1 autocorrelation of the whole, about a line too:
a slope `b` leaves `sum (d - b)^2 = M2 + n (mean - b)^2`, in which nothing cancels.
"""

import numba

from timegrain.kernels.discontinuity.numba_ import variance
from timegrain.kernels.inner import inner

_SIMD = {"reassoc", "contract"}  # sums in lanes; NaN keeps its meaning


@inner
def step_moments(x, a, b):
    """Count, mean and sum of squares about it of the steps within `x[a:b]` that touch no NaN."""
    n = max(b - a - 1, 0)
    total = _total(x, a, b)
    if total == total and n > 0:
        mean = total / n
        return float(n), mean, _squares(x, a, b, mean)
    count, total = 0, 0.0
    for i in range(a + 1, b):
        d = x[i] - x[i - 1]
        if d == d:
            count += 1
            total += d
    mean, square = total / max(count, 1), 0.0
    for i in range(a + 1, b):
        d = x[i] - x[i - 1]
        if d == d:
            square += (d - mean) * (d - mean)
    return float(count), mean, square


@inner(fastmath=_SIMD)
def _total(x, a, b):
    total = 0.0
    for i in range(a + 1, b):
        total += x[i] - x[i - 1]
    return total


@inner(fastmath=_SIMD)
def _squares(x, a, b, mean):
    total = 0.0
    for i in range(a + 1, b):
        d = (x[i] - x[i - 1]) - mean
        total += d * d
    return total


@inner
def merge_steps(left, right, mine, yours):
    """Add the moments `right` of steps, in units of `1 / yours`, to `left`, in `1 / mine`."""
    n, m = left[0], right[0]
    left[1] *= mine
    left[2] *= mine * mine
    if m == 0:
        return
    apart = right[1] * yours - left[1]
    left[2] += right[2] * yours * yours + apart * apart * (n * m / (n + m))
    left[1] += apart * (m / (n + m))
    left[0] = n + m


@numba.njit(cache=True, nogil=True)
def rise_and_spread(sources, steps, state, detrend):
    """Sum of squared steps, and what it is on average for shuffled samples.

    Args:
        sources: Part of the cache's key, not read.
        steps: From `step_moments`.
        state: Moments of the same samples: count, mean, squares, and of time with `detrend`.
        detrend: Take both about the least-squares line.
    """
    s2 = variance(state, detrend)
    if s2 < 0:
        return 0.0, 0.0
    step = steps[1]
    if detrend and state[4] > 0:
        step -= state[5] / state[4]
    return steps[2] + steps[0] * step * step, 2.0 * s2 * steps[0]
