"""What the instructions on vectors are written with: pieces of LLVM code."""

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from timegrain.kernels.vectors.lanes import Lanes, vector_type

as_instruction: Callable[[Callable[..., Any]], Callable[..., Any]] = intrinsic
SUFFIXES = {types.float32: "f32", types.float64: "f64"}


def splat(builder: Any, value: Any, vector: Any) -> Any:
    """Return a vector of this LLVM type with `value` in every lane."""
    undefined = ir.Constant(vector, ir.Undefined)
    first = builder.insert_element(undefined, value, ir.Constant(ir.IntType(32), 0))
    zeros = ir.Constant(ir.VectorType(ir.IntType(32), vector.count), [0] * vector.count)
    return builder.shuffle_vector(first, undefined, zeros)


def pointer(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Return the address of `args[0][args[1]]` seen as a vector."""
    array_type, index_type = signature.args[:2]
    array = context.make_array(array_type)(context, builder, args[0])
    index = [
        context.cast(builder, value, kind, types.intp)
        for value, kind in zip(cgutils.unpack_tuple(builder, args[1]), index_type, strict=True)
    ]
    address = cgutils.get_item_pointer(context, builder, array_type, array, index)
    return builder.bitcast(address, vector_type(Lanes(array_type.dtype)).as_pointer())


def call(builder: Any, name: str, result: Any, args: list[Any]) -> Any:
    """Return the result of an LLVM intrinsic by its name."""
    kind = ir.FunctionType(result, [a.type for a in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)
