"""The discontinuity sums compiled: tiles of one channel, cut into spans that threads share.

A tile is read once from memory, as float64 relative to the piece's first value (so that a large
offset costs no digits) and times a power of two (so that no square or fourth power leaves the
range of float64, whatever the unit), and every stride takes its intervals from it while it is in
cache. Spans of a piece are added up in their order, whichever thread made them, so the sums do not
depend on the number of threads.
"""

import math

import numba
import numpy as np

from timegrain.kernels.discontinuity.tile.extent.numba_ import (
    extent,
    load_extent,
    strided_extent,
)
from timegrain.kernels.discontinuity.tile.numba_ import moments, tile_sums, workspace
from timegrain.kernels.inner import inner

# within these a power of two and its inverse are normal numbers, so that scaling is exact
LEAST, _MOST = -1000, 1020
_FAINT = 2.0**-400  # e^2 of a piece, relative to its range; the square of a sum of these is normal
_FAR = 100  # between a guessed exponent and the right one; fourth powers differ by 2^400


@inner
def range_exponent(span):
    """`floor(log2 span)` in -1000..1020; -1000 for no span at all."""
    if not span > 0.0:
        return LEAST
    if not span < np.inf:
        return _MOST
    return min(max(math.frexp(span)[1] - 1, LEAST), _MOST)


@inner
def first_finite(values, c, start, stop):
    """The first finite sample of a column; 0 without one."""
    for i in range(start, stop):
        v = np.float64(values[i, c])
        if v - v == 0.0:
            return v
    return 0.0


@inner
def _instant(times, start, i):
    return times[start + i] - times[start] if times.size else float(i)


@inner
def _trend_sums(tile, offset, size, times, start, x_mean):
    """Mean time of valid samples, and sums of (t - mean)^2 and (t - mean)(x - mean)."""
    n, t_mean, tt, xt = 0, 0.0, 0.0, 0.0
    for i in range(size):
        if tile[i] == tile[i]:
            n += 1
            t_mean += _instant(times, start, offset + i)
    t_mean /= max(n, 1)
    for i in range(size):
        if tile[i] == tile[i]:
            d = _instant(times, start, offset + i) - t_mean
            tt += d * d
            xt += d * (tile[i] - x_mean)
    return t_mean, tt, xt


@inner
def add_moments(state, tile, offset, size, times, start, detrend):
    """Merge a tile into `state = n, mean, m2, t_mean, tt, xt`."""
    n, mean, m2 = moments(tile, 0, size)
    t_mean, tt, xt = 0.0, 0.0, 0.0
    if detrend:
        t_mean, tt, xt = _trend_sums(tile, offset, size, times, start, mean)
    _merge_moments(state, n, mean, m2, t_mean, tt, xt)


@inner
def _merge_moments(state, n, mean, m2, t_mean, tt, xt):
    """Add the moments of other samples (Chan, Golub and LeVeque 1983)."""
    if n == 0:
        return
    before = state[0]
    share = before * n / (before + n)
    step, t_step = mean - state[1], t_mean - state[3]
    state[4] += tt + t_step * t_step * share
    state[5] += xt + t_step * step * share
    state[3] += t_step * n / (before + n)
    state[2] += m2 + step * step * share
    state[1] += step * n / (before + n)
    state[0] = before + n


@numba.njit(cache=True, nogil=True)
def variance(state, detrend):
    """Unbiased variance of the moments, about the mean or the line; -1 for too few samples."""
    n = state[0]
    if detrend:
        if n < 3:
            return -1.0
        return max(state[2] - state[5] * state[5] / state[4], 0.0) / (n - 2)
    return state[2] / (n - 1) if n >= 2 else -1.0


@inner
def column_extent(values, c, start, stop):
    """Least and largest valid sample of a column; `inf, -inf` without one."""
    if values.shape[1] == 1:
        return extent(values.ravel(), start, stop)
    return strided_extent(values[:, c], start, stop)


