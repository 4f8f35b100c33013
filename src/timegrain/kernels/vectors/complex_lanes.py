"""Complex numbers in vectors of lanes: the real part in an even lane, the imaginary one beside it.

That is how torch and numpy lay complex numbers out, so that a row of them is loaded as it is. A
product costs a swap of neighbours, a multiplication and one that is fused with the sum.
"""

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import by_dtype, fma
from timegrain.kernels.vectors.llvm import as_instruction

_minus_one = by_dtype((-1.0,), (-1.0,))


def _rearranged(source: Callable[[int, int], int]) -> Callable[..., Any]:
    """Lane i of the result is lane `source(i, count)` of the two vectors, one after the other."""

    @as_instruction
    def rearrange(typing_context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            order = [source(i, a.count) for i in range(a.count)]
            numbers = ir.Constant(ir.VectorType(ir.IntType(32), a.count), order)
            return builder.shuffle_vector(args[0], args[1], numbers)

        return a(a, b), generate

    return rearrange


_swap = _rearranged(lambda i, count: i ^ 1)
_even = _rearranged(lambda i, count: i & ~1)
_odd = _rearranged(lambda i, count: i | 1)
_mixed = _rearranged(lambda i, count: i + count * (i & 1))
reals = _rearranged(lambda i, count: 2 * i)
"""The real parts of two vectors of complex numbers."""
imaginaries = _rearranged(lambda i, count: 2 * i + 1)
"""Their imaginary parts."""
first_half = _rearranged(lambda i, count: i // 2 + count * (i & 1))
"""The first of the two vectors again, from both parts."""
second_half = _rearranged(lambda i, count: (i + count) // 2 + count * (i & 1))
"""The second of them."""


@inner(forceinline=True)
def swap(a: Any) -> Any:
    """Return the parts of each number in each other's place."""
    return _swap(a, a)


@inner(forceinline=True)
def mixed(real: Any, imaginary: Any) -> Any:
    """Return the even lanes of one vector and the odd lanes of another."""
    return _mixed(real, imaginary)


@inner(forceinline=True)
def factor(a: Any) -> Any:
    """Return complex numbers as `times` takes them: `(re, re)` and `(-im, im)`."""
    imaginary = _odd(a, a)
    return _even(a, a), _mixed(imaginary * _minus_one(a), imaginary)


@inner(forceinline=True)
def times(parts: Any, a: Any, b: Any) -> Any:
    """Return `c a + b`, with `c` as `factor` gives it."""
    return fma(parts[0], a, fma(parts[1], swap(a), b))


@inner(forceinline=True)
def times_conjugate(parts: Any, a: Any, b: Any) -> Any:
    """Return `conj(c) a + b`, with `c` as `factor` gives it."""
    return fma(parts[0], a, fma(parts[1] * _minus_one(a), swap(a), b))


@inner(forceinline=True)
def collect(direct: Any, crossed: Any) -> Any:
    """Return `sum conj(b) a` of sums of the lanes of `a b` and of `a swap(b)`."""
    real = direct + swap(direct)
    return mixed(real, crossed - swap(crossed))
