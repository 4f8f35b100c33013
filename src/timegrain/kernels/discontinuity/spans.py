"""Pieces cut into spans that several threads work on, and put together in their order again."""

import numpy as np
from jaxtyping import Float, Int64

from timegrain.kernels.discontinuity import numba_
from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.sums import ProfileSums
from timegrain.kernels.discontinuity.tile.numba_ import tile_size
from timegrain.kernels.discontinuity.version import version
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
    out.exponent[:] = numba_.LEAST
    room = channels * max(pieces.n_segments, 1) * len(strides) * 5
    used = np.zeros(channels)
    lengths = pieces.stops - pieces.starts
    guesses, exponents = (np.empty((len(pieces), channels), dtype=np.int64) for _ in range(2))

    def guess(a: int, b: int) -> None:
        where = (pieces.starts[a:b], pieces.stops[a:b])
        numba_.guess_exponents(version(), values, *where, size, guesses[a:b])

    run_shared(guess, len(pieces), channels * int(np.minimum(lengths, size).sum()))
    for first, last in _batches(spans, max(1, _BATCH // max(room, 1))):
        part = spans[first:last]
        states, sums, ends = _sums_of(values, pieces, guesses, strides, detrend, part, size)
        if numba_.ranges(part, ends, guesses, exponents, out.low, out.high):
            rows = np.unique(part[:, 0])
            guesses[rows] = exponents[rows]
            states, sums, _ = _sums_of(values, pieces, guesses, strides, detrend, part, size)
        where = (guesses, exponents, pieces.groups, pieces.n_segments, detrend, lengths, used)
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


def _sums_of(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    exponents: Int64[np.ndarray, "piece channel"],
    strides: Int64[np.ndarray, " stride"],
    detrend: bool,
    spans: Int64[np.ndarray, "span 3"],
    size: int,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return moments, sums and ends of spans, made by as many threads as there are."""
    channels = values.shape[1]
    states = np.empty((len(spans), channels, 6))
    sums = np.empty((len(spans), channels, pieces.n_segments, len(strides), 5))
    ends = np.empty((len(spans), channels, 2))
    where = (pieces.times, pieces.starts, pieces.stops, pieces.n_segments, strides, detrend)

    def run(a: int, b: int) -> None:
        out = (states[a:b], sums[a:b], ends[a:b])
        numba_.span_sums(version(), values, exponents, *where, spans[a:b], size, *out)

    run_shared(run, len(spans), channels * int((spans[:, 2] - spans[:, 1]).sum()))
    return states, sums, ends


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
