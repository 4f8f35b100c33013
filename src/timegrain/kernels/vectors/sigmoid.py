"""The logistic function of a vector of lanes, inlined into kernels."""

from typing import Any

from timegrain.kernels.inner import inner
from timegrain.kernels.vectors.arithmetic import fill, fma
from timegrain.kernels.vectors.exponential import exponential


@inner(forceinline=True)
def sigmoid(x: Any) -> Any:
    """Return `1 / (1 + exp(-x))` lane by lane."""
    one = fill(x, 1.0)
    return one / (one + exponential(fill(x, 0.0) - x))


@inner(forceinline=True)
def silu_slope(x: Any, s: Any) -> Any:
    """Return the derivative of `x sigmoid(x)`, from x and `s = sigmoid(x)`."""
    return fma(x * s, fill(x, 1.0) - s, s)
