"""The error at rare sharp events, which a mean square can hide."""

from jaxtyping import Float
from numpy import ndarray, quantile

from timegrain.kernels.discontinuity.dispatch import residuals
from timegrain.kernels.discontinuity.pieces import Pieces

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
    errors = residuals(values, pieces, stride, channel)
    return float(quantile(errors, SHARE)) / span if errors.size else None
