"""Mean and deviation of every channel of sequences that are read block by block."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset
from timegrain.data.memory import release
from timegrain.data.scale import channel_name, check_spread

_BLOCK = 1 << 18


@dataclass(frozen=True, kw_only=True, eq=False)
class RunningScale:
    """What `scale_of` found.

    Args:
        center: Mean of each channel in the training part.
        scale: Its standard deviation there; 1 where it does not vary.
        varies: Whether it varies there.
        n_missing: Samples that are missing, in all sequences.
    """

    center: Float64[np.ndarray, " channel"]
    scale: Float64[np.ndarray, " channel"]
    varies: Bool[np.ndarray, " channel"]
    n_missing: int


def scale_of(data: Dataset, train: Int64[np.ndarray, " train"]) -> RunningScale:
    """Return how a task scales real sequences, from two passes of which a block is held at a time.

    The numbers are those of a task that is held in memory, up to the rounding of sums.

    Args:
        data: Of the real kind.
        train: Which sequences are to be learnt from.

    Raises:
        DataError: If a channel has no value in the training part or varies by less than a float64
            tells apart, or a sample is too far from it for float32.
    """
    inside = [data.sequences[i] for i in train.tolist()]
    others = [data.sequences[i] for i in np.setdiff1d(np.arange(len(data)), train).tolist()]
    learnt = _ends(_blocks(inside), data.n_channels)
    beside = _ends(_blocks(others), data.n_channels)
    if not learnt.counts.all():
        channel = int(np.flatnonzero(learnt.counts == 0)[0])
        name = channel_name(data, channel)
        raise DataError(f"channel {name!r} of {data.name!r} has no value in the training part")
    largest = np.maximum(np.abs(learnt.low), np.abs(learnt.high))
    # a power of 2 divides exactly; the squares of what is left neither overflow nor vanish
    _, exponent = np.frexp(largest)
    unit = np.ldexp(1.0, np.where(largest > 0, np.clip(exponent, -1021, 1023), 0))
    lowest = learnt.low / unit
    rise, deviation = _moments((block / unit - lowest for block in _blocks(inside)), data)
    # a spread of a few roundings is no signal and must not be blown up
    varies = deviation > 8 * np.finfo(np.float64).eps * largest / unit
    deviation = np.where(varies, deviation, 1 / unit)
    check_spread(deviation * unit, data)
    mean = lowest + rise
    ends = (np.minimum(learnt.low, beside.low), np.maximum(learnt.high, beside.high))
    furthest = max(float((np.abs(end / unit - mean) / deviation).max()) for end in ends)
    if furthest > float(np.finfo(np.float32).max):
        raise DataError(
            f"{data.name!r}: a sample is too far from the training part for float32",
            got=f"{furthest:.3g} standard deviations from the training mean",
            hint="a look at the units and at outliers of the test part",
        )
    return RunningScale(
        center=mean * unit,
        scale=deviation * unit,
        varies=varies,
        n_missing=learnt.missing + beside.missing,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class _Ends:
    low: Float64[np.ndarray, " channel"]
    high: Float64[np.ndarray, " channel"]
    counts: Int64[np.ndarray, " channel"]
    missing: int


def _ends(blocks: Iterable[np.ndarray], channels: int) -> _Ends:
    low, high = np.full(channels, np.inf), np.full(channels, -np.inf)
    counts, total = np.zeros(channels, dtype=np.int64), 0
    for block in blocks:
        known = ~np.isnan(block)
        low = np.minimum(low, np.where(known, block, np.inf).min(axis=0))
        high = np.maximum(high, np.where(known, block, -np.inf).max(axis=0))
        counts += known.sum(axis=0)
        total += len(block)
    return _Ends(low=low, high=high, counts=counts, missing=total * channels - int(counts.sum()))


def _moments(
    blocks: Iterable[np.ndarray], data: Dataset
) -> tuple[Float64[np.ndarray, " channel"], Float64[np.ndarray, " channel"]]:
    """Return mean and deviation, merged block by block.

    Source:
        Chan, Golub, LeVeque, Updating Formulae and a Pairwise Algorithm for Computing Sample
        Variances (1979).
    """
    count, mean, squares = (np.zeros(data.n_channels) for _ in range(3))
    for block in blocks:
        more = (~np.isnan(block)).sum(axis=0)
        own = np.nansum(block, axis=0) / np.maximum(more, 1)
        away, together = own - mean, count + more
        share = more / np.maximum(together, 1)
        squares += np.nansum((block - own) ** 2, axis=0) + away**2 * count * share
        mean, count = mean + away * share, together
    return mean, np.sqrt(squares / count)


def _blocks(sequences: Sequence[np.ndarray]) -> Iterator[Float64[np.ndarray, "time channel"]]:
    for sequence in sequences:
        block = max(_BLOCK // sequence.shape[1], 1)
        for at in range(0, len(sequence), block):
            yield sequence[at : at + block].astype(np.float64)
            release(sequence)
