"""Whether the steps of given times are even enough for a spectrum."""

import numpy as np
from jaxtyping import Bool, Float64

from timegrain.kernels.discontinuity.pieces import Pieces

WITHIN, SHARE, GAP = 0.25, 0.9, 1.5
_MOST = 2**17


def even_step(times: Float64[np.ndarray, " sample"], pieces: Pieces) -> float | None:
    r"""Return the median step if nine in ten steps are within a quarter of it, else None.

    Samples of such times are taken for evenly spaced: a jitter of `s` steps moves content of
    frequency f, in cycles a sample, by about `(2 pi f s)^2` of its power. Beyond 131,072 samples
    an evenly spread part of the pieces is looked at.

    Args:
        times: Of all samples.
        pieces: Where each piece lies.

    Example:
        >>> even_step(np.array([0.0, 1.0, 2.0, 3.1]), Pieces.whole([4]))
        1.0
    """
    steps = np.concatenate([np.diff(times[a:b]) for a, b in _looked_at(pieces)])
    if not steps.size:
        return None
    median = float(np.median(steps))
    near = np.abs(steps - median) <= WITHIN * median
    return median if float(near.mean()) >= SHARE else None


def jumps(times: Float64[np.ndarray, " sample"], step: float) -> Bool[np.ndarray, " sample"]:
    """Return which samples come more than 1.5 steps after the one before."""
    late = np.zeros(len(times), dtype=bool)
    late[1:] = np.diff(times) > GAP * step
    return late


def _looked_at(pieces: Pieces) -> list[tuple[int, int]]:
    longest = max(2, _MOST // max(len(pieces), 1))
    every = -(-len(pieces) * longest // max(_MOST, longest))
    chosen = range(0, len(pieces), max(every, 1))
    return [
        (int(pieces.starts[u]), min(int(pieces.stops[u]), int(pieces.starts[u]) + longest))
        for u in chosen
    ]
