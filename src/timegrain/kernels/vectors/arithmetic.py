"""What is computed with vectors of lanes: sums, products, choices, polynomials.

A product and a sum written as `fma` are fused where the machine can; nothing is reassociated, so
NaN and infinity pass through as IEEE 754 says. Everything below is called from compiled code only.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.extending import overload

from timegrain.kernels.vectors.lanes import Lanes, vector_type
from timegrain.kernels.vectors.llvm import SUFFIXES, as_instruction, call, splat

_MANTISSA_BITS = {types.float32: 23, types.float64: 52}


@as_instruction
def fill(typing_context: Any, like: Any, number: Any) -> Any:
    """Return a vector of the dtype of `like` (an array or a vector) with `number` in every lane."""
    lanes = like if isinstance(like, Lanes) else Lanes(like.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = context.cast(builder, args[1], number, lanes.dtype)
        return splat(builder, value, vector_type(lanes))

    return lanes(like, number), generate


@as_instruction
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """Return `a * b + c`, rounded once where the machine can."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return call(builder, f"llvm.fmuladd.v{a.count}{SUFFIXES[a.dtype]}", vector_type(a), args)

    return a(a, b, c), generate


@as_instruction
def total(typing_context: Any, a: Any) -> Any:
    """Return the sum over lanes, added in a fixed tree."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _over_lanes(builder, args[0], builder.fadd)

    return a.dtype(a), generate


def _over_lanes(builder: Any, value: Any, operation: Callable[[Any, Any], Any]) -> Any:
    """One number of all lanes: halves are taken together until one lane is left."""
    count = value.type.count
    while count > 1:
        count //= 2
        halves = ir.VectorType(ir.IntType(32), count)
        low = ir.Constant(halves, list(range(count)))
        high = ir.Constant(halves, list(range(count, 2 * count)))
        value = operation(
            builder.shuffle_vector(value, value, low),
            builder.shuffle_vector(value, value, high),
        )
    return builder.extract_element(value, ir.Constant(ir.IntType(32), 0))


def _choice(order: str) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Of two vectors lane by lane, and of the lanes of one, what comes first in an order."""

    def choose(builder: Any, a: Any, b: Any) -> Any:
        return builder.select(builder.fcmp_ordered(order, a, b), a, b)

    @as_instruction
    def of_two(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return choose(builder, *args)

        return a(a, b), generate

    @as_instruction
    def of_lanes(typing_context: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _over_lanes(builder, args[0], lambda x, y: choose(builder, x, y))

        return a.dtype(a), generate

    return of_two, of_lanes


# a NaN in the first of two vectors is passed over: comparisons with NaN are false
lesser, least = _choice("<")
greater, greatest = _choice(">")


@as_instruction
def clamp(typing_context: Any, a: Any, low: Any, high: Any) -> Any:
    """Return `a` held between two vectors; NaN stays NaN."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, least, most = args
        value = builder.select(builder.fcmp_ordered("<", value, least), least, value)
        return builder.select(builder.fcmp_ordered(">", value, most), most, value)

    return a(a, low, high), generate


@as_instruction
def where_zero(typing_context: Any, test: Any, yes: Any, no: Any) -> Any:
    """Return lane by lane `yes` where `test == 0`, else `no`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(vector_type(test), [0.0] * test.count)
        return builder.select(builder.fcmp_ordered("==", args[0], zero), args[1], args[2])

    return yes(test, yes, no), generate


@as_instruction
def exponent_bits(typing_context: Any, a: Any) -> Any:
    """Return the vector whose exponent field is the lowest bits of the mantissa of `a`."""
    mantissa = _MANTISSA_BITS[a.dtype]

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integers = ir.VectorType(ir.IntType(a.dtype.bitwidth), a.count)
        bits = builder.bitcast(args[0], integers)
        bits = builder.shl(bits, ir.Constant(integers, [mantissa] * a.count))
        return builder.bitcast(bits, vector_type(a))

    return a(a), generate


def by_dtype(float32: tuple[float, ...], float64: tuple[float, ...]) -> Callable[..., Any]:
    """Return a compiled function of one vector x: the polynomial with these coefficients.

    Args:
        float32: Coefficients for float32 vectors, the constant term first; one alone is a constant.
        float64: The same for float64 vectors.
    """
    table = {types.float32: float32, types.float64: float64}

    @as_instruction
    def horner(typing_context: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = vector_type(x)
            terms = [ir.Constant(vector, [c] * x.count) for c in reversed(table[x.dtype])]
            name = f"llvm.fmuladd.v{x.count}{SUFFIXES[x.dtype]}"
            value = terms[0]
            for term in terms[1:]:
                value = call(builder, name, vector, [value, args[0], term])
            return value

        return x(x), generate

    return horner


def _operation(instruction: str) -> Callable[..., Any]:
    @as_instruction
    def operation(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return getattr(builder, instruction)(args[0], args[1])

        return a(a, b), generate

    return operation


def _define(symbol: Callable[..., Any], operation: Callable[..., Any]) -> None:
    @overload(symbol, strict=False)
    def on_lanes(a: Any, b: Any) -> Any:
        if isinstance(a, Lanes) and a == b:
            return lambda a, b: operation(a, b)
        return None


_define(operator.add, _operation("fadd"))
_define(operator.sub, _operation("fsub"))
_define(operator.mul, _operation("fmul"))
_define(operator.truediv, _operation("fdiv"))
