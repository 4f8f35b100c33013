"""A vector type for numba kernels: 64 bytes of neighbouring channels worked on as one value.

Left to itself, LLVM's loop vectoriser gives up on loops that touch many arrays (it must first prove
that they do not overlap). Here the vector is in the type, so the code is vectorised on every
machine: one AVX-512 register, two of AVX2, four of NEON or SSE.

Everything below is called from compiled code only. A product and a sum written as `fma` are fused
where the machine can; nothing is reassociated, so NaN and infinity pass through as IEEE 754 says.
"""

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, overload, register_model

LANE_BYTES = 64
_ELEMENTS = {types.float32: ir.FloatType(), types.float64: ir.DoubleType()}
_instruction: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic
_SUFFIXES = {types.float32: "f32", types.float64: "f64"}
_MANTISSA_BITS = {types.float32: 23, types.float64: 52}


def lane_count(dtype: np.dtype) -> int:
    """Return how many numbers of `dtype` (float32 or float64) one vector holds.

    Example:
        >>> import numpy as np
        >>> lane_count(np.dtype("float32")), lane_count(np.dtype("float64"))
        (16, 8)
    """
    return LANE_BYTES // np.dtype(dtype).itemsize


class Lanes(types.Type):
    """The numba type of one vector of `dtype` numbers, or of `parts` of them side by side."""

    def __init__(self, dtype: Any, parts: int = 1) -> None:
        self.dtype = dtype
        self.parts = parts
        self.count = parts * LANE_BYTES * 8 // dtype.bitwidth
        super().__init__(name=f"Lanes({dtype} x {self.count})")


@register_model(Lanes)
class LanesModel(models.PrimitiveModel):
    """How a vector lies in memory: as the LLVM vector of the same size."""

    def __init__(self, dmm: Any, fe_type: Lanes) -> None:
        super().__init__(dmm, fe_type, _vector(fe_type))


def _vector(lanes: Lanes) -> Any:
    return ir.VectorType(_ELEMENTS[lanes.dtype], lanes.count)


def _splat(builder: Any, value: Any, vector: Any) -> Any:
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, zeros)


