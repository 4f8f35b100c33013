"""The residuals of rank so and so, without holding them all."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import numpy as np
from jaxtyping import Float, Float64, Int64

from timegrain.kernels.discontinuity.dispatch import residuals
from timegrain.kernels.discontinuity.pieces import Pieces

BLOCK = 1 << 20
_DIGITS = 16
_HELD = 1 << 21


def residual_quantile(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    stride: int,
    channel: int,
    share: float,
    *,
    held: int = _HELD,
) -> float | None:
    """Return `numpy.quantile(residuals(...), share)`, to the last bit, in bounded memory.

    Args:
        values: As in `profile_sums`.
        pieces: As in `profile_sums`.
        stride: Whole number >= 2.
        channel: Column of `values`.
        share: In 0..1.
        held: Residuals that may be held at once; with more, they are counted by their leading
            digits in several passes.

    Returns:
        The quantile; None without a triple.

    Example:
        >>> x = np.array([[0.0], [3.0], [0.0], [1.0], [0.0]])
        >>> residual_quantile(x, Pieces.whole([5]), 2, 0, 0.5)
        2.0
    """

    def blocks() -> Iterator[np.ndarray]:
        return residual_blocks(values, pieces, stride, channel)

    if _triples(pieces, stride) <= held:
        errors = np.concatenate([np.empty(0), *blocks()])
        return float(np.quantile(errors, share)) if len(errors) else None
    counts = _counted(blocks(), 64 - _DIGITS)
    total = int(counts.sum())
    if total == 0:
        return None
    # what numpy calls the virtual index
    place = (total - 1) * share
    low = int(np.floor(place))
    ends = [_ranked(blocks, r, counts, held) for r in (low, min(low + 1, total - 1))]
    return float(np.quantile(ends, place - low))


def residual_blocks(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    stride: int,
    channel: int,
    *,
    size: int = BLOCK,
) -> Iterator[Float64[np.ndarray, " triple"]]:
    """Yield what `residuals` returns, block by block; overlapping pieces in another order.

    Args:
        values: As in `profile_sums`.
        pieces: As in `profile_sums`.
        stride: Whole number >= 2.
        channel: Column of `values`.
        size: Samples in a block, about.
    """
    span = max(1, size // stride) * stride
    starts, stops = _shortened(pieces, stride, span)
    work = np.cumsum(stops - starts)
    first = 0
    while first < len(starts):
        near = int(np.searchsorted(starts, starts[first] + span))
        done = int(work[first - 1]) if first else 0
        last = max(min(near, int(np.searchsorted(work, done + 2 * span))), first + 1)
        a, b = int(starts[first]), int(stops[first:last].max())
        part = replace(
            pieces,
            starts=starts[first:last] - a,
            stops=stops[first:last] - a,
            groups=np.zeros(last - first, dtype=np.int64),
            n_groups=1,
            n_segments=1,
            times=pieces.times[a:b] if pieces.times.size else pieces.times,
        )
        # one column alone: a copy of a block, not of all channels
        yield residuals(np.array(values[a:b, channel : channel + 1]), part, stride, 0)
        first = last


def _ranked(
    blocks: Callable[[], Iterable[np.ndarray]],
    rank: int,
    leading: Int64[np.ndarray, " digit"],
    held: int,
) -> float:
    """Return the number of a rank among numbers >= 0 that are handed out again each time.

    Floats >= 0 are ordered as the whole numbers with their bits: they are counted by their leading
    16 bits, then by the next 16 among those that share the first, until few enough share all.
    """
    counts, prefix = leading, 0
    for shift in range(64 - _DIGITS, -1, -_DIGITS):
        if shift < 64 - _DIGITS:
            counts = _counted(_sharing(blocks, prefix, shift + _DIGITS), shift)
        upto = np.cumsum(counts)
        digit = int(np.searchsorted(upto, rank, side="right"))
        rank -= int(upto[digit] - counts[digit])
        prefix = (prefix << _DIGITS) | digit
        if counts[digit] <= held and shift:
            kept = np.concatenate(list(_sharing(blocks, prefix, shift)))
            return float(np.partition(kept, rank)[rank])
    return float(np.array([prefix], dtype=np.uint64).view(np.float64)[0])


def _counted(blocks: Iterable[np.ndarray], shift: int) -> Int64[np.ndarray, " digit"]:
    """Count numbers by 16 of their bits."""
    counts = np.zeros(1 << _DIGITS, dtype=np.int64)
    for block in blocks:
        digits = (block.view(np.uint64) >> np.uint64(shift)) & np.uint64((1 << _DIGITS) - 1)
        counts += np.bincount(digits.astype(np.int64), minlength=1 << _DIGITS)
    return counts


def _sharing(
    blocks: Callable[[], Iterable[np.ndarray]], prefix: int, shift: int
) -> Iterator[np.ndarray]:
    """Yield the numbers whose bits from `shift` on are `prefix`."""
    for block in blocks():
        yield block[block.view(np.uint64) >> np.uint64(shift) == np.uint64(prefix)]


def _shortened(
    pieces: Pieces, stride: int, span: int
) -> tuple[Int64[np.ndarray, " part"], Int64[np.ndarray, " part"]]:
    """Cut pieces into parts of `span` steps, by start; neighbours share the sample between them."""
    steps = (pieces.stops - pieces.starts - 1) // stride * stride
    counts = np.maximum(-(-steps // span), 1)
    before = np.repeat(np.cumsum(counts) - counts, counts)
    offset = (np.arange(counts.sum()) - before) * span
    starts = np.repeat(pieces.starts, counts) + offset
    ends = np.repeat(pieces.starts + steps + 1, counts)
    stops = np.minimum(starts + span + 1, ends)
    order = np.argsort(starts, kind="stable")
    return starts[order], stops[order]


def _triples(pieces: Pieces, stride: int) -> int:
    return int(((pieces.stops - pieces.starts - 1) // stride * (stride - 1)).sum())
