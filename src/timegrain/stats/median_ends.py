"""An interval of a median that assumes nothing about the distribution."""

import numpy as np
from jaxtyping import Float64

FEWEST = 6  # five values leave 2^-4 outside, more than 5 %


def median_interval(
    values: Float64[np.ndarray, " case"], *, level: float = 0.95
) -> tuple[float, float] | None:
    r"""Return two of the values that hold the median of their distribution between them.

    Args:
        values: Independent and finite.
        level: Coverage at least, in (0, 1).

    Returns:
        The ends, or None where even the least and the greatest value cover less.

    Math:
        `[x_(r), x_(n+1-r)]` in ascending order with the largest r for which
        `P(Bin(n, 1/2) < r) <= (1 - level) / 2`.

    Source:
        David and Nagaraja, Order Statistics, 3rd edition (2003), section 7.1.

    Example:
        >>> median_interval(np.arange(1.0, 21.0))
        (6.0, 15.0)
    """
    n, spare = values.size, (1.0 - level) / 2.0
    rank, term, tail = 0, 1, 1  # the binomial coefficient of `rank`, and the sum up to it
    while rank <= n // 2 and tail / 2**n <= spare:
        rank += 1
        term = term * (n - rank + 1) // rank
        tail += term
    if rank == 0:
        return None
    ordered = np.sort(values)
    return float(ordered[rank - 1]), float(ordered[n - rank])
