"""Complex numbers whose real and imaginary parts are vectors apart, inlined into kernels."""

from typing import Any

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fma


@inner(forceinline=True)
def product(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return `(a + i b)(c + i d)`."""
    return a * c - b * d, fma(a, d, b * c)


@inner(forceinline=True)
def quotient(a: Any, b: Any, c: Any, d: Any) -> Any:
    """Return `(a + i b) / (c + i d)`."""
    size = fma(c, c, d * d)
    return fma(a, c, b * d) / size, (b * c - a * d) / size
