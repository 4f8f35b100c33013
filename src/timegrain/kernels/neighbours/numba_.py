"""Squared steps between neighbours and the variance beside them, in tiles of one channel."""

import math

import numba
import numpy as np

_TILE = 4096
_SIMD = {"reassoc", "contract"}  # sums in lanes; NaN keeps its meaning


@numba.njit(cache=True, nogil=True)
def _first_finite(values, c, start, stop):
    for i in range(start, stop):
        v = np.float64(values[i, c])
        if v - v == 0.0:
            return v
    return 0.0


@numba.njit(cache=True, nogil=True, fastmath=_SIMD)
def _total(tile, a, b):
    """Count of valid samples and their sum."""
    n, total = 0.0, 0.0
    for i in range(a, b):
        v = tile[i]
        n += 1.0 if v == v else 0.0
        total += v if v == v else 0.0
    return n, total


@numba.njit(cache=True, nogil=True, fastmath=_SIMD)
def _squares(tile, a, b, mean):
    """Sum of squared deviations."""
    total = 0.0
    for i in range(a, b):
        d = tile[i] - mean
        total += d * d if d == d else 0.0
    return total


@numba.njit(cache=True, nogil=True, fastmath=_SIMD)
def _steps(tile, a, b):
    """Sum of squared steps between valid neighbours, and how many there are."""
    total, n = 0.0, 0.0
    for i in range(a, b):
        d = tile[i] - tile[i - 1]
        total += d * d if d == d else 0.0
        n += 1.0 if d == d else 0.0
    return total, n


@numba.njit(cache=True, nogil=True)
def _line(values, times, c, start, stop, shift, factor):
    """Slope over time of the least-squares line."""
    n, t_mean, x_mean, tt, xt = 0, 0.0, 0.0, 0.0, 0.0
    for i in range(start, stop):
        x = (values[i, c] - shift) * factor
        if x == x:
            n += 1
            t = times[i] - times[start] if times.size else float(i - start)
            step = t - t_mean
            t_mean += step / n
            xt += step * (x - x_mean) * (n - 1) / n
            x_mean += (x - x_mean) / n
            tt += step * (t - t_mean)
    if n < 3:
        return 0.0
    return xt / tt


@numba.njit(cache=True, nogil=True)
def _straighten(tile, lo, hi, times, start, slope):
    for i in range(lo, hi):
        t = times[start + i] - times[start] if times.size else float(i)
        tile[i - lo] -= slope * t


@numba.njit(cache=True, nogil=True)
def accumulate(values, exponents, times, starts, stops, detrend, rise, spread):
    """Add every piece to `rise` and `spread`; samples are taken times 2^-exponent."""
    tile = np.empty(_TILE + 1)
    lost = 2 if detrend else 1
    for u in range(starts.shape[0]):
        start, length = starts[u], stops[u] - starts[u]
        for c in range(values.shape[1]):
            factor = math.ldexp(1.0, -exponents[c])
            shift = _first_finite(values, c, start, stops[u])
            slope = 0.0
            if detrend:
                slope = _line(values, times, c, start, stops[u], shift, factor)
            count, mean, m2, total, pairs = 0.0, 0.0, 0.0, 0.0, 0.0
            for begin in range(0, length, _TILE):
                lo, hi = max(0, begin - 1), min(length, begin + _TILE)
                for i in range(lo, hi):
                    tile[i - lo] = (values[start + i, c] - shift) * factor
                if detrend:
                    _straighten(tile, lo, hi, times, start, slope)
                n, part = _total(tile, begin - lo, hi - lo)
                steps, m = _steps(tile, 1, hi - lo)
                total += steps
                pairs += m
                if n > 0:  # Chan et al. (1983)
                    between = part / n - mean
                    m2 += _squares(tile, begin - lo, hi - lo, part / n)
                    m2 += between * between * count * n / (count + n)
                    mean += between * n / (count + n)
                    count += n
            if count > lost:
                rise[c] += total
                spread[c] += 2.0 * m2 / (count - lost) * pairs
