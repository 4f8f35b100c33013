"""Sums of aligned stretches of a series, which merge in one binary tree, compiled.

A leaf is a stretch of samples at a place that only the definition fixes: a multiple of its length.
Its sums are taken in one fixed order. Two leaves, and then two nodes, merge only if they are the
two halves of an aligned stretch twice as long. So a node is the same number to the last bit,
however the samples came.

A node is a row of numbers for each channel: the columns named here, then five a stride (sum of
e^2, of the weights, triples, skipped triples, sum of e^4). Sums are in units of `2^exponent`.
"""

import math

import numba
import numpy as np

from timegrain.kernels.discontinuity.forest.neighbours.numba_ import (
    merge_steps,
    rise_and_spread,
    step_moments,
)
from timegrain.kernels.discontinuity.numba_ import (
    _FAINT,
    _token_interval,
    add_moments,
    column_extent,
    first_finite,
    load,
    range_exponent,
    variance,
)
from timegrain.kernels.discontinuity.tile.numba_ import moments, tile_sums, workspace
from timegrain.kernels.inner import inner

# of a stretch of a series, whose variance is known at its end only
VALID, EXPONENT, SHIFT, MEAN, M2, T_MEAN, TT, XT, LOW, HIGH, LENGTH = range(11)
# of the steps between neighbours; the last sample's is the one to the next stretch
PAIRS, STEP, STEP_M2 = range(11, 14)
# of pieces, each with a variance of its own; the other columns mean the same
PIECES, SPREAD, FOURTH, FOURTHS, RISE, BESIDE = SHIFT, MEAN, M2, T_MEAN, PAIRS, STEP
COLUMNS = 14