def _pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The address of `args[0][args[1]]` seen as a vector."""
    array_type, index_type = signature.args[:2]
    array = context.make_array(array_type)(context, builder, args[0])
    index = [
        context.cast(builder, value, kind, types.intp)
        for value, kind in zip(cgutils.unpack_tuple(builder, args[1]), index_type, strict=True)
    ]
    address = cgutils.get_item_pointer(context, builder, array_type, array, index)
    return builder.bitcast(address, _vector(Lanes(array_type.dtype)).as_pointer())


def _mask(context: Any, builder: Any, count: Any, lanes: Lanes) -> Any:
    """Lane j is on when j < count."""
    integers = ir.VectorType(ir.IntType(64), lanes.count)
    numbers = ir.Constant(integers, list(range(lanes.count)))
    return builder.icmp_signed("<", numbers, _splat(builder, count, integers))


def _call(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    kind = ir.FunctionType(result, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


@_instruction
def load(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the vector that starts at `array[index]`."""
    lanes = Lanes(array.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(_pointer(context, builder, signature, args))
        value.align = lanes.dtype.bitwidth // 8
        return value

    return lanes(array, index), generate


@_instruction
def load_double(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the float64 vector of the numbers from `array[index]` on, float32 or float64."""
    lanes = Lanes(types.float64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.VectorType(_ELEMENTS[array.dtype], lanes.count)
        address = _pointer(context, builder, signature, args)
        value = builder.load(builder.bitcast(address, kind.as_pointer()))
        value.align = array.dtype.bitwidth // 8
        return builder.fpext(value, _vector(lanes)) if array.dtype != lanes.dtype else value

    return lanes(array, index), generate


@_instruction
def store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a vector at `array[index]` and the elements after it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        done = builder.store(args[2], _pointer(context, builder, signature, args))
        done.align = value.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, index, value), generate


@_instruction
def load_some(typing_context: Any, array: Any, index: Any, count: Any) -> Any:
    """Return a vector whose first `count` lanes are read and whose other lanes are 0."""
    lanes = Lanes(array.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = _vector(lanes)
        address = _pointer(context, builder, signature, args)
        align = ir.Constant(ir.IntType(32), lanes.dtype.bitwidth // 8)
        mask = _mask(context, builder, args[2], lanes)
        name = f"llvm.masked.load.v{lanes.count}{_SUFFIXES[lanes.dtype]}.p0"
        return _call(builder, name, vector, [address, align, mask, ir.Constant(vector, None)])

    return lanes(array, index, types.intp), generate


@_instruction
def store_some(typing_context: Any, array: Any, index: Any, value: Any, count: Any) -> Any:
    """Write the first `count` lanes only."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = _pointer(context, builder, signature, args)
        align = ir.Constant(ir.IntType(32), value.dtype.bitwidth // 8)
        mask = _mask(context, builder, args[3], value)
        name = f"llvm.masked.store.v{value.count}{_SUFFIXES[value.dtype]}.p0"
        _call(builder, name, ir.VoidType(), [args[2], address, align, mask])
        return context.get_dummy_value()

    return types.void(array, index, value, types.intp), generate


def _ask(for_writing: bool) -> Callable[..., Any]:
    """Fetch the cache line at `array[index]` ahead of its use; never a fault, nothing returned."""

    @_instruction
    def ask(typing_context: Any, array: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            address = _pointer(context, builder, signature, args)
            bytes_at = builder.bitcast(address, ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            how = [ir.Constant(number, value) for value in (int(for_writing), 3, 1)]
            _call(builder, "llvm.prefetch.p0", ir.VoidType(), [bytes_at, *how])
            return context.get_dummy_value()

        return types.void(array, index), generate

    return ask


prefetch = _ask(False)
prefetch_to_write = _ask(True)


@_instruction
def fill(typing_context: Any, like: Any, number: Any) -> Any:
    """Return a vector of the dtype of `like` (an array or a vector) with `number` in every lane."""
    lanes = like if isinstance(like, Lanes) else Lanes(like.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = context.cast(builder, args[1], number, lanes.dtype)
        return _splat(builder, value, _vector(lanes))

    return lanes(like, number), generate


@_instruction
def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """Return `a * b + c`, rounded once where the machine can."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return _call(builder, f"llvm.fmuladd.v{a.count}{_SUFFIXES[a.dtype]}", _vector(a), args)

    return a(a, b, c), generate


@_instruction
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

    @_instruction
    def of_two(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return choose(builder, *args)

        return a(a, b), generate

    @_instruction
    def of_lanes(typing_context: Any, a: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return _over_lanes(builder, args[0], lambda x, y: choose(builder, x, y))

        return a.dtype(a), generate

    return of_two, of_lanes


# a NaN in the first of two vectors is passed over: comparisons with NaN are false
lesser, least = _choice("<")
greater, greatest = _choice(">")


@_instruction
def transpose(typing_context: Any, source: Any, at: Any, step: Any, target: Any, row: Any) -> Any:
    """Write `source[at + step * j + i]` to lane `j` of row `row + i` of `target`, a square block.

    Both arrays are contiguous, and a row is one vector. One bit of the two numbers after the other
    changes places.
    """
    lanes = Lanes(source.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        def address(array: int, index: Any) -> Any:
            kind = context.make_array(signature.args[array])
            data = kind(context, builder, args[array]).data
            return builder.bitcast(builder.gep(data, [index]), _vector(lanes).as_pointer())

        vectors, place = [], args[1]
        for _ in range(lanes.count):
            vectors.append(builder.load(address(0, place)))
            vectors[-1].align = lanes.dtype.bitwidth // 8
            place = builder.add(place, args[2])
        for bit in (1 << b for b in range(lanes.count.bit_length() - 1)):
            for i in (i for i in range(lanes.count) if not i & bit):
                pair = vectors[i], vectors[i + bit]
                for j, offset in ((i, 0), (i + bit, bit)):
                    mask = [(n & ~bit) + offset + (lanes.count if n & bit else 0)
                            for n in range(lanes.count)]  # fmt: skip
                    order = ir.Constant(ir.VectorType(ir.IntType(32), lanes.count), mask)
                    vectors[j] = builder.shuffle_vector(*pair, order)
        count = ir.Constant(args[4].type, lanes.count)
        place = builder.mul(args[4], count)
        for vector in vectors:
            builder.store(vector, address(3, place)).align = lanes.dtype.bitwidth // 8
            place = builder.add(place, count)
        return context.get_dummy_value()

    return types.void(source, types.intp, types.intp, target, types.intp), generate


@_instruction
def clamp(typing_context: Any, a: Any, low: Any, high: Any) -> Any:
    """Return `a` held between two vectors; NaN stays NaN."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, least, most = args
        value = builder.select(builder.fcmp_ordered("<", value, least), least, value)
        return builder.select(builder.fcmp_ordered(">", value, most), most, value)

    return a(a, low, high), generate


@_instruction
def where_zero(typing_context: Any, test: Any, yes: Any, no: Any) -> Any:
    """Return lane by lane `yes` where `test == 0`, else `no`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        zero = ir.Constant(_vector(test), [0.0] * test.count)
        return builder.select(builder.fcmp_ordered("==", args[0], zero), args[1], args[2])

    return yes(test, yes, no), generate


@_instruction
def exponent_bits(typing_context: Any, a: Any) -> Any:
    """Return the vector whose exponent field is the lowest bits of the mantissa of `a`."""
    mantissa = _MANTISSA_BITS[a.dtype]

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        integers = ir.VectorType(ir.IntType(a.dtype.bitwidth), a.count)
        bits = builder.bitcast(args[0], integers)
        bits = builder.shl(bits, ir.Constant(integers, [mantissa] * a.count))
        return builder.bitcast(bits, _vector(a))

    return a(a), generate


def by_dtype(float32: tuple[float, ...], float64: tuple[float, ...]) -> Callable[..., Any]:
    """Return a compiled function of one vector x: the polynomial with these coefficients.

    Args:
        float32: Coefficients for float32 vectors, the constant term first; one alone is a constant.
        float64: The same for float64 vectors.
    """
    table = {types.float32: float32, types.float64: float64}

    @_instruction
    def horner(typing_context: Any, x: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            vector = _vector(x)
            terms = [ir.Constant(vector, [c] * x.count) for c in reversed(table[x.dtype])]
            name = f"llvm.fmuladd.v{x.count}{_SUFFIXES[x.dtype]}"
            value = terms[0]
            for term in terms[1:]:
                value = _call(builder, name, vector, [value, args[0], term])
            return value

        return x(x), generate

    return horner


def _arithmetic(instruction: str) -> Callable[..., Any]:
    @_instruction
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


_define(operator.add, _arithmetic("fadd"))
_define(operator.sub, _arithmetic("fsub"))
_define(operator.mul, _arithmetic("fmul"))
_define(operator.truediv, _arithmetic("fdiv"))
