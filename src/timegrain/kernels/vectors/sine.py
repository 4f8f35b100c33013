r"""Sine and cosine of a vector of float64 lanes, inlined into kernels.

With `n = round(2 x / pi)` and `r = x - n pi/2`, both are polynomials of `r`, `|r| <= pi/4`, which
change places and signs with the lowest two bits of n. The series of Taylor are cut where the first
term left out is below 1e-17 of the sum.

pi/2 is subtracted in three parts, the first two of 33 bits, so that their products with n are
exact up to `|x| = 1.6e6`. Beyond, up to `|x| = 1e15`, the error is an `eps` of x, as that of x.

Source:
    Cody and Waite, Software Manual for the Elementary Functions (1980), chapter 8.
"""

from math import factorial
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import by_dtype, fill, fma
from timegrain.kernels.vectors.llvm import as_instruction

_TWO_OVER_PI = 0.6366197723675814
_ROUNDER = 1.5 * 2.0**52  # leaves n in the lowest bits
_HALF_PI = (1.5707963267341256, 6.077100506303966e-11, 2.0222662487959506e-21)
_sine = by_dtype((0.0,), tuple((-1) ** k / factorial(2 * k + 1) for k in range(9)))
_cosine = by_dtype((0.0,), tuple((-1) ** k / factorial(2 * k) for k in range(9)))


@as_instruction
def _turned(typing_context: Any, shifted: Any, sine: Any, cosine: Any) -> Any:
    """Return the sine of what is `n` quarter turns on, n being the lowest bits of `shifted`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integers = ir.VectorType(ir.IntType(64), sine.count)
        bits = builder.bitcast(args[0], integers)

        def is_on(bit: int) -> Any:
            mask = ir.Constant(integers, [bit] * sine.count)
            none = ir.Constant(integers, [0] * sine.count)
            return builder.icmp_unsigned("!=", builder.and_(bits, mask), none)

        value = builder.select(is_on(1), args[2], args[1])
        return builder.select(is_on(2), builder.fneg(value), value)

    return sine(shifted, sine, cosine), generate


@inner(forceinline=True)
def sine_and_cosine(x: Any) -> Any:
    """Return both, lane by lane, within 2 ulp of 1."""
    shifted = fma(x, fill(x, _TWO_OVER_PI), fill(x, _ROUNDER))
    n = shifted - fill(x, _ROUNDER)
    r = x
    r = fma(n, fill(x, -_HALF_PI[0]), r)
    r = fma(n, fill(x, -_HALF_PI[1]), r)
    r = fma(n, fill(x, -_HALF_PI[2]), r)
    square = r * r
    sine, cosine = r * _sine(square), _cosine(square)
    return _turned(shifted, sine, cosine), _turned(shifted + fill(x, 1.0), sine, cosine)