@inner
def tile_leaves(values, begin, count, size, leaf, strides, detrend, tile, work, sums, out):
    """Fill the leaves of one tile.

    Args:
        values: `(count, channel)`: the tile and the samples behind it that its intervals may need.
        begin: Of the tile within its sequence, a multiple of `size`.
        count: Samples there are.
        size: Of a tile.
        leaf: Samples a leaf; divides `size`.
        strides: Whole numbers >= 2.
        detrend: Whether time takes part in the moments.
        tile: `(size + max(strides),)`, to be written over.
        work: From `workspace(size)`, to be written over.
        sums: `(size / leaf, stride, 5)`, to be written over.
        out: `(size / leaf, channel, column)`, to be filled.
    """
    none = np.empty(0)
    out[:] = 0.0
    for c in range(values.shape[1]):
        low, high = column_extent(values, c, 0, count)
        exponent, shift = range_exponent(high - low), first_finite(values, c, 0, count)
        load(values, c, 0, count, count, shift, math.ldexp(1.0, -exponent), tile)
        sums[:] = 0.0
        tile_sums(tile, begin, size, begin + count, strides, none, np.int64(0), np.int64(1), leaf,
                  begin // leaf, sums, work)  # fmt: skip
        for i in range(-(-min(size, count) // leaf)):
            row, a, b = out[i, c], i * leaf, min((i + 1) * leaf, min(size, count))
            row[LOW], row[HIGH] = column_extent(values, c, a, b)
            row[VALID], row[MEAN], row[M2] = moments(tile, a, b)
            row[EXPONENT], row[SHIFT], row[LENGTH] = exponent, shift, b - a
            row[PAIRS], row[STEP], row[STEP_M2] = step_moments(tile, a, min(b + 1, count))
            if detrend:
                _add_trend(row, tile, a, b)
            row[COLUMNS:] = sums[i].ravel()


@inner
def _add_trend(row, tile, a, b):
    """Mean time from the leaf's begin, and the sums about it."""
    if row[VALID] == 0:
        return
    total = 0.0
    for i in range(a, b):
        if tile[i] == tile[i]:
            total += i - a
    row[T_MEAN] = total / row[VALID]
    for i in range(a, b):
        if tile[i] == tile[i]:
            d = (i - a) - row[T_MEAN]
            row[TT] += d * d
            row[XT] += d * (tile[i] - row[MEAN])


@numba.njit(cache=True, nogil=True)
def merge_stretches(sources, a, b, offset, detrend):
    """Add node `b`, which begins `offset` samples behind the begin of `a`, to `a`."""
    for c in range(a.shape[0]):
        left, right = a[c], b[c]
        low, high = min(left[LOW], right[LOW]), max(left[HIGH], right[HIGH])
        exponent = max(max(left[EXPONENT], right[EXPONENT]), float(range_exponent(high - low)))
        mine = math.ldexp(1.0, int(left[EXPONENT] - exponent))
        yours = math.ldexp(1.0, int(right[EXPONENT] - exponent))
        _merge_moments(left, right, mine, yours, exponent, offset, detrend)
        merge_steps(left[PAIRS:COLUMNS], right[PAIRS:COLUMNS], mine, yours)
        left[LOW], left[HIGH], left[EXPONENT] = low, high, exponent
        left[LENGTH] += right[LENGTH]
        _merge_sums(left, right, mine, yours)


@inner
def _merge_sums(left, right, mine, yours):
    for i in range(COLUMNS, left.shape[0], 5):
        left[i] = left[i] * mine * mine + right[i] * yours * yours
        for j in range(1, 4):
            left[i + j] += right[i + j]
        # four factors one after the other: a fourth power of one could be no number
        four, other = left[i + 4], right[i + 4]
        for _ in range(4):
            four *= mine
            other *= yours
        left[i + 4] = four + other


@inner
def _merge_moments(left, right, mine, yours, exponent, offset, detrend):
    n, m = left[VALID], right[VALID]
    # a side without a sample may still change the unit, so this comes before any return
    left[MEAN] *= mine
    left[M2] *= mine * mine
    left[XT] *= mine
    if m == 0:
        return
    if n == 0:
        for i in (VALID, SHIFT):
            left[i] = right[i]
        left[MEAN], left[M2] = right[MEAN] * yours, right[M2] * yours * yours
        left[T_MEAN], left[TT], left[XT] = right[T_MEAN] + offset, right[TT], right[XT] * yours
        return
    share = n * m / (n + m)
    apart = math.ldexp(right[SHIFT] - left[SHIFT], int(-exponent))
    step = apart + right[MEAN] * yours - left[MEAN]
    if detrend:
        t_step = offset + right[T_MEAN] - left[T_MEAN]
        left[TT] += right[TT] + t_step * t_step * share
        left[XT] += right[XT] * yours + t_step * step * share
        left[T_MEAN] += t_step * m / (n + m)
    left[M2] += right[M2] * yours * yours + step * step * share
    left[MEAN] += step * m / (n + m)
    left[VALID] = n + m


@inner
def piece_leaf(sources, values, size, strides, detrend, tile, work, state, sums, out):
    """Fill the leaf of a whole piece, `values` its samples `(sample, channel)`."""
    none, length, two = np.empty(0), values.shape[0], -1
    steps, more = np.empty(3), np.empty(3)
    reach = strides.max()
    for i in range(strides.shape[0]):
        two = i if strides[i] == 2 else two
    out[:] = 0.0
    for c in range(values.shape[1]):
        row = out[c]
        row[LOW], row[HIGH] = column_extent(values, c, 0, length)
        exponent, shift = range_exponent(row[HIGH] - row[LOW]), first_finite(values, c, 0, length)
        state[:], sums[:], steps[:] = 0.0, 0.0, 0.0
        for begin in range(0, length, size):
            end = min(begin + size + reach, length)
            load(values, c, begin, end, end, shift, math.ldexp(1.0, -exponent), tile)
            add_moments(state, tile, begin, min(size, length - begin), none, 0, detrend)
            tile_sums(
                tile,
                begin,
                size,
                length,
                strides,
                none,
                np.int64(0),
                np.int64(1),
                length,
                np.int64(0),
                sums,
                work,
            )
            more[0], more[1], more[2] = step_moments(tile, np.int64(0), min(size + 1, end - begin))
            merge_steps(steps, more, 1.0, 1.0)
        row[VALID], row[EXPONENT], row[LENGTH] = state[0], exponent, length
        s2 = variance(state, detrend)
        if s2 < 0:
            continue
        row[PIECES], row[SPREAD] = 1.0, s2
        row[RISE], row[BESIDE] = rise_and_spread(sources, steps, state, detrend)
        row[COLUMNS:] = sums.ravel()
        for i in range(strides.shape[0]):
            row[COLUMNS + 5 * i + 1] *= s2
            row[COLUMNS + 5 * i + 4] = 0.0
        if two >= 0 and sums[0, two, 0] > _FAINT * sums[0, two, 2]:
            square, count = sums[0, two, 0], sums[0, two, 2]
            row[FOURTH] = sums[0, two, 4] * count * count / (square * square)
            row[FOURTHS] = count


@numba.njit(cache=True, nogil=True)
def merge_pieces(a, b):
    """Add node `b` of pieces to `a`; a piece far narrower than the widest has no share."""
    for c in range(a.shape[0]):
        left, right = a[c], b[c]
        exponent = max(left[EXPONENT], right[EXPONENT])
        mine = math.ldexp(1.0, int(left[EXPONENT] - exponent))
        yours = math.ldexp(1.0, int(right[EXPONENT] - exponent))
        for i in (VALID, PIECES, FOURTH, FOURTHS, LENGTH):
            left[i] += right[i]
        for i in (SPREAD, RISE, BESIDE):
            left[i] = left[i] * mine * mine + right[i] * yours * yours
        left[LOW], left[HIGH] = min(left[LOW], right[LOW]), max(left[HIGH], right[HIGH])
        left[EXPONENT] = exponent
        for i in range(COLUMNS, left.shape[0], 5):
            left[i] = left[i] * mine * mine + right[i] * yours * yours
            left[i + 1] = left[i + 1] * mine * mine + right[i + 1] * yours * yours
            left[i + 2] += right[i + 2]
            left[i + 3] += right[i + 3]


@inner
def token_leaf(tokens, begin, length, whole, strides, counts, out):
    """Fill the leaf of tokens `begin .. begin + length` of a series.

    Args:
        tokens: Numbers `0..size-1`: those of the leaf and those behind it that there are.
        begin: Of the leaf within its sequence.
        length: Of the leaf.
        whole: Whether the leaf is a piece with a variance of its own.
        strides: Whole numbers >= 2.
        counts: `(size,)` zeros, and so again at the end.
        out: `(1, column)`, to be filled.
    """
    out[:] = 0.0
    row, none = out[0], np.empty(0)
    row[VALID] = row[LENGTH] = length
    row[LOW], row[HIGH] = np.inf, -np.inf
    s2 = 1.0
    if whole:
        pairs = 0  # sum over the vocabulary of count^2, grown by 2 count + 1 at each sample
        for i in range(length):
            pairs += 2 * counts[tokens[i]] + 1
            counts[tokens[i]] += 1
        for i in range(length):
            counts[tokens[i]] = 0
        s2 = (length - pairs / length) / (length - 1)
        row[PIECES], row[SPREAD] = 1.0, s2
    for i in range(strides.shape[0]):
        k, at = strides[i], COLUMNS + 5 * i
        p = -(-begin // k)
        while p * k < begin + length and (p + 1) * k < begin + tokens.shape[0]:
            square, weight = _token_interval(tokens, none, p * k - begin, k)
            row[at] += square
            row[at + 1] += s2 * weight
            row[at + 2] += k - 1
            p += 1


@inner
def push(
    sources, nodes, levels, indices, count, node, level, index, highest, leaf, pieces, detrend
):
    """Put a node behind `count` others and merge halves up to level `highest`; return the count."""
    levels[count], indices[count] = level, index
    for c in range(node.shape[0]):  # not by slices, whose check of shapes takes seconds to compile
        for i in range(node.shape[1]):
            nodes[count, c, i] = node[c, i]
    count += 1
    while count >= 2 and levels[count - 1] == levels[count - 2] < highest:
        left = indices[count - 2]
        if left % 2 or indices[count - 1] != left + 1:
            break
        if pieces:
            merge_pieces(nodes[count - 2], nodes[count - 1])
        else:
            offset = float(leaf << levels[count - 2])
            merge_stretches(sources, nodes[count - 2], nodes[count - 1], offset, detrend)
        levels[count - 2] += 1
        indices[count - 2] = left // 2
        count -= 1
    return count


@numba.njit(cache=True, nogil=True)
def grow_stretches(
    sources,
    values,
    first,
    tiles,
    size,
    leaf,
    strides,
    detrend,
    highest,
    nodes,
    levels,
    indices,
    count,
):
    """Push the leaves of complete tiles `first .. first + tiles`; return the count of nodes."""
    reach, leaves = strides.max(), size // leaf
    tile, work = np.empty(size + reach), workspace(size)
    sums = np.empty((leaves, strides.shape[0], 5))
    out = np.empty((leaves, values.shape[1], COLUMNS + 5 * strides.shape[0]))
    for t in range(tiles):
        part = values[t * size : (t + 1) * size + reach]
        tile_leaves(part, (first + t) * size, part.shape[0], size, leaf, strides, detrend, tile,
                    work, sums, out)  # fmt: skip
        for i in range(-(-min(size, part.shape[0]) // leaf)):
            count = push(sources, nodes, levels, indices, count, out[i], 0,
                         (first + t) * leaves + i, highest, leaf, False, detrend)  # fmt: skip
    return count


@numba.njit(cache=True, nogil=True)
def grow_pieces(
    sources, values, first, pieces, window, size, strides, detrend, highest, nodes, levels, indices,
    count,
):  # fmt: skip
    """Push whole pieces `first .. first + pieces`; return the count of nodes."""
    reach = strides.max()
    tile, work = np.empty(size + reach), workspace(size)
    state, sums = np.empty(6), np.empty((1, strides.shape[0], 5))
    out = np.empty((values.shape[1], COLUMNS + 5 * strides.shape[0]))
    for t in range(pieces):
        part = values[t * window : (t + 1) * window]
        piece_leaf(sources, part, size, strides, detrend, tile, work, state, sums, out)
        count = push(
            sources,
            nodes,
            levels,
            indices,
            count,
            out,
            0,
            first + t,
            highest,
            window,
            True,
            detrend,
        )
    return count


@numba.njit(cache=True, nogil=True)
def grow_tokens(
    sources,
    tokens,
    size,
    first,
    leaves,
    leaf,
    whole,
    strides,
    highest,
    nodes,
    levels,
    indices,
    count,
):
    """Push leaves of tokens `0..size-1`; return the count of nodes."""
    counts = np.zeros(size, dtype=np.int64)
    out = np.empty((1, COLUMNS + 5 * strides.shape[0]))
    reach = 0 if whole else strides.max()
    for t in range(leaves):
        part = tokens[t * leaf : (t + 1) * leaf + reach]
        token_leaf(part, 0 if whole else (first + t) * leaf, min(leaf, part.shape[0]), whole,
                   strides, counts, out)  # fmt: skip
        count = push(
            sources, nodes, levels, indices, count, out, 0, first + t, highest, leaf, whole, False
        )
    return count


@numba.njit(cache=True, nogil=True)
def push_all(sources, others, other_levels, other_indices, highest, leaf, pieces, detrend, nodes,
             levels, indices, count):  # fmt: skip
    """Push nodes behind `count` others; return the count of nodes."""
    for i in range(others.shape[0]):
        count = push(
            sources, nodes, levels, indices, count, others[i], other_levels[i], other_indices[i],
            highest, leaf, pieces, detrend,
        )  # fmt: skip
    return count
