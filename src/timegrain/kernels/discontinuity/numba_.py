"""The discontinuity sums compiled: one pass in tiles, the only temporary a tile of one channel.

A tile is read once from memory, as float64 relative to the piece's first value (so that a large
offset costs no digits) and times a power of two (so that no square or fourth power leaves the
range of float64, whatever the unit), and every stride takes its intervals from it while it is in
cache. An interval that crosses tiles is done with the tile its last sample is in, so each tile
starts with the last `max(k)` samples of the one before.
"""

import math

import numba
import numpy as np

_TILE = 4096
_SIMD = {"reassoc", "contract"}  # sums in lanes; NaN keeps its meaning
# within these a power of two and its inverse are normal numbers, so that scaling is exact
_LEAST, _MOST = -1000, 1020
_FAINT = 2.0**-400  # e^2 of a piece, relative to its range; the square of a sum of these is normal


@numba.njit(cache=True, nogil=True, fastmath=_SIMD)
def _extent(values, c, start, stop):
    """Least and largest valid sample; `inf, -inf` without one."""
    low, high = np.inf, -np.inf
    for i in range(start, stop):
        v = np.float64(values[i, c])
        if v == v:
            low = min(low, v)
            high = max(high, v)
    return low, high


@numba.njit(cache=True, nogil=True)
def range_exponent(span):
    """`floor(log2 span)` in -1000..1020; -1000 for no span at all."""
    if not span > 0.0:
        return _LEAST
    if not span < np.inf:
        return _MOST
    return min(max(math.frexp(span)[1] - 1, _LEAST), _MOST)


@numba.njit(cache=True, nogil=True)
def _load(values, c, start, stop, shift, factor, tile):
    for i in range(stop - start):
        tile[i] = (values[start + i, c] - shift) * factor


@numba.njit(cache=True, nogil=True)
def _first_finite(values, c, start, stop):
    for i in range(start, stop):
        v = np.float64(values[i, c])
        if v - v == 0.0:
            return v
    return 0.0


@numba.njit(cache=True, nogil=True, fastmath=_SIMD)
def _valid_sums(tile, a, b):
    """Count of valid samples and their sum."""
    n, total = 0, 0.0
    for i in range(a, b):
        v = tile[i]
        if v == v:
            n += 1
            total += v
    return n, total


@numba.njit(cache=True, nogil=True, fastmath=_SIMD)
def _centred(tile, a, b, mean):
    total = 0.0
    for i in range(a, b):
        d = tile[i] - mean
        if d == d:
            total += d * d
    return total


@numba.njit(cache=True, nogil=True)
def _instant(times, start, i):
    return times[start + i] - times[start] if times.size else float(i)


@numba.njit(cache=True, nogil=True)
def _trend_sums(tile, offset, a, b, times, start, x_mean):
    """Mean time of valid samples, and sums of (t - mean)^2 and (t - mean)(x - mean)."""
    n, t_mean, tt, xt = 0, 0.0, 0.0, 0.0
    for i in range(a, b):
        if tile[i] == tile[i]:
            n += 1
            t_mean += _instant(times, start, offset + i)
    t_mean /= max(n, 1)
    for i in range(a, b):
        if tile[i] == tile[i]:
            d = _instant(times, start, offset + i) - t_mean
            tt += d * d
            xt += d * (tile[i] - x_mean)
    return t_mean, tt, xt


@numba.njit(cache=True, nogil=True)
def _add_moments(state, tile, offset, a, b, times, start, detrend):
    """Merge a tile into `state = n, mean, m2, t_mean, tt, xt` (Chan et al. 1983)."""
    n, total = _valid_sums(tile, a, b)
    if n == 0:
        return
    mean = total / n
    m2 = _centred(tile, a, b, mean)
    before = state[0]
    share = before * n / (before + n)
    step = mean - state[1]
    if detrend:
        t_mean, tt, xt = _trend_sums(tile, offset, a, b, times, start, mean)
        t_step = t_mean - state[3]
        state[4] += tt + t_step * t_step * share
        state[5] += xt + t_step * step * share
        state[3] += t_step * n / (before + n)
    state[2] += m2 + step * step * share
    state[1] += step * n / (before + n)
    state[0] = before + n


@numba.njit(cache=True, nogil=True)
def _variance(state, detrend):
    n = state[0]
    if detrend:
        if n < 3:
            return -1.0
        return max(state[2] - state[5] * state[5] / state[4], 0.0) / (n - 2)
    return state[2] / (n - 1) if n >= 2 else -1.0


@numba.njit(cache=True, nogil=True, fastmath=_SIMD)
def _whole_interval(tile, base, k):
    """Sum of e^2 on a uniform grid; NaN if any triple touches one."""
    first = tile[base]
    slope = (tile[base + k] - first) / k
    total = 0.0
    for j in range(1, k):
        e = (tile[base + j] - first) - j * slope
        total += e * e
    return total