@numba.njit(cache=True, nogil=True)
def guess_exponents(sources, values, starts, stops, size, exponents):
    """Fill each piece's exponent, for a long one that of its first tile that varies.

    Args:
        sources: Part of the cache's key, not read.
        values: `(sample, channel)`.
        starts: Of the pieces.
        stops: Of the pieces.
        size: Of a tile.
        exponents: `(piece, channel)`, to be filled.
    """
    for u in range(starts.shape[0]):
        for c in range(values.shape[1]):
            exponents[u, c] = LEAST
            for begin in range(starts[u], stops[u], size):
                low, high = column_extent(values, c, begin, min(begin + size, stops[u]))
                exponents[u, c] = range_exponent(high - low)
                if high > low:
                    break


@numba.njit(cache=True, nogil=True)
def ranges(spans, ends, guesses, exponents, low, high):
    """Fill the exponent of every piece and the ends of each channel from those of the spans.

    Returns:
        Whether a guess was so far off that squares and fourth powers may have left the range.
    """
    wrong = False
    u = 0
    while u < spans.shape[0]:
        piece, end = spans[u, 0], u + 1
        while end < spans.shape[0] and spans[end, 0] == piece:
            end += 1
        for c in range(low.shape[0]):
            least, most = ends[u:end, c, 0].min(), ends[u:end, c, 1].max()
            low[c], high[c] = min(low[c], least), max(high[c], most)
            exponents[piece, c] = range_exponent(most - least)
            wrong |= abs(exponents[piece, c] - guesses[piece, c]) > _FAR
        u = end
    return wrong


@numba.njit(cache=True, nogil=True)
def span_sums(
    sources,
    values,
    exponents,
    times,
    starts,
    stops,
    segments,
    strides,
    detrend,
    spans,
    size,
    states,
    sums,
    ends,
):
    """Fill the moments and sums of spans of pieces; samples are taken times 2^-exponent.

    Args:
        sources: Part of the cache's key, not read.
        values: `(sample, channel)`.
        exponents: `(piece, channel)`.
        times: Instants, or empty.
        starts: Of the pieces.
        stops: Of the pieces.
        segments: Of the pieces.
        strides: Whole numbers >= 2.
        detrend: Whether time takes part in the moments.
        spans: `(span, 3)`: piece, begin and end within it.
        size: Of a tile.
        states: `(span, channel, 6)`, to be filled.
        sums: `(span, channel, segment, stride, 5)`, to be filled.
        ends: `(span, channel, 2)`, to be filled with the least and the largest sample.
    """
    reach = strides.max()
    tile, work = np.empty(size + reach), workspace(size)
    states[:], sums[:] = 0.0, 0.0
    channels = values.shape[1]
    shifts = np.empty(channels)
    for u in range(spans.shape[0]):
        piece, end = spans[u, 0], spans[u, 2]
        start, stop = starts[piece], stops[piece]
        for c in range(channels):
            shifts[c] = first_finite(values, c, start, stop)
            ends[u, c, 0], ends[u, c, 1] = np.inf, -np.inf
        for begin in range(spans[u, 1], end, size):
            here, there = start + begin, min(start + begin + size + reach, stop)
            for c in range(channels):
                own, factor = min(size, end - begin), math.ldexp(1.0, -exponents[piece, c])
                low, high = load(values, c, here, here + own, there, shifts[c], factor, tile)
                add_moments(states[u, c], tile, begin, own, times, start, detrend)
                ends[u, c, 0] = min(ends[u, c, 0], low)
                ends[u, c, 1] = max(ends[u, c, 1], high)
                tile_sums(tile, begin, size, stop - start, strides, times, start, segments,
                          stop - start, np.int64(0), sums[u, c], work)  # fmt: skip


