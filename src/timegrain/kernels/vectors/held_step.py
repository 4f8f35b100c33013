"""Steps of complex modes over which the input is held, real and imaginary parts in vectors apart.

Complex numbers are pairs of vectors here. What modes keep from step to step lies in a carry
`(n, rows, lanes)`, two rows for a complex number, of which this module knows the first ones; what a
step does to them in a table `(slots, n, rows, lanes)`.
"""

from typing import Any

import torch
from torch import Tensor

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma
from timegrain.kernels.vectors.complex_exponential import (
    complex_exponential,
    negative,
    weight_slope,
)
from timegrain.kernels.vectors.memory import load, store

# Rows of a carry: the exponent of a step of length 1, its inverse or 0, 1 where it is 0 itself
Z, INVERSE, AT_ZERO, OWN = 0, 2, 4, 5
"""`OWN` is the first row that an operation may use as it likes."""
# Rows of a table of factors
DECAY, WEIGHT, SLOPE, FACTOR_ROWS = 0, 2, 4, 6


def inverse_of(z: Tensor) -> Tensor:
    """Return `1 / z`, or 0 where it would overflow, so that z counts as 0.

    Example:
        >>> inverse_of(torch.tensor([2.0 + 0j, 0.0]))
        tensor([0.5000+0.j, 0.0000+0.j])
    """
    none = z.abs() < 1 / torch.finfo(z.dtype).max ** 0.75
    return torch.where(none, 0.0, 1 / torch.where(none, 1.0, z))


@inner(forceinline=True)
def get(array: Any, index: Any, row: Any) -> Any:
    """Return the complex number at two rows."""
    return load(array, (*index, row, 0)), load(array, (*index, row + 1, 0))


@inner(forceinline=True)
def put(array: Any, index: Any, row: Any, value: Any) -> None:
    """Write it there."""
    store(array, (*index, row, 0), value[0])
    store(array, (*index, row + 1, 0), value[1])


@inner(forceinline=True)
def times(a: Any, b: Any, c: Any) -> Any:
    """Return `a b + c`."""
    return (
        fma(a[0], b[0], fma(negative(a[1]), b[1], c[0])),
        fma(a[0], b[1], fma(a[1], b[0], c[1])),
    )


@inner(forceinline=True)
def times_conjugate(a: Any, b: Any, c: Any) -> Any:
    """Return `a conj(b) + c`."""
    return (
        fma(a[0], b[0], fma(a[1], b[1], c[0])),
        fma(a[1], b[0], fma(negative(a[0]), b[1], c[1])),
    )


@inner(forceinline=True)
def scaled(a: Any, b: Any, c: Any) -> Any:
    """Return `a b + c` with a real."""
    return fma(a, b[0], c[0]), fma(a, b[1], c[1])


@inner(forceinline=True)
def mark_zeros(carry: Any) -> None:
    """Fill the row that says where the exponent is 0, from its inverse."""
    for n in range(carry.shape[0]):
        for j in range(carry.shape[2]):
            zero = carry[n, INVERSE, j] == 0.0 and carry[n, INVERSE + 1, j] == 0.0
            carry[n, AT_ZERO, j] = 1.0 if zero else 0.0


@inner(forceinline=True)
def discretise(carry: Any, table: Any, slot: Any, s: Any, sloped: Any) -> None:
    """Compute the factors of a step of ratio `s` for all modes."""
    step = fill(carry, s)
    for n in range(carry.shape[0]):
        z, inverse = get(carry, (n,), Z), get(carry, (n,), INVERSE)
        a, b = step * z[0], step * z[1]
        real, imaginary, excess = complex_exponential(a, b)
        decay, moved = (real, imaginary), (excess, imaginary)
        none = fill(carry, 0.0)
        weight = times(moved, inverse, (step * load(carry, (n, AT_ZERO, 0)), none))
        put(table, (slot, n), DECAY, decay)
        put(table, (slot, n), WEIGHT, weight)
        if sloped:
            slope = weight_slope(a, b, step, decay, weight, inverse)
            put(table, (slot, n), SLOPE, slope)
