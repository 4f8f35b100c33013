r"""The exponential of complex numbers, real and imaginary parts in vectors apart, inlined.

`exp(a + i b)` through half the angle: with `m = round(b / 2 pi)`, `t = b - 2 pi m`, `s = sin(t/2)`
and `c = cos(t/2)`, `cos b = 1 - 2 s^2` and `sin b = 2 s c`; the sign of both that an odd m would
change cancels. So there are no quadrants to choose between, and `exp(a + i b) - 1` is exact for
small angles too: its real part is `expm1(a) cos b - 2 s^2`, without cancellation for `a <= 0`.

`s / t` and `c` are minimax polynomials of `t^2` on `|t| <= pi` (degrees 4 and 5 in float32, 8 and 9
in float64, fitted by Remez exchange: errors below 6e-9 and 3e-19). The angle's own rounding comes
on top: half an ulp of b. Beyond `|b|` of about 2e7 (float32) or 2e16 (float64), where neighbouring
numbers are a whole turn apart, the angle means nothing; the result stays within `exp(a)`.

Source:
    Cody and Waite, Software Manual for the Elementary Functions (1980), chapters 6 and 8.
"""

from collections.abc import Callable
from math import factorial
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import by_dtype, clamp, fill, fma
from timegrain.kernels.vectors.exponential import exponential_and_weight
from timegrain.kernels.vectors.llvm import as_instruction

_TURNS = 0.15915494309189535  # 1 / (2 pi)
_PI = 3.1415926535897931
_rounder = by_dtype((1.5 * 2**23,), (1.5 * 2**52,))
# 2 pi in three parts; the first two have enough trailing zeros that m times them is exact
_turn_high = by_dtype((-6.28125,), (-6.2831853069365025,))
_turn_middle = by_dtype((-0.0019350051879882812,), (-2.4308402025215864e-10,))
_turn_low = by_dtype((-3.019915981956753e-07,), (-8.089064995183803e-21,))
_half_sine = by_dtype(
    (
        0.5,
        -0.020833320844753866,
        0.00026040702970541206,
        -1.5474535196841816e-06,
        5.081781976795502e-09,
    ),
    (
        0.5,
        -0.020833333333333332,
        0.0002604166666666614,
        -1.5500992063438872e-06,
        5.382288908230204e-09,
        -1.223247402196427e-11,
        1.960319387823025e-14,
        -2.332432889151041e-17,
        2.0755469000892055e-20,
    ),
)
_half_cosine = by_dtype(
    (
        1.0,
        -0.12499999839459777,
        0.002604164764628971,
        -2.170056420052221e-05,
        9.671931671095045e-08,
        -2.5440626783728855e-10,
    ),
    (
        1.0,
        -0.125,
        0.002604166666666666,
        -2.1701388888888327e-05,
        9.68812003964556e-08,
        -2.6911444540676277e-10,
        5.096864176360771e-13,
        -7.001141451592974e-16,
        7.288928146309054e-19,
        -5.767744226316754e-22,
    ),
)
_RADIUS = 0.35  # beyond it cancellation costs at most a factor of ten
_TERMS = {32: 8, 64: 14}  # within it the first term left out is below 1e-9, 1e-17


@as_instruction
def negative(typing_context: Any, a: Any) -> Any:
    """Return `-a`; as a factor of `fma` it costs nothing."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.fneg(args[0])

    return a(a), generate


@as_instruction
def where_below(typing_context: Any, test: Any, limit: Any, yes: Any, no: Any) -> Any:
    """Return lane by lane `yes` where `test < limit`, else `no`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[2], args[3])

    return yes(test, limit, yes, no), generate


@inner(forceinline=True)
def complex_exponential(a: Any, b: Any) -> Any:
    """Return the parts of `exp(a + i b)`, and the real part of `exp(a + i b) - 1`."""
    turns = fma(b, fill(b, _TURNS), _rounder(b)) - _rounder(b)
    t = fma(turns, _turn_high(b), b)
    t = fma(turns, _turn_low(b), fma(turns, _turn_middle(b), t))
    t = clamp(t, fill(b, -_PI), fill(b, _PI))
    square = t * t
    sine = t * _half_sine(square)
    double = sine + sine
    versine = double * sine
    cosine = fill(b, 1.0) - versine
    size, excess = exponential_and_weight(a, a, fill(a, 1.0))
    imaginary = size * (double * _half_cosine(square))
    return size * cosine, imaginary, fma(excess, cosine, negative(versine))


def _division(place: int) -> Callable[..., Any]:
    """Coefficient `place` of `psi(x) = sum (k+1) x^k / (k+2)!` divided by `x^2 - r x + s`.

    With `r = 2 Re w` and `s = |w|^2` the divisor is 0 at w and its conjugate, so that a polynomial
    with real coefficients is worth there what remains: half the products of Horner's rule.
    """

    @as_instruction
    def coefficient(typing_context: Any, r: Any, s: Any) -> Any:
        bits = r.dtype.bitwidth

        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = args[0].type
            name = f"llvm.fmuladd.v{r.count}f{bits}"
            kind = ir.FunctionType(vector, [vector] * 3)
            fused = cgutils.get_or_insert_function(builder.module, kind, name)
            less = builder.fneg(args[1])
            terms = [(k + 1) / factorial(k + 2) for k in range(_TERMS[bits])]
            constants = [ir.Constant(vector, [c] * r.count) for c in terms]
            above, here = ir.Constant(vector, [0.0] * r.count), constants[-1]
            for constant in reversed(constants[place:-1]):
                partial = builder.call(fused, [less, above, constant])
                above, here = here, builder.call(fused, [args[0], here, partial])
            return here

        return r(r, s), generate

    return coefficient


_first, _second = _division(1), _division(2)


@inner(forceinline=True)
def weight_slope(a: Any, b: Any, step: Any, decay: Any, weight: Any, inverse: Any) -> Any:
    """Return the parts of the derivative of `(exp(z step) - 1) / z` with respect to z.

    With `a + i b = z step` and the parts of `exp(z step)`, of the weight itself and of `1 / z`.
    """
    square = fma(a, a, b * b)
    first, second = _first(a + a, square), _second(a + a, square)
    near = fma(first, a, fma(negative(square), second, fill(a, 0.5)))
    area = step * step
    real = fma(step, decay[0], negative(weight[0]))
    imaginary = fma(step, decay[1], negative(weight[1]))
    away = fma(real, inverse[0], negative(imaginary) * inverse[1])
    away_too = fma(real, inverse[1], imaginary * inverse[0])
    limit = fill(a, _RADIUS * _RADIUS)
    return (
        where_below(square, limit, area * near, away),
        where_below(square, limit, area * (first * b), away_too),
    )