@numba.njit(cache=True, nogil=True)
def _interval(tile, base, k, times, at, fourth):
    """Sums of e^2, of the weights and of e^4, and the count, over triples without NaN."""
    first = tile[base]
    rise = tile[base + k] - first
    square, weight, fours, count = 0.0, 0.0, 0.0, 0
    for j in range(1, k):
        w = (times[at + j] - times[at]) / (times[at + k] - times[at]) if times.size else j / k
        e = (tile[base + j] - first) - w * rise
        if e == e:
            count += 1
            square += e * e
            weight += 1.0 + (1.0 - w) * (1.0 - w) + w * w
            if fourth:
                fours += e * e * e * e
    return square, weight, fours, count


@numba.njit(cache=True, nogil=True)
def _add_stride(tile, lo, hi, start, length, k, times, p, i, square, weight, tails, counts):
    """Add every interval of stride `k` that ends before `hi`; return the next one's index."""
    segments = square.shape[0]
    full = (k - 1) + (k - 1) * (2 * k - 1) / (3.0 * k)  # sum of 1 + (1-w)^2 + w^2
    while (p + 1) * k < hi:
        base = p * k - lo
        s = p * k * segments // length
        total = np.nan
        if k > 2 and times.size == 0:
            total = _whole_interval(tile, base, k)
        if total == total:
            square[s, i] += total
            weight[s, i] += full
            counts[0, i] += k - 1
        else:
            e2, wsum, e4, n = _interval(tile, base, k, times, start + p * k, k == 2)
            square[s, i] += e2
            weight[s, i] += wsum
            counts[0, i] += n
            counts[1, i] += k - 1 - n
            if k == 2:
                tails[0] += e4
                tails[1] += e2
                tails[2] += n
        p += 1
    return p


@numba.njit(cache=True, nogil=True)
def _piece(values, c, start, stop, factor, times, strides, detrend, tile, state, sums):
    """Fill the moments and the sums of one piece of one channel, of its samples times `factor`."""
    square, weight, tails, counts, position = sums
    state[:] = 0.0
    square[:], weight[:], tails[:] = 0.0, 0.0, 0.0
    counts[:], position[:] = 0, 0
    length = stop - start
    shift = _first_finite(values, c, start, stop)
    reach = strides.max()
    size = tile.shape[0] - reach
    for begin in range(0, length, size):
        lo, hi = max(0, begin - reach), min(length, begin + size)
        _load(values, c, start + lo, start + hi, shift, factor, tile)
        _add_moments(state, tile, lo, begin - lo, hi - lo, times, start, detrend)
        for i in range(strides.shape[0]):
            position[i] = _add_stride(
                tile, lo, hi, start, length, strides[i], times, position[i], i,
                square, weight, tails, counts,
            )  # fmt: skip


@numba.njit(cache=True, nogil=True)
def ranges(values, starts, stops, low, high, widest, exponents):
    """Fill the ends of each channel, its widest piece's exponent, and that of every piece."""
    widest[:] = _LEAST
    for u in range(starts.shape[0]):
        for c in range(values.shape[1]):
            least, most = _extent(values, c, starts[u], stops[u])
            low[c], high[c] = min(low[c], least), max(high[c], most)
            exponents[u, c] = range_exponent(most - least)
            widest[c] = max(widest[c], exponents[u, c])


@numba.njit(cache=True, nogil=True)
def accumulate(values, exponents, times, starts, stops, groups, segments, strides, detrend, out):
    """Add every piece to `out`, arrays of `ProfileSums`; samples are taken times 2^-exponent."""
    numerator, denominator, triples, skipped, spread, widest, missing, fourth, fourths = out
    n_strides = strides.shape[0]
    reach = strides.max()
    tile = np.empty(max(_TILE, 4 * reach) + reach)
    state, used = np.empty(6), np.zeros(values.shape[1])
    square, weight = np.empty((segments, n_strides)), np.empty((segments, n_strides))
    counts = np.empty((2, n_strides), dtype=np.int64)
    position = np.empty(n_strides, dtype=np.int64)
    tails = np.empty(3)
    sums = (square, weight, tails, counts, position)
    for u in range(starts.shape[0]):
        for c in range(values.shape[1]):
            factor = math.ldexp(1.0, -exponents[u, c])
            _piece(
                values, c, starts[u], stops[u], factor, times, strides, detrend, tile, state, sums
            )
            missing[c] += stops[u] - starts[u] - int(state[0])
            s2 = _variance(state, detrend)
            if s2 < 0:
                continue
            used[c] += 1
            # a piece far narrower than the channel's widest has no share in its sums
            share = math.ldexp(1.0, 2 * (exponents[u, c] - widest[c]))
            spread[c] += s2 * share
            for s in range(segments):
                into = s if segments > 1 else groups[u]
                for i in range(n_strides):
                    numerator[into, c, i] += square[s, i] * share
                    denominator[into, c, i] += s2 * weight[s, i] * share
            for i in range(n_strides):
                triples[c, i] += counts[0, i]
                skipped[c, i] += counts[1, i]
            if tails[1] > _FAINT * tails[2]:
                fourth[c] += tails[0] * tails[2] * tails[2] / (tails[1] * tails[1])
                fourths[c] += int(tails[2])
    for c in range(values.shape[1]):
        spread[c] /= max(used[c], 1.0)


