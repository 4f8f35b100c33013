"""Which implementation of the sums over neighbours runs."""

from typing import Literal

import numpy as np
from jaxtyping import Float, Float64, Int64

from timegrain.kernels.discontinuity.pieces import Pieces
from timegrain.kernels.switched_off import switched_off


def neighbour_sums(
    values: Float[np.ndarray, "sample channel"],
    pieces: Pieces,
    exponents: Int64[np.ndarray, " channel"],
    *,
    detrend: bool = False,
    backend: Literal["auto", "numba", "reference"] = "auto",
) -> tuple[Float64[np.ndarray, " channel"], Float64[np.ndarray, " channel"]]:
    r"""Return `sum (x_{i+1} - x_i)^2` and `sum 2 s^2` over the neighbours of all pieces.

    The second is what the first is on average for shuffled samples, so their ratio is half of von
    Neumann's for one piece. Pairs with a NaN are in neither.

    Args:
        values: Samples of all pieces, one piece after the other; NaN is missing.
        pieces: Where each piece lies.
        exponents: Both sums of a channel are in units of `4^exponent`, as in `ProfileSums`.
        detrend: Take both about the least-squares line of each piece.
        backend: `"reference"` runs the plain loop, and so does `"auto"` where
            `NUMBA_DISABLE_JIT` is set.

    Example:
        >>> x = np.array([[0.0], [1.0], [0.0]])
        >>> [float(v[0]) for v in neighbour_sums(x, Pieces.whole([3]), np.array([0]))]
        [2.0, 1.3333333333333335]
    """
    if backend == "reference" or (backend == "auto" and switched_off()):
        from timegrain.kernels.neighbours import reference

        return reference.neighbour_sums(values, pieces, exponents, detrend=detrend)
    from timegrain.kernels.neighbours.numba_ import accumulate

    rise, spread = np.zeros(values.shape[1]), np.zeros(values.shape[1])
    where = (pieces.times, pieces.starts, pieces.stops)
    accumulate(np.ascontiguousarray(values), exponents, *where, detrend, rise, spread)
    return rise, spread
