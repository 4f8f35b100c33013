"""Strides 2 to 64 over eight stretches of 64 samples at once, one in each lane of a vector.

Row `r` of a transposed block holds sample `r` of every stretch, so an interval of one stride lies
in the same rows for all of them, and the recursion of `tile.numba_` runs on whole vectors. Twice
`U` and twice `V` are kept, which saves products. A block, its rows and what is held of it stay in
the first-level cache.
"""

import numba
import numpy as np

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma, total
from timegrain.kernels.vectors.lanes import Lanes
from timegrain.kernels.vectors.memory import load, store, transpose

ROWS = 64
_LEVELS = 6
LANES = Lanes(numba.float64).count
BLOCK = ROWS * LANES  # samples
# rows of lanes: samples, S, 2U and 2V of the intervals of a level; sums of e^2 of each stride and
# of e^4 at stride 2, those of a block and those held
_S = ROWS + 1
_U, _V = _S + ROWS // 4, _S + ROWS // 2
_NEW = _V + ROWS // 4
_HELD = _NEW + _LEVELS + 1
_END = _HELD + _LEVELS + 1


@inner
def block_space():
    """Rows for `add_blocks`, in which nothing is held."""
    return np.zeros((_END, LANES))


@inner
def add_blocks(tile, at, many, rows, last, keep):
    """Hold the sums of the intervals that begin in `tile[at : at + many * BLOCK]`.

    Args:
        tile: Samples, the one behind the blocks with them.
        at: See above.
        many: Blocks; the first one with a NaN ends it.
        rows: From `block_space`, or from the last call.
        last: `last[:3, at / 64:]` is filled with S, U, V of the intervals of 64 samples.
        keep: Whether it is.

    Returns:
        The number of blocks without NaN, which alone are held.
    """
    for block in range(many):
        for r in range(0, ROWS, LANES):
            transpose(tile, at + r, ROWS, rows, r)
        for j in range(LANES):
            rows[ROWS, j] = tile[at + ROWS * (j + 1)]
        _first_strides(rows)
        square = _next_stride(rows, 2)
        for level in range(3, _LEVELS):
            square = _next_stride(rows, level)
        if np.isnan(total(square)):
            return block
        for i in range(_LEVELS + 1):
            store(rows, (_HELD + i, 0), load(rows, (_HELD + i, 0)) + load(rows, (_NEW + i, 0)))
        if keep:
            _keep(rows, last, at // ROWS)
        at += BLOCK
    return many


@inner
def _keep(rows, last, place):
    for j in range(LANES):
        last[0, place + j] = rows[_S, j]
        last[1, place + j], last[2, place + j] = 0.5 * rows[_U, j], 0.5 * rows[_V, j]


@inner
def held(rows, k):
    """Sum of e^2 of stride `k` in what is held."""
    level = 0
    while 2 << level < k:
        level += 1
    return total(load(rows, (_HELD + level, 0)))


@inner
def held_fourth(rows):
    """Sum of e^4 at stride 2 in what is held."""
    return total(load(rows, (_HELD + _LEVELS, 0)))


@inner
def release(rows):
    """Hold nothing."""
    rows[_HELD:] = 0.0


@inner
def _first_strides(rows):
    """Strides 2 and 4: there `2U = 2V = e`."""
    half, minus = fill(rows, 0.5), fill(rows, -0.5)
    more, double = fill(rows, 1.5), fill(rows, 2.0)
    two = four = one = other = fill(rows, 0.0)
    x0 = load(rows, (0, 0))
    for p in range(ROWS // 4):
        x2, x4 = load(rows, (4 * p + 2, 0)), load(rows, (4 * p + 4, 0))
        left = fma(minus, x2 - x0, load(rows, (4 * p + 1, 0)) - x0)
        right = fma(minus, x4 - x2, load(rows, (4 * p + 3, 0)) - x2)
        c = fma(minus, x4 - x0, x2 - x0)
        left2, right2, both = left * left, right * right, left + right
        one, other = fma(left2, left2, one), fma(right2, right2, other)
        sides = left2 + right2
        two = two + sides
        square = fma(c, fma(more, c, both), sides)
        four = four + square
        middle = fma(half, both, double * c)
        store(rows, (_S + p, 0), square)
        store(rows, (_U + p, 0), middle + right)
        store(rows, (_V + p, 0), middle + left)
        x0 = x4
    store(rows, (_NEW, 0), two)
    store(rows, (_NEW + 1, 0), four)
    store(rows, (_NEW + _LEVELS, 0), one + other)


@inner
def _next_stride(rows, level):
    """Stride `2 << level` from half of it; return the sum of e^2 in each lane."""
    k = 2 << level
    half, minus = fill(rows, 0.5), fill(rows, -0.5)
    rise, factor = fill(rows, 0.5 * k), fill(rows, 1.0 + (k / 2 - 1) * (k - 1) / (1.5 * k))
    sums = fill(rows, 0.0)
    for p in range(ROWS // k):
        first = load(rows, (k * p, 0))
        c = load(rows, (k * p + k // 2, 0)) - first
        c = fma(minus, load(rows, (k * p + k, 0)) - first, c)
        cross = load(rows, (_U + 2 * p, 0)) + load(rows, (_V + 2 * p + 1, 0))
        sides = load(rows, (_S + 2 * p, 0)) + load(rows, (_S + 2 * p + 1, 0))
        square = fma(c, fma(factor, c, cross), sides)
        sums = sums + square
        middle = fma(half, cross, rise * c)
        u, v = load(rows, (_U + 2 * p + 1, 0)), load(rows, (_V + 2 * p, 0))
        store(rows, (_S + p, 0), square)
        store(rows, (_U + p, 0), middle + u)
        store(rows, (_V + p, 0), middle + v)
    store(rows, (_NEW + level, 0), sums)
    return sums
