"""The least and the largest valid sample, compiled; `inf, -inf` without one.

A single minimum would have every sample wait for the one before, so there are many.
"""

import numba
import numpy as np

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, greater, greatest, least, lesser
from timegrain.kernels.vectors.lanes import Lanes
from timegrain.kernels.vectors.memory import load_double, store

_MANY = 128
_LANES = Lanes(numba.float64).count
_NUMBER = np.zeros(1)


@inner
def extent(x, a, b):
    """Return both of `x[a:b]`, contiguous float32 or float64."""
    low = low2 = fill(_NUMBER, np.inf)
    high = high2 = fill(_NUMBER, -np.inf)
    rest = b - (b - a) % (2 * _LANES)
    for i in range(a, rest, 2 * _LANES):
        one, two = load_double(x, (i,)), load_double(x, (i + _LANES,))
        low, low2 = lesser(one, low), lesser(two, low2)
        high, high2 = greater(one, high), greater(two, high2)
    last_low, last_high = strided_extent(x, rest, b)
    all_low, all_high = lesser(low, low2), greater(high, high2)
    return min(least(all_low), last_low), max(greatest(all_high), last_high)


@inner
def load_extent(x, a, b, shift, factor, tile):
    """Fill a tile with `(x[a:b] - shift) * factor`, and return `extent(x, a, b)`."""
    low = low2 = fill(tile, np.inf)
    high = high2 = fill(tile, -np.inf)
    shifts, factors = fill(tile, shift), fill(tile, factor)
    rest = b - (b - a) % (2 * _LANES)
    for i in range(a, rest, 2 * _LANES):
        one, two = load_double(x, (i,)), load_double(x, (i + _LANES,))
        low, low2 = lesser(one, low), lesser(two, low2)
        high, high2 = greater(one, high), greater(two, high2)
        store(tile, (i - a,), (one - shifts) * factors)
        store(tile, (i - a + _LANES,), (two - shifts) * factors)
    for i in range(rest, b):
        tile[i - a] = (x[i] - shift) * factor
    last_low, last_high = strided_extent(x, rest, b)
    all_low, all_high = lesser(low, low2), greater(high, high2)
    return min(least(all_low), last_low), max(greatest(all_high), last_high)


@inner
def strided_extent(x, a, b):
    """Return both of `x[a:b]` in any layout."""
    low, high = np.inf, -np.inf
    rest = b - (b - a) % _MANY
    if rest > a:
        lows, highs = np.full(_MANY, np.inf), np.full(_MANY, -np.inf)
        for i in range(a, rest, _MANY):
            _fold(x[i : i + _MANY], lows, highs)
        low, high = lows.min(), highs.max()
    for i in range(rest, b):
        v = np.float64(x[i])
        # comparisons with NaN are false
        low = v if v < low else low
        high = v if v > high else high
    return low, high


@inner
def _fold(x, lows, highs):
    for j in range(lows.shape[0]):
        v = np.float64(x[j])
        lows[j] = v if v < lows[j] else lows[j]
        highs[j] = v if v > highs[j] else highs[j]
