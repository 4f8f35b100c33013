"""The sums a discontinuity profile is made of, before any ratio is taken."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Int64


@dataclass(frozen=True, kw_only=True, eq=False)
class ProfileSums:
    """Sums over the triples of every group, channel and stride.

    Args:
        strides: The strides `k`, shape `(stride,)`.
        exponent: Sums and variance of a channel are in units of `4^exponent`, shape `(channel,)`:
            the whole part of the logarithm to base 2 of the range of its widest piece. Ratios of a
            channel's sums need no units; without them squares would leave the range of float64.
        numerator: Sum of `e^2`, shape `(group, channel, stride)`.
        denominator: Sum of `s^2 (1 + (1-w)^2 + w^2)` over the same triples, same shape.
        triples: Triples in the sums, shape `(channel, stride)`.
        skipped: Triples left out because they touch a NaN, shape `(channel, stride)`.
        variance: Mean over pieces of the unbiased variance `s^2`, shape `(channel,)`.
        low: Smallest value, shape `(channel,)`; `inf` when there is none.
        high: Largest value, shape `(channel,)`; `-inf` when there is none.
        missing: NaN samples, shape `(channel,)`.
        fourth: Sum of `(e / rms)^4` at stride 2, `rms` that of the piece, shape `(channel,)`;
            without pieces whose `rms` is below `2^-200` of their range.
        fourth_count: Number of residuals in `fourth`, shape `(channel,)`.
    """

    strides: Int64[np.ndarray, " stride"]
    exponent: Int64[np.ndarray, " channel"]
    numerator: Float64[np.ndarray, "group channel stride"]
    denominator: Float64[np.ndarray, "group channel stride"]
    triples: Int64[np.ndarray, "channel stride"]
    skipped: Int64[np.ndarray, "channel stride"]
    variance: Float64[np.ndarray, " channel"]
    low: Float64[np.ndarray, " channel"]
    high: Float64[np.ndarray, " channel"]
    missing: Int64[np.ndarray, " channel"]
    fourth: Float64[np.ndarray, " channel"]
    fourth_count: Int64[np.ndarray, " channel"]

    @classmethod
    def empty(
        cls, groups: int, channels: int, strides: Int64[np.ndarray, " stride"]
    ) -> "ProfileSums":
        """Return sums of nothing, to be filled in place."""
        k = len(strides)
        return cls(
            strides=np.asarray(strides, dtype=np.int64),
            exponent=np.zeros(channels, dtype=np.int64),
            numerator=np.zeros((groups, channels, k)),
            denominator=np.zeros((groups, channels, k)),
            triples=np.zeros((channels, k), dtype=np.int64),
            skipped=np.zeros((channels, k), dtype=np.int64),
            variance=np.zeros(channels),
            low=np.full(channels, np.inf),
            high=np.full(channels, -np.inf),
            missing=np.zeros(channels, dtype=np.int64),
            fourth=np.zeros(channels),
            fourth_count=np.zeros(channels, dtype=np.int64),
        )
