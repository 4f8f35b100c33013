"""The order in which a window is shuffled: of some drawn by chance one of a set roughness."""

import numpy as np
from jaxtyping import Float64, Int64

from timegrain.core.seeds import stream

# one permutation in so many comes near enough to what is asked
_DRAWN = 64
# of long windows fewer are drawn: by the law of large numbers all are about equally rough
_SAMPLES = 1 << 16
_COURSES = 4

Order = Int64[np.ndarray, " window"]


def shuffled_order(w: int, seed: int) -> Order:
    r"""Return a permutation of a window, of a roughness set for its size.

    Permutations of few samples differ: on a straight line `(0, 1, 3, 2)` leaves the middle of three
    samples nearer to its neighbours' mean than swapped pairs do, and `(2, 0, 3, 1)` three times as
    far. So 64 are drawn, and that one is taken that is nearest to a roughness set for `w`, which
    grows with `w` from that of swapped pairs on; none that is in order or backwards.

    Args:
        w: Samples in a window, 2 or more.
        seed: Of the draw.

    Math:
        With `e_k = x_k - (x_{k-1} + x_{k+1}) / 2` of the shuffled series, `E e^2` on an endless
        line of slope 1 is set to `w (w + 10) / 8`, where the mean of all permutations is about
        `w^2 / 8` in long windows; and on `cos(pi m (j + 1/2) / w)`, `m = 1..4` and up to `w / 16`,
        to `3 w / (4 (w - 1))`, the mean of all. Nearest is the least sum of squared logarithms of
        the ratios, over even and odd `k` apart where `w` is even.

    Example:
        >>> shuffled_order(2, 0).tolist(), shuffled_order(4, 0).tolist()
        ([1, 0], [2, 0, 3, 1])
    """
    draw = stream(seed, "window_shuffle", w)
    drawn = [draw.permutation(w) for _ in range(int(np.clip(_SAMPLES // w, 1, _DRAWN)))]
    return min(drawn, key=_off) if w > 2 else np.array([1, 0])


def _off(order: Order) -> float:
    """Return how far a permutation is from the roughness that is set."""
    w = len(order)
    if (np.abs(np.diff(order)) == 1).all():
        return np.inf  # in order, or backwards, is smooth
    line = np.concatenate([[order[-1] - w], order, [order[0] + w]]).astype(np.float64)
    off = _distance(line, w * (w + 10) / 8)
    for m in range(1, min(_COURSES, w // 16) + 1):
        course = np.cos(np.pi * m * (np.arange(w) + 0.5) / w)
        off += _distance(course[order], 0.75 * w / (w - 1))
    return off


def _distance(values: Float64[np.ndarray, " time"], wanted: float) -> float:
    square = (values[1:-1] - (values[:-2] + values[2:]) / 2) ** 2
    # a profile reads every second of these, and in windows of even length always the same
    halves = (square[::2], square[1::2]) if len(values) % 2 == 0 else (square,)
    found = np.array([half.mean() for half in halves])
    # smaller ones than on any line are as far as can be
    return float(np.mean(np.log(np.maximum(found, 1e-9) / wanted) ** 2))
