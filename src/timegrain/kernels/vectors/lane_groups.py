"""Several vectors of lanes side by side as one value: the lanes of a few rows worked on at once.

Sums and products of groups are those of `arithmetic`; LLVM deals them out over registers. A group
holds one vector for each of `TOGETHER` rows, so that a loop over time keeps that many rows in
registers, and rows that share a factor load it once.

Everything below is called from compiled code only.
"""

from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core.registry import cpu_target

from timegrain.kernels.vectors.lanes import ELEMENTS, Lanes
from timegrain.kernels.vectors.llvm import SUFFIXES, as_instruction, call, pointer, splat

_INDEX = ir.IntType(32)


def has_feature(name: str) -> bool:
    """Return whether numba compiles for a processor that has this LLVM feature.

    Example:
        >>> has_feature("no such thing")
        False
    """
    return f"+{name}" in cpu_target.target_context.codegen().magic_tuple()[2].split(",")


TOGETHER = 4 if has_feature("avx512f") else 2
"""Vectors of a group: as many as leave half of the registers to intermediate results."""


def _shuffle(builder: Any, a: Any, b: Any, order: list[int]) -> Any:
    numbers = ir.Constant(ir.VectorType(_INDEX, len(order)), order)
    return builder.shuffle_vector(a, b, numbers)


def split(builder: Any, value: Any, parts: int) -> list[Any]:
    """Return the vectors of a group."""
    count = value.type.count // parts
    return [
        _shuffle(builder, value, value, list(range(i * count, (i + 1) * count)))
        for i in range(parts)
    ]


def join(builder: Any, parts: list[Any]) -> Any:
    """Return the group of these vectors, a power of two of them."""
    while len(parts) > 1:
        both = list(range(2 * parts[0].type.count))
        pairs = zip(parts[::2], parts[1::2], strict=True)
        parts = [_shuffle(builder, a, b, both) for a, b in pairs]
    return parts[0]


def _place(context: Any, builder: Any, signature: Any, args: Any, count: int) -> Any:
    """The address of `args[0][args[1]]` seen as `count` numbers."""
    address = pointer(context, builder, signature, args)
    element = ELEMENTS[signature.args[0].dtype]
    return builder.bitcast(address, ir.VectorType(element, count).as_pointer())


@as_instruction
def load_group(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the group that starts at `array[index]`."""
    group = Lanes(array.dtype, TOGETHER)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value = builder.load(_place(context, builder, signature, args, group.count))
        value.align = group.dtype.bitwidth // 8
        return value

    return group(array, index), generate


@as_instruction
def store_group(typing_context: Any, array: Any, index: Any, value: Any) -> Any:
    """Write a group at `array[index]` and the elements after it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        place = _place(context, builder, signature, args, value.count)
        builder.store(args[2], place).align = value.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, index, value), generate


@as_instruction
def repeat(typing_context: Any, a: Any) -> Any:
    """Return the group whose vectors are all `a`."""
    group = Lanes(a.dtype, TOGETHER)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return join(builder, [args[0]] * group.parts)

    return group(a), generate


@as_instruction
def spread(typing_context: Any, array: Any, index: Any) -> Any:
    """Return the group whose vectors hold `array[index]`, and the elements after it, in all lanes.

    There are `TOGETHER` such elements.
    """
    group = Lanes(array.dtype, TOGETHER)

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        element = ELEMENTS[array.dtype]
        place = pointer(context, builder, signature, args)
        place = builder.bitcast(place, element.as_pointer())
        lanes, parts = ir.VectorType(element, group.count // group.parts), []
        for i in range(group.parts):
            number = builder.load(builder.gep(place, [ir.Constant(_INDEX, i)]))
            number.align = group.dtype.bitwidth // 8
            parts.append(splat(builder, number, lanes))
        return join(builder, parts)

    return group(array, index), generate


@as_instruction
def dot(typing_context: Any, a: Any, b: Any, c: Any) -> Any:
    """Return the vector `c + sum a b` over the vectors of two groups, one after the other."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, name = args[2], f"llvm.fmuladd.v{c.count}{SUFFIXES[c.dtype]}"
        pairs = zip(*(split(builder, arg, a.parts) for arg in args[:2]), strict=True)
        for pair in pairs:
            value = call(builder, name, value.type, [*pair, value])
        return value

    return c(a, b, c), generate


@as_instruction
def store_totals(typing_context: Any, array: Any, index: Any, a: Any) -> Any:
    """Write the sum over the lanes of each vector of a group to `array[index]` and after it."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        value, width = args[2], a.count // a.parts
        while width > 1:
            low = [p * width + j for p in range(a.parts) for j in range(width // 2)]
            high = [i + width // 2 for i in low]
            width //= 2
            value = builder.fadd(
                _shuffle(builder, value, value, low), _shuffle(builder, value, value, high)
            )
        place = _place(context, builder, signature, args, a.parts)
        builder.store(value, place).align = a.dtype.bitwidth // 8
        return context.get_dummy_value()

    return types.void(array, index, a), generate
