"""The mean power spectrum of pieces: Welch's, from stretches spread over all of the data."""

import numpy as np
from jaxtyping import Float, Float64, Int64

from timegrain.continuity.task.familiar.steps import even_step, jumps
from timegrain.kernels.discontinuity.pieces import Pieces

SHORTEST, LONGEST = 8, 4096
_SERIES_PARTS = 8
_BUDGET = 2**16  # samples a channel, so that the cost is small beside that of D


def mean_spectrum(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    channels: Int64[np.ndarray, " chosen"],
    *,
    exponents: Int64[np.ndarray, " channel"],
    detrend: bool = False,
) -> Float64[np.ndarray, " frequency"] | None:
    """Return the mean over channels of their normalised power, about the mean of each piece.

    Stretches are as long as the longest piece, at most an eighth of all samples or 4,096, overlap
    by half, and lie within one piece; shorter pieces are padded. A stretch with a missing sample
    or a gap in time is left out; where that is most of them, shorter ones are tried. Beyond 65,536
    samples a channel, as many stretches are spread evenly over the data.

    Args:
        values: Samples of all pieces, one piece after the other; NaN is missing.
        pieces: Where each piece lies; its times, where there are any, have even steps.
        channels: Which to average over.
        exponents: Powers of two near the range of each channel of `values`.
        detrend: Take each stretch about its least-squares line instead.

    Returns:
        Powers that add up to 1, of the frequencies `0..n` of `2n` samples; None if no stretch of
        at least 8 samples is complete and varies.
    """
    lengths = pieces.stops - pieces.starts
    size = min(int(lengths.max()), max(int(lengths.sum()) // _SERIES_PARTS, 32), LONGEST) // 2 * 2
    if size < SHORTEST:
        return None
    step = even_step(pieces.times, pieces) if pieces.times.size else None
    late = np.empty(0, dtype=bool) if step is None else jumps(pieces.times, step)
    total, found = np.zeros(size // 2 + 1), 0
    for c in channels.tolist():
        column = values[:, c]
        power = _channel(column, pieces, size, int(exponents[c]), late, detrend=detrend)
        if power is not None and power.sum() > 0:
            total += power / power.sum()
            found += 1
    return total / found if found else None


def _channel(
    column: Float[np.ndarray, " sample"],
    pieces: Pieces,
    size: int,
    exponent: int,
    late: np.ndarray,
    *,
    detrend: bool,
) -> Float64[np.ndarray, " frequency"] | None:
    shorter = size
    while shorter >= SHORTEST:
        starts, lengths, piece = _stretches(pieces, shorter)
        power, used = np.zeros(size // 2 + 1), 0
        for n in np.unique(lengths).tolist():
            first, of = starts[lengths == n], piece[lengths == n]
            block = column[first[:, None] + np.arange(n)].astype(np.float64)
            whole = ~np.isnan(block).any(axis=1)
            if late.size:
                whole &= ~late[first[:, None] + np.arange(1, n)].any(axis=1)
            used += int(whole.sum())
            if whole.any():
                power += _power(block[whole], of[whole], size, exponent, detrend=detrend)
        if 2 * used >= len(starts) or (used and shorter < 2 * SHORTEST):
            return power
        shorter = shorter // 2 // 2 * 2
    return None


def _stretches(
    pieces: Pieces, size: int
) -> tuple[Int64[np.ndarray, " s"], Int64[np.ndarray, " s"], Int64[np.ndarray, " s"]]:
    """First samples, lengths and pieces of stretches of at most `size`, within the budget."""
    lengths = pieces.stops - pieces.starts
    long_enough = lengths >= SHORTEST
    lengths, starts = lengths[long_enough], pieces.starts[long_enough]
    hop = size // 2
    count = 1 + np.maximum(lengths - size, 0) // hop
    total = int(count.sum())
    chosen = np.arange(total)
    many = max(_BUDGET // size, 8)
    if total > many:
        chosen = np.linspace(0, total - 1, many).round().astype(np.int64)
    piece = np.searchsorted(np.cumsum(count), chosen, side="right")
    within = chosen - (np.cumsum(count) - count)[piece]
    return starts[piece] + within * hop, np.minimum(lengths, size)[piece], piece


def _power(
    block: Float64[np.ndarray, "stretch time"],
    piece: Int64[np.ndarray, " stretch"],
    size: int,
    exponent: int,
    *,
    detrend: bool,
) -> Float64[np.ndarray, " frequency"]:
    """Sum over stretches of their power at `0..size/2`, one-sided, under Hann's window."""
    n = block.shape[1]
    window = 0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n) / n)
    _, first, of = np.unique(piece, return_index=True, return_inverse=True)
    # relative to a sample of the piece and in a unit near its range, neither of which rounds
    block = np.ldexp(block - block[first, :1][of], -exponent)
    if detrend:
        t = np.arange(n) - (n - 1) / 2
        block = block - block.mean(axis=1, keepdims=True)
        block = block - (block @ t / (t @ t))[:, None] * t
    # the mean under the window: of a piece that is one stretch it leaks into no other frequency
    level = block @ window / window.sum()
    mean = np.bincount(of, level) / np.bincount(of)
    centred = (block - mean[of][:, None]) * window
    square = np.abs(np.fft.rfft(centred, size, axis=1)) ** 2
    power = square.sum(axis=0) * (n / float(window @ window))
    power[1:-1] *= 2
    return np.asarray(power)
