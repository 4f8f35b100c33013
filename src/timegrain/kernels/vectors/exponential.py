r"""The exponential of a vector of lanes, inlined into kernels.

With `n = round(x / log 2)` and `r = x - n log 2`, `exp(x) = 2^n (1 + r q(r))` where `q` is the
minimax polynomial of `expm1(r)/r` on `|r| <= log(2)/2` (degree 5 in float32, 10 in float64, fitted
by Remez exchange so that the relative error of `1 + r q(r)` is below 2e-8 and 4e-18).

The result is within 2 ulp where it is a normal number, and `exp(0)` is exactly 1. It is 0 where it
would be subnormal, give or take half a binade, and infinite from x = 88.4 (float32) or 709.4
(float64), less than half a unit before the type itself overflows. NaN stays NaN.

`q` also gives `expm1(x)/x` without cancellation wherever `n = 0`.

Source:
    Cody and Waite, Software Manual for the Elementary Functions (1980), chapter 6.
"""

from math import factorial
from typing import Any

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import (
    by_dtype,
    clamp,
    exponent_bits,
    fill,
    fma,
    where_zero,
)

_LOG2_E = 1.4426950408889634
_lowest = by_dtype((-88.0,), (-709.0,))
_highest = by_dtype((89.0,), (710.0,))
# Adding 1.5 * 2^(mantissa bits) rounds to an integer; the exponent's bias on top of it leaves the
# biased exponent of 2^n in the lowest bits.
_rounder = by_dtype((1.5 * 2**23 + 127,), (1.5 * 2**52 + 1023,))
# log 2 in two parts, the first with enough trailing zeros that n times it is exact without FMA
_minus_log2_high = by_dtype((-0.693359375,), (-6.93147180369123816490e-01,))
_minus_log2_low = by_dtype((2.12194440e-4,), (-1.90821492927058770002e-10,))
Q_FLOAT32 = (
    1.0,
    0.49999994193515811633,
    0.16666431245331006989,
    0.041668005633701652147,
    0.0083741680252242618489,
    0.0013843506098527727647,
)
Q_FLOAT64 = (
    1.0,
    0.50000000000000124958,
    0.1666666666666621702,
    0.04166666666651765729,
    0.0083333333335500126552,
    0.0013888888946427591568,
    0.00019841269436139062505,
    0.000024801490533968885626,
    2.7557627124611482269e-6,
    2.7631078137731365294e-7,
    2.4991367920044667839e-8,
)
_q = by_dtype(Q_FLOAT32, Q_FLOAT64)


def _psi_terms(count: int) -> tuple[float, ...]:
    return tuple((k + 1) / factorial(k + 2) for k in range(count))


# Taylor's series: the first term left out is below 2e-8 and 2e-17 of the sum for |r| <= log(2)/2
_psi = by_dtype(_psi_terms(7), _psi_terms(13))


@inner(forceinline=True)
def _reduce(x: Any) -> Any:
    """Return `n`, the vector whose lowest bits are the exponent of `2^n`, and `r`."""
    x = clamp(x, _lowest(x), _highest(x))
    shifted = fma(x, fill(x, _LOG2_E), _rounder(x))
    n = shifted - _rounder(x)
    r = fma(n, _minus_log2_low(x), fma(n, _minus_log2_high(x), x))
    return n, shifted, r


@inner(forceinline=True)
def exponential(x: Any) -> Any:
    """Return `exp(x)` lane by lane."""
    _, shifted, r = _reduce(x)
    return fma(_q(r), r, fill(x, 1.0)) * exponent_bits(shifted)


@inner(forceinline=True)
def exponential_and_weight(x: Any, step: Any, inverse: Any) -> Any:
    """Return `exp(x)` and `expm1(x) / a`, where `x = step * a` and `inverse = 1 / a`.

    `a = 0` gives the limit, `step`. Where n is 0 the weight is `step * q`, without cancellation;
    elsewhere `|x| > .34` and `exp(x) - 1` loses at most a factor of 2.5.
    """
    n, shifted, r = _reduce(x)
    q = _q(r)
    value = fma(q, r, fill(x, 1.0)) * exponent_bits(shifted)
    return value, where_zero(n, step * q, (value - fill(x, 1.0)) * inverse)


@inner(forceinline=True)
def weight_slope(x: Any, step: Any, inverse: Any, value: Any, weight: Any) -> Any:
    """Return the derivative of that weight with respect to `a`, from the two values returned."""
    n, _, r = _reduce(x)
    return where_zero(n, step * step * _psi(r), (step * value - weight) * inverse)
