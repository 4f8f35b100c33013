"""The sums of one tile of one channel, compiled: half a nanosecond a sample for six strides.

Residuals of stride `2h` follow from those of stride `h`. With `m` the kept sample that stride `2h`
drops, `c = m - (a + b) / 2` and `t = j / h`, a line of stride `2h` differs from those of stride `h`
by `c t` before `m` and by `c (1 - t)` behind it. So an interval needs three numbers only,

    S = sum e^2,  U = sum t e,  V = sum (1 - t) e,

and two neighbours of stride `h` give those of stride `2h`:

    S' = S1 + S2 + 2 c (U1 + V2) + c^2 (1 + (h-1)(2h-1) / (3h))
    U' = (U1 + V2) / 2 + U2 + c h / 2,   V' = (U1 + V2) / 2 + V1 + c h / 2.

All powers of two together cost as much as one pass. Strides up to 64 are taken of 512 samples at a
time: where these have no NaN and are of one segment, as `tile.columns` has it, else by the loops
below. The norm of e at stride h is at most `1 + sqrt(4h / 3)` times that at 2h, since `c` is one of
the residuals there, so what cancels costs less than two digits up to stride 64. Other strides and
irregular times are summed triple by triple.
"""

import numpy as np

from timegrain.kernels.discontinuity.tile.columns.numba_ import (
    BLOCK,
    ROWS,
    add_blocks,
    block_space,
    held,
    held_fourth,
    release,
)
from timegrain.kernels.inner import inner

SIZE = 8192
_SIMD = {"reassoc", "contract"}  # sums in lanes; NaN keeps its meaning


def tile_size(reach: int) -> int:
    """Samples a tile for strides up to `reach`: a power of two, so that intervals nest in it."""
    return max(SIZE, 1 << (4 * reach - 1).bit_length())


