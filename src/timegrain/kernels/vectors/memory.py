"""Vectors of lanes read from arrays, written to them, and asked for ahead of their use.

Everything below is called from compiled code only.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types

from timegrain.kernels.vectors.lanes import ELEMENTS, Lanes, vector_type
from timegrain.kernels.vectors.llvm import SUFFIXES, as_instruction, call, pointer, splat


def _mask(context: Any, builder: Any, count: Any, lanes: Lanes) -> Any:
    """Lane j is on when j < count."""
    integers = ir.VectorType(ir.IntType(64), lanes.count)
    numbers = ir.Constant(integers, list(range(lanes.count)))
    return builder.icmp_signed("<", numbers, splat(builder, count, integers))


@as_instruction
def load(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the vector that starts at `array[index]`."""
    lanes = Lanes(array.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(pointer(context, builder, signature, args))
        value.align = lanes.dtype.bitwidth // 8
        return value

    return lanes(array, index), generate


@as_instruction
def load_double(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the float64 vector of the numbers from `array[index]` on, float32 or float64."""
    lanes = Lanes(types.float64)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        kind = ir.VectorType(ELEMENTS[array.dtype], lanes.count)
        address = pointer(context, builder, signature, args)
        value = builder.load(builder.bitcast(address, kind.as_pointer()))
        value.align = array.dtype.bitwidth // 8
        return builder.fpext(value, vector_type(lanes)) if array.dtype != lanes.dtype else value

    return lanes(array, index), generate


@as_instruction
def store(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a vector at `array[index]` and the elements after it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        done = builder.store(args[2], pointer(context, builder, signature, args))
        done.align = value.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, index, value), generate


@as_instruction
def load_some(typing_context: Any, array: Any, index: Any, count: Any) -> Any:
    """Return a vector whose first `count` lanes are read and whose other lanes are 0."""
    lanes = Lanes(array.dtype)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        vector = vector_type(lanes)
        address = pointer(context, builder, signature, args)
        align = ir.Constant(ir.IntType(32), lanes.dtype.bitwidth // 8)
        mask = _mask(context, builder, args[2], lanes)
        name = f"llvm.masked.load.v{lanes.count}{SUFFIXES[lanes.dtype]}.p0"
        return call(builder, name, vector, [address, align, mask, ir.Constant(vector, None)])

    return lanes(array, index, types.intp), generate


@as_instruction
def store_some(typing_context: Any, array: Any, index: Any, value: Any, count: Any) -> Any:
    """Write the first `count` lanes only."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        address = pointer(context, builder, signature, args)
        align = ir.Constant(ir.IntType(32), value.dtype.bitwidth // 8)
        mask = _mask(context, builder, args[3], value)
        name = f"llvm.masked.store.v{value.count}{SUFFIXES[value.dtype]}.p0"
        call(builder, name, ir.VoidType(), [args[2], address, align, mask])
        return context.get_dummy_value()

    return types.void(array, index, value, types.intp), generate


def _ask(for_writing: bool) -> Callable[..., Any]:
    """Fetch the cache line at `array[index]` ahead of its use; never a fault, nothing returned."""

    @as_instruction
    def ask(typing_context: Any, array: Any, index: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            address = pointer(context, builder, signature, args)
            bytes_at = builder.bitcast(address, ir.IntType(8).as_pointer())
            number = ir.IntType(32)
            how = [ir.Constant(number, value) for value in (int(for_writing), 3, 1)]
            call(builder, "llvm.prefetch.p0", ir.VoidType(), [bytes_at, *how])
            return context.get_dummy_value()

        return types.void(array, index), generate

    return ask


prefetch = _ask(False)
prefetch_to_write = _ask(True)


@as_instruction
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
            return builder.bitcast(builder.gep(data, [index]), vector_type(lanes).as_pointer())

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
