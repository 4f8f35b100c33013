"""`twin_batch`, the door."""

from typing import Literal

import numpy as np
from jaxtyping import Float64

from timegrain.kernels.switched_off import switched_off
from timegrain.kernels.threads import run_shared


def twin_batch(
    values: Float64[np.ndarray, "l d"],
    added: Float64[np.ndarray, "k d"],
    first: int,
    scales: Float64[np.ndarray, " a"],
    *,
    backend: Literal["auto", "numba", "reference"] = "auto",
) -> Float64[np.ndarray, "a+a l d"]:
    """Return a signal at several amplitudes and then its twins, which something is added to.

    Args:
        values: The signal, as it lies in memory: every second sample of a finer one, say.
        added: What a twin has more, from sample `first` on; `first + k <= l`.
        first: The first sample of it.
        scales: Amplitudes.
        backend: `"reference"` runs the plain formula, and so does `"auto"` where
            `NUMBA_DISABLE_JIT` is set.

    Example:
        >>> u = np.array([[1.0], [2.0], [3.0]])
        >>> twin_batch(u, np.array([[0.5]]), 1, np.array([2.0]))[..., 0].tolist()
        [[2.0, 4.0, 6.0], [2.0, 5.0, 6.0]]
    """
    if backend == "reference" or (backend == "auto" and switched_off()):
        from timegrain.kernels.twins import reference

        return reference.twin_batch(values, added, first, scales)
    from timegrain.kernels.twins.numba_ import write_twins

    rows, step = _rows(values)
    batch = np.empty((2 * scales.size, *values.shape))
    run_shared(
        lambda start, stop: write_twins(start, stop, rows, step, added, first, scales, batch),
        len(values),
        batch.size // 16,
    )
    return batch


def _rows(
    values: Float64[np.ndarray, "l d"],
) -> tuple[Float64[np.ndarray, "n d"], int]:
    """Return contiguous rows of which the signal is every so manieth, and that number.

    Loops over rows side by side run in lanes; over strides that are not known, one by one.
    """
    whole, width = values.base, values.shape[1]
    if (
        isinstance(whole, np.ndarray)
        and whole.flags.c_contiguous
        and whole.dtype == values.dtype
        and whole.shape[-1] == width
        and whole.ctypes.data == values.ctypes.data
        and values.strides[1] == values.itemsize
        and values.strides[0] > 0
        and values.strides[0] % (width * values.itemsize) == 0
    ):
        return whole.reshape(-1, width), values.strides[0] // (width * values.itemsize)
    return np.ascontiguousarray(values), 1
