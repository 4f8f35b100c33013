"""An observation that is part curve and part symbols."""

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.core.seeds import stream

WIDTH = 16
N_BINS = 4
Pair = Float64[np.ndarray, "case time"]


def mix(
    x: Pair, v: Pair, eta: float, *, seed: int, name: str
) -> Float64[np.ndarray, "case time channel"]:
    r"""Return `(1 - eta) (x, v) W + eta q`, between a curve and a sequence of symbols.

    Args:
        x: A position, `(case, time)`.
        v: A velocity, as `x`.
        eta: From 0, the curve alone, to 1, the symbols alone.
        seed: Of `W` and the codebook, which are the same in all cases.
        name: What they are drawn for.

    Math:
        `W` is 2 x 16 with columns of length 1 and uniform direction; `q` is the column for the
        symbol `symbols(x, v)` of a random orthogonal 16 x 16 matrix.

    Example:
        >>> curve = np.linspace(0.0, 1.0, 5)[None]
        >>> mix(curve, curve, 1.0, seed=0, name="x").shape
        (1, 5, 16)
    """
    weights, codebook = mixing(seed, name)
    curve = x[..., None] * weights[0] + v[..., None] * weights[1]
    return (1 - eta) * curve + eta * codebook.T[symbols(x, v)]


def symbols(x: Pair, v: Pair) -> Int64[np.ndarray, "case time"]:
    """Return `4 bin(x) + bin(v)`, with four bins of one width between a series' extremes.

    Args:
        x: A position.
        v: A velocity.

    Example:
        >>> symbols(np.array([[0.0, 1.0, 4.0]]), np.array([[2.0, 0.0, 1.9]]))
        array([[ 3,  4, 15]])
    """
    return N_BINS * _bins(x) + _bins(v)


def _bins(values: Pair) -> Int64[np.ndarray, "case time"]:
    low = values.min(axis=1, keepdims=True)
    size = values.max(axis=1, keepdims=True) - low
    share = (values - low) / np.where(size > 0, size, 1.0)
    # the largest value belongs to the last bin
    return np.minimum((N_BINS * share).astype(np.int64), N_BINS - 1)


def mixing(
    seed: int, name: str
) -> tuple[Float64[np.ndarray, "2 channel"], Float64[np.ndarray, "channel symbol"]]:
    """Return `W` and the codebook.

    Args:
        seed: Of both.
        name: What they are drawn for.
    """
    random = stream(seed, name, "mixing")
    angle = random.uniform(0, 2 * np.pi, WIDTH)
    q, r = np.linalg.qr(random.standard_normal((WIDTH, WIDTH)))
    # with these signs the matrix is uniform among all orthogonal ones
    return np.stack([np.cos(angle), np.sin(angle)]), q * np.sign(np.diagonal(r))
