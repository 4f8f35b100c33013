"""The discontinuity profile with its pooling and its errors, made from the kernel's sums."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64, Int64

from timegrain.kernels.discontinuity.sums import ProfileSums
from timegrain.stats.bootstrap import (
    RatioIntervals,
    channel_mean,
    influences,
    ratio_intervals,
    ratios,
    standard_error,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Profile:
    """`D(k)` of every channel and of their mean; NaN where there is none.

    Args:
        strides: Strides with at least one triple, 2 first.
        varying: Which channels vary.
        each: D of every channel; NaN for those that do not vary.
        pooled: Mean over the channels that vary.
        intervals: Intervals of both, rows of channels that vary only.
        error: Standard error of `each`.
        difference: Standard error of `D(k) - D(l)` of `each`.
        pooled_error: Standard error of `pooled`.
        pooled_difference: Standard error of `D(k) - D(l)` of `pooled`.
        floor: D that rounding alone makes in each channel.
    """

    strides: Int64[np.ndarray, " stride"]
    varying: Bool[np.ndarray, " channel"]
    each: Float64[np.ndarray, "channel stride"]
    pooled: Float64[np.ndarray, " stride"]
    intervals: RatioIntervals
    error: Float64[np.ndarray, "channel stride"]
    difference: Float64[np.ndarray, "channel stride stride"]
    pooled_error: Float64[np.ndarray, " stride"]
    pooled_difference: Float64[np.ndarray, "stride stride"]
    floor: Float64[np.ndarray, " channel"]

    def at(self, channel: int, stride: int) -> float:
        """Return D of one channel at one of the strides."""
        return float(self.each[channel, self.strides.tolist().index(stride)])


def make_profile(
    sums: ProfileSums, *, rounding: float, blocks: bool, seed: int, replicates: int
) -> Profile:
    """Return the profile of the channels that vary, `s^2 > (8 eps max|x|)^2`.

    Args:
        sums: From the kernel.
        rounding: `eps` of the values' type; 0 for tokens.
        blocks: The groups are stretches of one series, in order.
        seed: Of the bootstrap.
        replicates: Of the bootstrap.
    """
    largest = np.zeros(len(sums.variance))
    if rounding:
        seen = np.isfinite(sums.low) & np.isfinite(sums.high)
        largest[seen] = np.maximum(np.abs(sums.low), np.abs(sums.high))[seen]
    with np.errstate(over="ignore"):  # an infinite noise: a channel that does not vary at all
        noise = (8 * rounding * np.ldexp(largest, -sums.exponent.astype(np.intc))) ** 2
    varying = np.asarray(sums.variance > noise)
    above, below = sums.numerator[:, varying], sums.denominator[:, varying]
    each = np.full(sums.triples.shape, np.nan)
    each[varying] = ratios(above, below)
    psi = influences(above, below)
    error, difference = (np.full((*each.shape, *s), np.nan) for s in ((), each.shape[1:]))
    part = np.asarray(below > 0)
    error[varying] = standard_error(psi, part.sum(axis=0))
    difference[varying] = _difference_error(psi, part, blocks=blocks)
    mean_psi, mean_part = channel_mean(psi, axis=1)[:, None], np.any(part, axis=1, keepdims=True)
    mean_psi = np.nan_to_num(mean_psi)
    return Profile(
        strides=sums.strides,
        varying=varying,
        each=each,
        pooled=channel_mean(each),
        intervals=ratio_intervals(above, below, seed=seed, replicates=replicates),
        error=error,
        difference=difference,
        pooled_error=standard_error(mean_psi, mean_part.sum(axis=0))[0],
        pooled_difference=_difference_error(mean_psi, mean_part, blocks=blocks)[0],
        floor=np.divide(noise, sums.variance, out=np.zeros_like(noise), where=varying),
    )


def _difference_error(
    psi: Float64[np.ndarray, "group channel stride"],
    part: Bool[np.ndarray, "group channel stride"],
    *,
    blocks: bool,
) -> Float64[np.ndarray, "channel stride stride"]:
    """Standard error of `D(k) - D(l)`; the larger stride decides how many groups there are.

    One interval of a large stride spans several blocks of a series; the blocks are merged to as
    many as have one, so that what both strides say about a stretch of time stays together.
    """
    psi = np.nan_to_num(psi)
    count = part.sum(axis=0)
    strides = psi.shape[2]
    out = np.empty((psi.shape[1], strides, strides))
    whole = np.einsum("gck,gcl->ckl", psi, psi)
    for k in range(strides):
        for l in range(k + 1):  # noqa: E741 (k and l are two strides)
            n = np.minimum(count[:, k], count[:, l])
            square = whole[:, k, k] + whole[:, l, l] - 2 * whole[:, k, l]
            if blocks and 0 < n.min(initial=len(psi)) < len(psi):
                rise = _merge(psi[:, :, k] - psi[:, :, l], int(n.min()))
                square = (rise**2).sum(axis=0)
            factor = np.where(n >= 2, n / np.maximum(n - 1, 1), np.nan)
            out[:, k, l] = out[:, l, k] = np.sqrt(factor * np.maximum(square, 0))
    return out


def _merge(psi: Float64[np.ndarray, "group channel"], n: int) -> Float64[np.ndarray, "n channel"]:
    first = -(-np.arange(n) * len(psi) // n)
    return np.add.reduceat(psi, first, axis=0)
