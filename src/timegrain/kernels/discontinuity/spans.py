"""Pieces cut into spans that several threads work on, and put together in their order again."""

import numpy as np
from jaxtyping import Float, Int64

from timegrain.kernels.discontinuity import numba_
from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.sums import ProfileSums
from timegrain.kernels.discontinuity.tile.numba_ import tile_size
from timegrain.kernels.threads import run_shared

_TILES = 32  # a span: long enough for a thread, short enough for two
_MOST_SPANS = 256
_BATCH = 2**20  # numbers kept of the spans of a batch


def sum_spans(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    strides: Int64[np.ndarray, " stride"],
    *,
    detrend: bool,
) -> ProfileSums:
    """Return the sums of the profile of real samples; see `dispatch.profile_sums`.

    Where spans begin follows from the lengths of the pieces alone, so the sums are the same to the
    last bit whatever the number of threads.
    """
    channels = values.shape[1]
    out = ProfileSums.empty(pieces.n_groups, channels, strides)
    size = tile_size(int(strides.max(initial=2)))
    spans = _spans(pieces.stops - pieces.starts, size)
    exponents = _ranges(values, pieces, spans, out)
    room = channels * max(pieces.n_segments, 1) * len(strides) * 5
    used = np.zeros(channels)
    for first, last in _batches(spans, max(1, _BATCH // max(room, 1))):
        part = spans[first:last]
        states = np.empty((len(part), channels, 6))
        sums = np.empty((len(part), channels, pieces.n_segments, len(strides), 5))

        def run(
            a: int,
            b: int,
            part: np.ndarray = part,
            states: np.ndarray = states,
            sums: np.ndarray = sums,
        ) -> None:
            where = (pieces.times, pieces.starts, pieces.stops, pieces.n_segments)
            options = (out.strides, detrend, part[a:b], size)
            numba_.span_sums(values, exponents, *where, *options, states[a:b], sums[a:b])

        run_shared(run, len(part), channels * int((part[:, 2] - part[:, 1]).sum()))
        lengths = pieces.stops - pieces.starts
        where = (exponents, pieces.groups, pieces.n_segments, detrend, lengths, used)
        numba_.collect(part, states, sums, *where, _arrays(out))
    out.variance[:] /= np.maximum(used, 1)
    return out


def _spans(lengths: Int64[np.ndarray, " piece"], size: int) -> Int64[np.ndarray, "span 3"]:
    """Piece, begin and end within it of every span; each begins at a multiple of `size`."""
    span = np.maximum(_TILES * size, -(-lengths // (_MOST_SPANS * size)) * size)
    count = np.maximum(-(-lengths // span), 1)
    piece = np.repeat(np.arange(len(lengths)), count)
    begin = (np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)) * span[piece]
    return np.stack([piece, begin, np.minimum(begin + span[piece], lengths[piece])], axis=1)


def _batches(spans: Int64[np.ndarray, "span 3"], most: int) -> list[tuple[int, int]]:
    """Cut spans into batches of about `most`, no piece in two of them."""
    edges = np.append(np.flatnonzero(np.diff(spans[:, 0], prepend=-1)), len(spans))
    batches, first = [], 0
    while first < len(spans):
        last = int(edges[np.searchsorted(edges, first + most, side="right") - 1])
        last = last if last > first else int(edges[np.searchsorted(edges, first, side="right")])
        batches.append((first, last))
        first = last
    return batches


def _ranges(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    spans: Int64[np.ndarray, "span 3"],
    out: ProfileSums,
) -> Int64[np.ndarray, "piece channel"]:
    """Fill the ends and the exponent of each channel; return the exponents of the pieces."""
    low, high = (np.empty((len(spans), values.shape[1])) for _ in range(2))
    starts, stops = (pieces.starts[spans[:, 0]] + spans[:, i] for i in (1, 2))

    def run(a: int, b: int) -> None:
        numba_.extents(values, starts, stops, a, b, low, high)

    run_shared(run, len(spans), values.size)
    exponents = np.empty((len(pieces), values.shape[1]), dtype=np.int64)
    numba_.ranges(low, high, spans[:, 0].copy(), out.low, out.high, out.exponent, exponents)
    return exponents


def _arrays(out: ProfileSums) -> tuple[np.ndarray | int, ...]:
    two = np.flatnonzero(out.strides == 2)
    return (
        out.numerator,
        out.denominator,
        out.triples,
        out.skipped,
        out.variance,
        out.exponent,
        out.missing,
        out.fourth,
        out.fourth_count,
        int(two[0]) if two.size else -1,
    )
