"""Norms of sampled functions of time."""

import numpy as np
from jaxtyping import Float, Float64

from timegrain.core.errors import ConfigError

NORMS = ("sup", "rms")


def trapezoid_weights(n: int) -> Float64[np.ndarray, " time"]:
    """Return the trapezoidal rule's weights on `n` equally spaced times, summing to 1.

    Args:
        n: Number of times, >= 1.

    Example:
        >>> trapezoid_weights(3).tolist()
        [0.25, 0.5, 0.25]
    """
    weights = np.ones(n)
    if n > 1:
        weights[[0, -1]] = 0.5
    return weights / weights.sum()


def time_norm(
    values: Float[np.ndarray, "*batch time channel"], *, norm: str
) -> Float[np.ndarray, "*batch"]:
    r"""Return the size of functions sampled at equally spaced times.

    Args:
        values: Samples, `(..., time, channel)`, real.
        norm: `"sup"`, the largest absolute value over times and channels; `"rms"`, the root of the
            mean square, over time by the trapezoidal rule and over channels with equal weight.

    Raises:
        ConfigError: If the norm is unknown.

    Example:
        >>> float(time_norm(np.array([[3.0], [-4.0]]), norm="sup"))
        4.0
    """
    check_norm(norm)
    peak = np.abs(values).max(axis=(-2, -1), keepdims=True)
    if norm == "sup":
        return np.asarray(peak[..., 0, 0])
    # Relative to the peak, so that squares neither underflow nor overflow.
    shares = np.divide(values, peak, out=np.zeros_like(values), where=peak > 0)
    return np.asarray(peak[..., 0, 0] * np.sqrt(inner(shares, shares)))


def inner(
    a: Float[np.ndarray, "*batch time channel"], b: Float[np.ndarray, "*batch time channel"]
) -> Float[np.ndarray, "*batch"]:
    """Return the inner product behind the RMS norm: mean over channels, quadrature over time.

    Args:
        a: Samples, `(..., time, channel)`.
        b: Samples of the same shape.
    """
    sums = np.einsum("...tc,...tc->...t", a, b) @ trapezoid_weights(a.shape[-2])
    return np.asarray(sums / a.shape[-1])


def check_norm(norm: str) -> str:
    """Return `norm` if it is one of `NORMS`.

    Raises:
        ConfigError: If it is not.
    """
    if norm not in NORMS:
        raise ConfigError(
            "the norm is unknown", got=repr(norm), expected=f"one of {', '.join(NORMS)}"
        )
    return norm