@numba.njit(cache=True, nogil=True)
def count_triples(starts, stops, stride):
    """Number of triples on the grid, NaN or not."""
    n = 0
    for u in range(starts.shape[0]):
        n += (stops[u] - starts[u] - 1) // stride * (stride - 1)
    return n


@numba.njit(cache=True, nogil=True)
def residuals(values, times, starts, stops, stride, c, out):
    """Write `|e|` of every triple without NaN into `out`; return how many."""
    n = 0
    for u in range(starts.shape[0]):
        for p in range((stops[u] - starts[u] - 1) // stride):
            a = starts[u] + p * stride
            first = np.float64(values[a, c])
            rise = values[a + stride, c] - first
            for j in range(1, stride):
                w = j / stride
                if times.size:
                    w = (times[a + j] - times[a]) / (times[a + stride] - times[a])
                e = (values[a + j, c] - first) - w * rise
                if e == e:
                    out[n] = abs(e)
                    n += 1
    return n


@numba.njit(cache=True, nogil=True)
def accumulate_tokens(tokens, times, starts, stops, groups, segments, strides, size, out):
    """Add every piece of token indices `0..size-1`: one-hot sums through three equalities."""
    numerator, denominator, triples, spread = out
    counts = np.zeros(size, dtype=np.int64)
    used = 0
    for u in range(starts.shape[0]):
        start, n = starts[u], stops[u] - starts[u]
        if n < 2:
            continue
        pairs = 0  # sum over the vocabulary of count^2, grown by 2 count + 1 at each sample
        for i in range(start, start + n):
            pairs += 2 * counts[tokens[i]] + 1
            counts[tokens[i]] += 1
        for i in range(start, start + n):
            counts[tokens[i]] = 0
        s2 = (n - pairs / n) / (n - 1)
        used += 1
        spread[0] += s2
        for i in range(strides.shape[0]):
            k = strides[i]
            for p in range((n - 1) // k):
                square, weight = _token_interval(tokens, times, start + p * k, k)
                into = p * k * segments // n if segments > 1 else groups[u]
                numerator[into, 0, i] += square
                denominator[into, 0, i] += s2 * weight
                triples[0, i] += k - 1
    spread[0] /= max(used, 1)


@numba.njit(cache=True, nogil=True)
def _token_interval(tokens, times, a, k):
    first, last = tokens[a], tokens[a + k]
    same = 1.0 if first == last else 0.0
    square, weight = 0.0, 0.0
    for j in range(1, k):
        w = (times[a + j] - times[a]) / (times[a + k] - times[a]) if times.size else j / k
        v = 1.0 - w
        unit = 1.0 + v * v + w * w
        left = 1.0 if tokens[a + j] == first else 0.0
        right = 1.0 if tokens[a + j] == last else 0.0
        square += unit - 2.0 * v * left - 2.0 * w * right + 2.0 * v * w * same
        weight += unit
    return square, weight


@numba.njit(cache=True, nogil=True)
def growth(times, starts, stops, stride, step, exponents, out):
    """Mean of `h_q` over the triples of every `step`-th interval, over their mean weight."""
    weight, seen = 0.0, 0
    for u in range(starts.shape[0]):
        for p in range((stops[u] - starts[u] - 1) // stride):
            seen += 1
            if (seen - 1) % step:
                continue
            a = starts[u] + p * stride
            whole = times[a + stride] - times[a]
            for j in range(1, stride):
                w = (times[a + j] - times[a]) / whole
                v = (times[a + stride] - times[a + j]) / whole
                weight += 1.0 + v * v + w * w
                for i in range(exponents.shape[0]):
                    q = exponents[i]
                    out[i] += whole**q * (v * _bent(w, q) + w * _bent(v, q))
    for i in range(exponents.shape[0]):
        out[i] /= weight


@numba.njit(cache=True, nogil=True)
def _bent(w, q):
    """`|w^q - w^2| / |q - 2|` for `0 <= w <= 1`; its limit at q = 2 is `-w^2 log w`."""
    if w <= 0.0 or w >= 1.0:
        return 0.0
    bend = abs(q - 2.0)
    log = math.log(w)
    # the smaller power is taken out, so that what is left is between 0 and 1
    return w ** min(q, 2.0) * (-log if bend < 1e-12 else -math.expm1(bend * log) / bend)
