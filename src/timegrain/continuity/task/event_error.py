"""The error at rare sharp events, which a mean square can hide."""

from jaxtyping import Float
from numpy import ndarray

from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.discontinuity.selection import residual_quantile

SHARE = 0.99


def event_error(
    values: Float[ndarray, "sample channel"],
    pieces: Pieces,
    *,
    stride: int,
    channel: int,
    span: float,
) -> float | None:
    """Return the 99th percentile of `|e|` of one channel over the channel's range.

    Args:
        values: Flat samples.
        pieces: Where the pieces lie.
        stride: The stride that is asked about.
        channel: Column of `values`.
        span: Largest minus smallest value of the channel, positive.

    Returns:
        A share of the range; None without a triple.
    """
    error = residual_quantile(values, pieces, stride, channel, SHARE)
    return None if error is None else error / span
