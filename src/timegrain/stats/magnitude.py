"""Powers of two that bring numbers of any size near 1."""

import numpy as np
from jaxtyping import Float64


def power_of_two(values: Float64[np.ndarray, "case ..."]) -> Float64[np.ndarray, "..."]:
    """Return a power of 2 by which the largest of the values, on the first axis, is from .5 to 1.

    Dividing by it is exact, and the squares of what is left neither overflow nor vanish. Both it
    and its inverse are floats; 1 where no value is known or all are 0.

    Args:
        values: NaN where unknown.

    Example:
        >>> float(power_of_two(np.array([3.0, -6.0, np.nan])))
        8.0
    """
    largest = np.fmax.reduce(np.abs(values), axis=0, initial=0.0)
    _, exponent = np.frexp(largest)
    unit: np.ndarray = np.ldexp(1.0, np.where(largest > 0, np.clip(exponent, -1021, 1023), 0))
    return unit
