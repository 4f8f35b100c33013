"""Random convolutions of time series, two features each (ROCKET)."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
from jaxtyping import Float64, Int64

from timegrain.core.seeds import stream
from timegrain.kernels.cache_key import sources
from timegrain.models.options import positive_int, seed_number

TAPS = np.array([7, 9, 11])


@dataclass(frozen=True, kw_only=True)
class Convolutions:
    """Kernels drawn once; `features` applies them to any series with as many channels.

    Args:
        taps: Length of each kernel, `(kernel,)`.
        dilations: Samples between its taps, `(kernel,)`.
        padded: 1 where zeros are put around the series, `(kernel,)`.
        biases: Added to every output, `(kernel,)`.
        channel_start: Where each kernel's channels begin in `channels`, `(kernel + 1,)`.
        channels: Channel of each row of weights, `(row,)`.
        weights: `(row, 11)`, the first `taps` used.
    """

    taps: Int64[np.ndarray, " kernel"]
    dilations: Int64[np.ndarray, " kernel"]
    padded: Int64[np.ndarray, " kernel"]
    biases: Float64[np.ndarray, " kernel"]
    channel_start: Int64[np.ndarray, " kernel_and_one"]
    channels: Int64[np.ndarray, " row"]
    weights: Float64[np.ndarray, "row tap"]

    def features(
        self, series: Sequence[Float64[np.ndarray, "time channel"]]
    ) -> Float64[np.ndarray, "case feature"]:
        """Return the share of positive outputs and the largest output of every kernel.

        Args:
            series: One `(time, channel)` array a case; lengths may differ. Where a series is
                shorter than a kernel, zeros are put around it even if the kernel has none.
        """
        out, version = np.empty((len(series), 2 * len(self.taps))), sources(sys.modules[__name__])
        for row, values in zip(out, series, strict=True):
            _transform(
                version,
                np.ascontiguousarray(values.T, dtype=np.float64),
                self.taps,
                self.dilations,
                self.padded,
                self.biases,
                self.channel_start,
                self.channels,
                self.weights,
                row,
            )
        return out


def draw_convolutions(count: int, *, length: int, channels: int, seed: int = 0) -> Convolutions:
    r"""Draw `count` kernels for series of about `length` samples.

    Args:
        count: Number of kernels.
        length: Samples; sets the largest dilation.
        channels: Channels of the series; each kernel reads a random subset.
        seed: The draw depends on it and on the arguments alone.

    Raises:
        ConfigError: If `count`, `length` or `channels` is below 1, or the seed is no whole number.

    Math:
        Taps 7, 9 or 11; weights normal, mean removed in each channel; bias uniform in [-1, 1];
        dilation `floor(2^u)`, u uniform in `[0, log2((length - 1) / (taps - 1))]`; zeros around
        the series with probability 1/2; `floor(2^v)` channels, v uniform in
        `[0, log2(min(channels, taps) + 1)]`.

    Source:
        Dempster, Petitjean, Webb, ROCKET: Exceptionally fast and accurate time series
        classification using random convolutional kernels (Data Mining and Knowledge Discovery
        2020); the channel subsets as in its authors' multivariate code.

    Example:
        >>> kernels = draw_convolutions(5, length=100, channels=1)
        >>> kernels.features([np.sin(np.arange(100.0))[:, None]]).shape
        (1, 10)
    """
    for name, value in (("count", count), ("length", length), ("channels", channels)):
        positive_int(name, value)
    random = stream(seed_number(seed), "random convolutions")
    taps = random.choice(TAPS, count)
    reach = np.log2(np.maximum((length - 1) / (taps - 1), 1.0))
    width = np.minimum(channels, taps)
    sizes = np.floor(2.0 ** random.uniform(0, np.log2(width + 1))).astype(np.int64).clip(1, width)
    chosen = [random.choice(channels, size, replace=False) for size in sizes]
    weights = np.zeros((sizes.sum(), TAPS.max()))
    for row, used in zip(weights, np.repeat(taps, sizes), strict=True):
        drawn = random.normal(size=used)
        row[:used] = drawn - drawn.mean()
    return Convolutions(
        taps=taps,
        dilations=np.floor(2.0 ** random.uniform(0, reach)).astype(np.int64),
        padded=random.integers(0, 2, count),
        biases=random.uniform(-1, 1, count),
        channel_start=np.concatenate([[0], np.cumsum(sizes)]),
        channels=np.concatenate(chosen),
        weights=weights,
    )


@numba.njit(cache=True, nogil=True)
def _transform(
    sources: np.ndarray,  # part of the cache's key, not read
    x: np.ndarray,
    taps: np.ndarray,
    dilations: np.ndarray,
    padded: np.ndarray,
    biases: np.ndarray,
    channel_start: np.ndarray,
    channels: np.ndarray,
    weights: np.ndarray,
    out: np.ndarray,
) -> None:
    length = x.shape[1]
    buffer = np.empty(length)
    for k in range(taps.size):
        span = (taps[k] - 1) * dilations[k]
        # Half a span of zeros on each side; taps are odd, so the output is as long as the series.
        padding = span // 2 if padded[k] or span >= length else 0
        count = length + 2 * padding - span
        buffer[:count] = biases[k]
        for row in range(channel_start[k], channel_start[k + 1]):
            for tap in range(taps[k]):
                shift = tap * dilations[k] - padding
                first, last = max(0, -shift), min(count, length - shift)
                if last <= first:
                    continue
                # Slices: an index that might be negative would keep the loop from being vectorised.
                target = buffer[first:last]
                source = x[channels[row], first + shift : last + shift]
                weight = weights[row, tap]
                for i in range(target.size):
                    target[i] += weight * source[i]
        positive, largest = 0, buffer[0]
        for i in range(count):
            positive += buffer[i] > 0
            largest = max(largest, buffer[i])
        out[2 * k] = positive / count
        out[2 * k + 1] = largest