@inner
def load(values, c, start, end, stop, shift, factor, tile):
    """Fill a tile with samples `start..stop` of a column less `shift`, times a power of two.

    Returns:
        Least and largest valid sample of `start..end`, as `column_extent` has them.
    """
    if values.shape[1] == 1:
        flat = values.ravel()  # a step known to be 1 lets the loop run in lanes
        low, high = load_extent(flat, start, end, shift, factor, tile)
        for i in range(end - start, stop - start):
            tile[i] = (flat[start + i] - shift) * factor
        return low, high
    for i in range(stop - start):
        tile[i] = (values[start + i, c] - shift) * factor
    return column_extent(values, c, start, end)


@numba.njit(cache=True, nogil=True)
def collect(spans, states, sums, guesses, exponents, groups, segments, detrend, lengths, used, out):
    """Add spans, those of a piece together and in order, to `out`, arrays of `ProfileSums`."""
    u = 0
    while u < spans.shape[0]:
        end = u + 1
        while end < spans.shape[0] and spans[end, 0] == spans[u, 0]:
            end += 1
        piece = spans[u, 0]
        for c in range(states.shape[1]):
            state, total = states[u, c], sums[u, c]
            for v in range(u + 1, end):
                a = states[v, c]
                _merge_moments(state, a[0], a[1], a[2], a[3], a[4], a[5])
                total += sums[v, c]
            _to_units(state, total, guesses[piece, c] - exponents[piece, c])
            _add_piece(state, total, exponents[piece, c], c, groups[piece], segments, detrend,
                       lengths[piece], used, out)  # fmt: skip
        u = end


@inner
def _to_units(state, total, rise):
    """Bring the sums of samples in units of one power of two to those of another; exact."""
    if rise == 0:
        return
    one = math.ldexp(1.0, rise)
    two = one * one
    state[1] *= one
    state[2] *= two
    state[5] *= one
    for s in range(total.shape[0]):
        for i in range(total.shape[1]):
            total[s, i, 0] *= two
            total[s, i, 4] *= two * two


@inner
def _widen(out, c, exponent):
    """Bring what a channel has so far to the units of a wider piece; exact."""
    numerator, denominator, _, _, spread, widest, _, _, _, _ = out
    share = math.ldexp(1.0, 2 * max(widest[c] - exponent, -600))
    # not by slices, whose check of shapes takes seconds to compile
    for g in range(numerator.shape[0]):
        for i in range(numerator.shape[2]):
            numerator[g, c, i] *= share
            denominator[g, c, i] *= share
    spread[c] *= share
    widest[c] = exponent


@inner
def _add_piece(state, total, exponent, c, group, segments, detrend, length, used, out):
    numerator, denominator, triples, skipped, spread, widest, missing, fourth, fourths, two = out
    missing[c] += length - int(state[0])
    if exponent > widest[c]:
        _widen(out, c, exponent)
    s2 = variance(state, detrend)
    if s2 < 0:
        return
    used[c] += 1
    # a piece far narrower than the channel's widest has no share in its sums
    share = math.ldexp(1.0, 2 * (exponent - widest[c]))
    spread[c] += s2 * share
    for s in range(segments):
        into = s if segments > 1 else group
        for i in range(numerator.shape[2]):
            numerator[into, c, i] += total[s, i, 0] * share
            denominator[into, c, i] += s2 * total[s, i, 1] * share
            triples[c, i] += int(total[s, i, 2])
            skipped[c, i] += int(total[s, i, 3])
    if two >= 0:
        square, count, four = 0.0, 0.0, 0.0
        for s in range(segments):
            square += total[s, two, 0]
            count += total[s, two, 2]
            four += total[s, two, 4]
        if square > _FAINT * count:
            fourth[c] += four * count * count / (square * square)
            fourths[c] += int(count)


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


@inner
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


@inner
def _bent(w, q):
    """`|w^q - w^2| / |q - 2|` for `0 <= w <= 1`; its limit at q = 2 is `-w^2 log w`."""
    if w <= 0.0 or w >= 1.0:
        return 0.0
    bend = abs(q - 2.0)
    log = math.log(w)
    # the smaller power is taken out, so that what is left is between 0 and 1
    return w ** min(q, 2.0) * (-log if bend < 1e-12 else -math.expm1(bend * log) / bend)
