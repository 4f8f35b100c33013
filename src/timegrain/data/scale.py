"""Mean and deviation of every channel of sequences that are held, whatever their size."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from timegrain.core.errors import DataError
from timegrain.data.dataset import Dataset


@dataclass(frozen=True, kw_only=True, eq=False)
class HeldScale:
    """What `held_scale` found; a sample is standardised to `(x / unit - mean) / spread`.

    Args:
        unit: Power of 2 by which each channel is divided first.
        mean: Of each channel in the training part, in units.
        spread: Its standard deviation there, in units; where it does not vary, 1 of the data.
        varies: Whether it varies there.
    """

    unit: Float64[np.ndarray, " channel"]
    mean: Float64[np.ndarray, " channel"]
    spread: Float64[np.ndarray, " channel"]
    varies: Bool[np.ndarray, " channel"]

    @property
    def center(self) -> Float64[np.ndarray, " channel"]:
        """The mean, as the data are."""
        return self.mean * self.unit

    @property
    def scale(self) -> Float64[np.ndarray, " channel"]:
        """The standard deviation, as the data are, positive; 1 where a channel does not vary."""
        return self.spread * self.unit


def held_scale(train: Float64[np.ndarray, "batch time channel"], data: Dataset) -> HeldScale:
    """Return how a task scales real sequences.

    Args:
        train: Those of the training part, NaN where a sample is missing or behind the end.
        data: What they are of, for errors.

    Raises:
        DataError: If a channel has no value in the training part, or varies by less than a float64
            tells apart.
    """
    samples = train.reshape(-1, train.shape[-1])
    # a power of 2 divides exactly; the squares of what is left neither overflow nor vanish
    unit = _power_of_two(samples)
    samples = samples / unit
    counts = (~np.isnan(samples)).sum(axis=0)
    if not counts.all():
        channel = int(np.flatnonzero(counts == 0)[0])
        raise DataError(
            f"channel {channel_name(data, channel)!r} of {data.name!r} has no value in the "
            "training part"
        )
    # sums of differences from the smallest value are exactly zero for a constant channel
    lowest = np.nanmin(samples, axis=0)
    above = samples - lowest
    rise = np.nansum(above, axis=0) / counts
    deviation = np.sqrt(np.nansum((above - rise) ** 2, axis=0) / counts)
    # a spread of a few roundings is no signal and must not be blown up; its channel keeps its unit
    rounding = 8 * np.finfo(np.float64).eps * np.nanmax(np.abs(samples), axis=0)
    varies = deviation > rounding
    spread = np.where(varies, deviation, 1 / unit)
    check_spread(spread * unit, data)
    return HeldScale(unit=unit, mean=lowest + rise, spread=spread, varies=varies)


def check_spread(scale: Float64[np.ndarray, " channel"], data: Dataset) -> None:
    """Check that data can be divided by their deviation.

    Args:
        scale: Standard deviation of each channel.
        data: What they are of, for errors.

    Raises:
        DataError: If one has fewer digits than a float64 else.
    """
    small = np.flatnonzero(scale < np.finfo(np.float64).tiny)
    if small.size:
        raise DataError(
            f"channel {channel_name(data, int(small[0]))!r} of {data.name!r} varies too little "
            "to be scaled",
            got=f"a standard deviation of {scale[small[0]]:.3g}",
            expected=f"{np.finfo(np.float64).tiny:.3g} or more, or a constant",
            hint="another unit, such as values * 1e9",
        )


def channel_name(data: Dataset, channel: int) -> str:
    """Return what a channel is called in errors."""
    return data.channel_names[channel] if data.channel_names else str(channel)


def _power_of_two(
    samples: Float64[np.ndarray, "sample channel"],
) -> Float64[np.ndarray, " channel"]:
    largest = np.nanmax(np.abs(samples), axis=0, initial=0.0)
    _, exponent = np.frexp(largest)
    # of these both the number and its inverse are floats
    return np.ldexp(1.0, np.where(largest > 0, np.clip(exponent, -1021, 1023), 0))
