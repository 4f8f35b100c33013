r"""The time scale, compiled: each number is read and written once.

With `e = exp(-|x|)` and `t = e / (2 + e) <= 1/3`,

    log(1 + e) = 2 atanh(t) = 2 t (1 + t^2/3 + t^4/5 + ...),

of which the terms left out are below 1e-8 (float32) and 1e-17 (float64) of the sum, so that small
values have as many right digits as large ones. Backwards `dL/dx = g s sigmoid(x)`.
"""

from numba import njit

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import by_dtype, fill, greater, lesser
from timegrain.kernels.vectors.exponential import exponential
from timegrain.kernels.vectors.memory import load, load_some, store, store_some
from timegrain.kernels.vectors.sigmoid import sigmoid

_atanh = by_dtype(
    tuple(2.0 / (2 * k + 1) for k in range(8)), tuple(2.0 / (2 * k + 1) for k in range(16))
)


@inner(forceinline=True)
def _softplus(x):
    zero = fill(x, 0.0)
    e = exponential(lesser(x, zero - x))
    t = e / (fill(x, 2.0) + e)
    return greater(x, zero) + t * _atanh(t * t)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def forward(start, stop, sources, lanes, x, ratio, y):
    """Do the samples numbered `start` to `stop`, sequence-major.

    Args:
        start: The first sample.
        stop: The one after the last.
        sources: Part of the cache's key, not read.
        lanes: Numbers of a vector.
        x: `(b l, d)`.
        ratio: `(b l,)`, or empty for ones.
        y: `(b l, d)`, written everywhere.
    """
    whole = x.shape[1] - x.shape[1] % lanes
    count = x.shape[1] - whole
    for k in range(start, stop):
        s = fill(x, ratio[k] if ratio.shape[0] > 0 else 1.0)
        for c in range(0, whole, lanes):
            store(y, (k, c), s * _softplus(load(x, (k, c))))
        if count > 0:
            store_some(y, (k, whole), s * _softplus(load_some(x, (k, whole), count)), count)


@njit(cache=True, nogil=True, error_model="numpy", boundscheck=False)
def backward(start, stop, sources, lanes, x, ratio, g, g_x):
    """Gradients of the samples numbered `start` to `stop`.

    Args:
        start: As in `forward`.
        stop: As in `forward`.
        sources: As in `forward`.
        lanes: As in `forward`.
        x: As in `forward`.
        ratio: As in `forward`.
        g: Gradient of the output, `(b l, d)`.
        g_x: Of x, written everywhere.
    """
    whole = x.shape[1] - x.shape[1] % lanes
    count = x.shape[1] - whole
    for k in range(start, stop):
        s = fill(x, ratio[k] if ratio.shape[0] > 0 else 1.0)
        for c in range(0, whole, lanes):
            store(g_x, (k, c), load(g, (k, c)) * (s * sigmoid(load(x, (k, c)))))
        if count > 0:
            slope = s * sigmoid(load_some(x, (k, whole), count))
            store_some(g_x, (k, whole), load_some(g, (k, whole), count) * slope, count)
