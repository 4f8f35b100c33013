"""Missing samples, put where a line between their neighbours has them."""

import numpy as np
from jaxtyping import Float64


def fill(
    x: Float64[np.ndarray, "time channel"], empty: float
) -> Float64[np.ndarray, "time channel"]:
    """Return a series without NaN: on lines between known samples, constant beyond them.

    Args:
        x: A series.
        empty: What stands in a channel without any known sample.

    Example:
        >>> fill(np.array([[np.nan], [1.0], [np.nan], [3.0]]), 0.0)[:, 0].tolist()
        [1.0, 1.0, 2.0, 3.0]
    """
    x = x.astype(np.float64, copy=False)
    lost = np.isnan(x)
    if not lost.any():
        return x
    out, at = x.copy(), np.arange(len(x))
    for c in np.flatnonzero(lost.any(axis=0)):
        known = ~lost[:, c]
        out[:, c] = np.interp(at, at[known], x[known, c]) if known.any() else empty
    return out