@inner
def workspace(size):
    """Rows for levels of intervals; they may be used for one tile after the other."""
    return np.empty((10, size // 2 + 2)), np.empty((9, size // ROWS + 2)), block_space()


@inner
def tile_sums(tile, begin, size, length, strides, times, at, segments, period, first, sums, work):
    """Add the intervals that begin in a tile to the sums of their segments.

    An interval belongs to the tile and to the segment of its first sample; segment `s` holds those
    that begin at `i` with `i * segments // period = s`.

    Args:
        tile: Samples `begin .. begin + size + max(strides)`, as many as there are.
        begin: Of the tile within its series, a multiple of `size`.
        size: From `tile_size`.
        length: Samples of the series.
        strides: Whole numbers >= 2.
        times: Instants of the flat array, or empty.
        at: Where the series begins in `times`.
        segments: See above.
        period: See above.
        first: The segment that is row 0 of `sums`.
        sums: `(segment, stride, 5)`: sum of e^2, of the weights, triples, skipped triples, and
            at stride 2 the sum of e^4.
        work: From `workspace`.
    """
    highest = np.int64(1)
    if times.size == 0:
        for i in range(strides.shape[0]):
            k = strides[i]
            if k & (k - 1) == 0 and k <= size:
                highest = max(highest, k)
    if highest > 1:
        _powers(
            tile, begin, size, length, strides, highest, segments, period, first, sums, times, work
        )
    for i in range(strides.shape[0]):
        if strides[i] & (strides[i] - 1) or strides[i] > highest:
            _direct(tile, begin, size, length, strides[i], times, at, segments, period, first,
                    sums[:, i])  # fmt: skip


@inner
def _powers(
    tile, begin, size, length, strides, highest, segments, period, first, sums, times, work
):
    """Strides that are powers of two, up to 64 block by block."""
    left = min(size, length - 1 - begin)
    small, upper, rows = work
    at, together = np.int64(0), np.int64(1)
    while at < left:
        segment = (begin + at) * segments // period
        end = -(-(segment + 1) * period // segments) - begin  # where the next one begins
        many = (min(left, end) - at) // BLOCK
        done = add_blocks(tile, at, many, rows, upper, highest > ROWS)
        if done:
            _release(rows, done, strides, sums[segment - first])
            at, together = at + done * BLOCK, 1
        if many == 0 or done < many:
            n = min(together * BLOCK, left - at)
            _levels(tile[at:], begin + at, n, strides, highest, segments, period, first, sums,
                    times, small, upper[:, at // ROWS :])  # fmt: skip
            # where gaps are many, fewer blocks are tried in vain
            at, together = at + n, 2 * together
    if highest > ROWS:
        _upper_levels(
            tile, begin, left, strides, highest, segments, period, first, sums, times, upper
        )


@inner
def _release(rows, blocks, strides, out):
    """Add what is held of a number of blocks to the sums of their segment."""
    for i in range(strides.shape[0]):
        k = strides[i]
        if k & (k - 1) == 0 and k <= ROWS:
            count = blocks * (BLOCK // k)
            out[i, 0] += max(held(rows, k), 0.0)
            out[i, 1] += _weights(k) * count
            out[i, 2] += (k - 1) * count
            if k == 2:
                out[i, 4] += held_fourth(rows)
    release(rows)


@inner
def _weights(k):
    """Sum of `1 + (1 - w)^2 + w^2` over the triples of an interval."""
    return (k - 1) + (k - 1) * (2 * k - 1) / (3.0 * k)


@inner
def _levels(tile, begin, left, strides, highest, segments, period, first, sums, times, work, upper):
    """Strides up to 64 of whole blocks or the rest, row by row; keep the numbers of stride 64."""
    bend, other = work[0], work[1]
    s, u, v, x = work[2], work[3], work[4], work[5]
    s2, u2, v2, x2 = work[6], work[7], work[8], work[9]
    n = left // 2
    _bends_and_halves(tile, n, bend, x)
    _reduce(tile, begin, np.int64(2), n, bend, strides, segments, period, first, sums, times)
    k = np.int64(4)
    while k <= min(highest, ROWS):
        n = left // k
        if k == 4:
            _bends_and_halves(x, n, other, x2)
            _join_first(bend, other, n, s2, u2, v2)
        else:
            _bends_and_halves(x, n, bend, x2)
            _join_squares(s, u, v, bend, n, _factor(k), s2)
            if k < highest:
                _join_moments(u, v, bend, n, 0.25 * k, u2, v2)
        _reduce(tile, begin, k, n, s2, strides, segments, period, first, sums, times)
        s, s2, u, u2, v, v2, x, x2 = s2, s, u2, u, v2, v, x2, x
        k *= 2
    if highest > ROWS:
        # not by slices, whose check of shapes takes seconds to compile
        for p in range(n):
            upper[0, p], upper[1, p], upper[2, p] = s[p], u[p], v[p]


@inner
def _factor(k):
    return 1.0 + (k / 2 - 1) * (k - 1) / (1.5 * k)


@inner
def _upper_levels(tile, begin, left, strides, highest, segments, period, first, sums, times, upper):
    """Strides above 64 of a tile, from the numbers of stride 64."""
    s, u, v, x = upper[0], upper[1], upper[2], upper[3]
    s2, u2, v2, x2, bend = upper[4], upper[5], upper[6], upper[7], upper[8]
    for p in range(left // ROWS + 1):
        x[p] = tile[p * ROWS]
    k = np.int64(2 * ROWS)
    while k <= highest:
        n = left // k
        _bends_and_halves(x, n, bend, x2)
        _join_squares(s, u, v, bend, n, _factor(k), s2)
        _join_moments(u, v, bend, n, 0.25 * k, u2, v2)
        _reduce(tile, begin, k, n, s2, strides, segments, period, first, sums, times)
        s, s2, u, u2, v, v2, x, x2 = s2, s, u2, u, v2, v, x2, x
        k *= 2


@inner
def _reduce(tile, begin, k, n, s, strides, segments, period, first, sums, times):
    """Add the intervals `begin / k ...` of a power of two to their segments, if it is asked for."""
    for i in range(strides.shape[0]):
        if strides[i] == k:
            p0 = begin // k
            a = 0
            while a < n:
                segment = (p0 + a) * k * segments // period
                # the first interval of the next segment
                end = -(-(segment + 1) * period // (k * segments)) - p0
                b = min(n, end)
                if k == 2:
                    _add_bends(a, b, s, sums[segment - first, i])
                else:
                    _add(tile, a, b, k, s, sums[segment - first, i], times)
                a = b


@inner
def _add_bends(a, b, e, out):
    """Intervals of stride 2, of which `e` is the only residual."""
    square, four = _two_powers(e, a, b)
    if square == square:
        out[0] += square
        out[1] += 1.5 * (b - a)
        out[2] += b - a
        out[4] += four
        return
    for p in range(a, b):
        if e[p] == e[p]:
            out[0] += e[p] * e[p]
            out[1] += 1.5
            out[2] += 1.0
            out[4] += e[p] * e[p] * e[p] * e[p]
        else:
            out[3] += 1.0


@inner
def _add(tile, a, b, k, s, out, times):
    total = _total(s, a, b)
    full = _weights(k)
    if total == total:
        out[0] += max(total, 0.0)
        out[1] += full * (b - a)
        out[2] += (k - 1) * (b - a)
        return
    for p in range(a, b):
        if s[p] == s[p]:
            out[0] += max(s[p], 0.0)
            out[1] += full
            out[2] += k - 1
        else:
            _interval(tile, p * k, k, times, 0, False, out)


@inner
def _direct(tile, begin, size, length, k, times, at, segments, period, first, out):
    full = _weights(k)
    for p in range(-(-begin // k), min(-(-(begin + size) // k), (length - 1) // k)):
        row = out[p * k * segments // period - first]
        base = p * k - begin
        total = np.nan
        if k > 2 and times.size == 0:
            total = _whole_interval(tile, base, k)
        if total == total:
            row[0] += total
            row[1] += full
            row[2] += k - 1
        else:
            _interval(tile, base, k, times, at + p * k, k == 2, row)


@inner(fastmath=_SIMD)
def _whole_interval(tile, base, k):
    """Sum of e^2 on a uniform grid; NaN if any triple touches one."""
    first = tile[base]
    slope = (tile[base + k] - first) / k
    total = 0.0
    for j in range(1, k):
        e = (tile[base + j] - first) - j * slope
        total += e * e
    return total


@inner
def _interval(tile, base, k, times, at, fourth, out):
    """Add the triples of one interval that are without NaN, and count those that are not."""
    first = tile[base]
    rise = tile[base + k] - first
    for j in range(1, k):
        w = (times[at + j] - times[at]) / (times[at + k] - times[at]) if times.size else j / k
        e = (tile[base + j] - first) - w * rise
        if e == e:
            out[0] += e * e
            out[1] += 1.0 + (1.0 - w) * (1.0 - w) + w * w
            out[2] += 1.0
            if fourth:
                out[4] += e * e * e * e
        else:
            out[3] += 1.0


@inner(fastmath=_SIMD)
def _bends_and_halves(x, n, bends, halves):
    """What every second sample misses its neighbours' line by, and those neighbours."""
    for p in range(n):
        bends[p] = (x[2 * p + 1] - x[2 * p]) - 0.5 * (x[2 * p + 2] - x[2 * p])
        halves[p] = x[2 * p]
    halves[n] = x[2 * n]


@inner(fastmath=_SIMD)
def _join_first(e, c, n, s, u, v):
    """Strides 2 to 4: there `U = V = e / 2`."""
    for p in range(n):
        both = e[2 * p] + e[2 * p + 1]
        s[p] = e[2 * p] * e[2 * p] + e[2 * p + 1] * e[2 * p + 1] + c[p] * (both + 1.5 * c[p])
        middle = 0.25 * both + c[p]
        u[p] = middle + 0.5 * e[2 * p + 1]
        v[p] = middle + 0.5 * e[2 * p]


@inner(fastmath=_SIMD)
def _join_squares(s, u, v, c, n, factor, out):
    for p in range(n):
        cross = 2.0 * (u[2 * p] + v[2 * p + 1])
        out[p] = s[2 * p] + s[2 * p + 1] + c[p] * (cross + factor * c[p])


@inner(fastmath=_SIMD)
def _join_moments(u, v, c, n, half, u2, v2):
    for p in range(n):
        middle = 0.5 * (u[2 * p] + v[2 * p + 1]) + half * c[p]
        u2[p] = middle + u[2 * p + 1]
        v2[p] = middle + v[2 * p]


@inner(fastmath=_SIMD)
def _total(x, a, b):
    total = 0.0
    for p in range(a, b):
        total += x[p]
    return total


@inner(fastmath=_SIMD)
def _two_powers(x, a, b):
    second, fourth = 0.0, 0.0
    for p in range(a, b):
        square = x[p] * x[p]
        second += square
        fourth += square * square
    return second, fourth


@inner(fastmath=_SIMD)
def _squares_about(x, a, b, mean):
    total = 0.0
    for p in range(a, b):
        total += (x[p] - mean) * (x[p] - mean)
    return total


@inner
def moments(x, a, b):
    """Count, mean and sum of squares about it of the valid samples `a..b`; zeros for none."""
    total = _total(x, a, b)
    n = b - a
    if total == total and n > 0:
        mean = total / n
        return n, mean, _squares_about(x, a, b, mean)
    n, total = 0, 0.0
    for i in range(a, b):
        if x[i] == x[i]:
            n += 1
            total += x[i]
    mean, square = total / max(n, 1), 0.0
    for i in range(a, b):
        if x[i] == x[i]:
            square += (x[i] - mean) * (x[i] - mean)
    return n, mean, square
