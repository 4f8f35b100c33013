"""The decorator of compiled functions that only compiled functions call."""

from collections.abc import Callable
from typing import Any

from numba import njit


def inner(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function without the wrappers through which Python and C would call it.

    Wrappers are a quarter of the time that a kernel of many small functions takes to compile. A
    function so compiled cannot be called from Python: what is called from there is `njit`.

    Args:
        function: What to compile, where the decorator has no options.
        options: Those of `numba.njit`.
    """
    compiler: Any = njit  # whose types know nothing of these two options
    decorate = compiler(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
    return decorate if function is None else decorate(function)
