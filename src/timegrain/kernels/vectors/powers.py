r"""Powers of two of a vector of lanes, inlined into kernels: the exponential without its argument.

With `n = round(y)` and `r = y - n`, both exact, `2^y = 2^n (1 + r q(r))`: the polynomial of
`vectors.exponential` in another unit. A kernel that multiplies a step by a pole writes `log2(e)`
into the pole once, and saves the reduction of each argument.

On processors with AVX-512 DQ two instructions do what takes six elsewhere: `vreduceps` returns r of
any number (0 of infinity), and `vscalefps` multiplies by 2^n where that over- or underflows too.
Elsewhere the result is 0 where it would be subnormal, give or take half a binade, and infinite in
the last half of a binade that the type can hold.

The result is within one ulp in float32 and two in float64 where it is a normal number, `2^0` is
exactly 1, and NaN stays NaN.

Source:
    Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, VREDUCEPS, VSCALEFPS.
"""

from collections.abc import Callable
from math import log
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import by_dtype, clamp, exponent_bits, fill, fma
from timegrain.kernels.vectors.exponential import Q_FLOAT32, Q_FLOAT64
from timegrain.kernels.vectors.lane_groups import has_feature, join, split
from timegrain.kernels.vectors.llvm import as_instruction, call

LOG2_E = 1.4426950408889634
_NEAREST, _CURRENT_ROUNDING = 8, 4


def _in_units_of_two(terms: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(c * log(2) ** (k + 1) for k, c in enumerate(terms))


_q = by_dtype(_in_units_of_two(Q_FLOAT32), _in_units_of_two(Q_FLOAT64))
_lowest = by_dtype((-127.0,), (-1023.0,))
_highest = by_dtype((128.0,), (1024.0,))
# Adding 1.5 * 2^(mantissa bits) rounds to an integer; the exponent's bias on top of it leaves the
# biased exponent of 2^n in the lowest bits.
_rounder = by_dtype((1.5 * 2**23 + 127,), (1.5 * 2**52 + 1023,))


def _of_each_register(name: str, last: int | None) -> Callable[..., Any]:
    """An AVX-512 instruction of one vector and a constant, or of two where `last` is None."""

    def on_register(builder: Any, value: Any, other: Any) -> Any:
        bits, suffix = (16, "ps") if value.type.count == 16 else (8, "pd")
        rest = [
            ir.Constant(value.type, None),
            ir.Constant(ir.IntType(bits), -1),
            ir.Constant(ir.IntType(32), _CURRENT_ROUNDING),
        ]
        full = f"llvm.x86.avx512.mask.{name}.{suffix}.512"
        return call(builder, full, value.type, [value, other, *rest])

    @as_instruction
    def of_one(typing_context: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            constant = ir.Constant(ir.IntType(32), last)
            parts = split(builder, args[0], a.parts)
            return join(builder, [on_register(builder, part, constant) for part in parts])

        return a(a), generate

    @as_instruction
    def of_two(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            pairs = zip(*(split(builder, arg, a.parts) for arg in args), strict=True)
            return join(builder, [on_register(builder, *pair) for pair in pairs])

        return a(a, b), generate

    return of_two if last is None else of_one


_fraction = _of_each_register("reduce", _NEAREST)
_scale = _of_each_register("scalef", None)


@inner(forceinline=True)
def power_by_scaling(y: Any) -> Any:
    """Return `2^y` lane by lane, on processors with AVX-512 DQ."""
    r = _fraction(y)
    return _scale(fma(_q(r), r, fill(y, 1.0)), y - r)


@inner(forceinline=True)
def power_by_bits(y: Any) -> Any:
    """Return `2^y` lane by lane, on any processor."""
    y = clamp(y, _lowest(y), _highest(y))
    shifted = y + _rounder(y)
    r = y - (shifted - _rounder(y))
    return fma(_q(r), r, fill(y, 1.0)) * exponent_bits(shifted)


power_of_two = power_by_scaling if has_feature("avx512dq") else power_by_bits
